"""Runs the recording proxy as a command does; needs the extra `record`."""

import ipaddress
import json
import os
import shutil
import socket
import tempfile
from pathlib import Path
from typing import Any

import click

from fakeapi import kubeconfig as kubeconfigs
from fakeapi.serving.runner import Runner, StartError
from fakeapi.traces.client.upstream import Upstream
from fakeapi.traces.recording.proxy import Proxy
from fakeapi.traces.recording.recording import Recording
from fakeapi.traces.recording.redaction import Redactor

_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - not bound, replaced


def check_address(serving: dict[str, Any]) -> None:
    """The proxy lends its credentials to whoever connects. Raises UsageError."""
    host = serving["host"]
    try:
        near = ipaddress.ip_address(host).is_loopback
    except ValueError:
        near = host == "localhost"
    if not (near or serving["allow_anonymous"] or serving["token"]):
        raise click.UsageError(
            f"{host} is not a loopback address: others could use the cluster with your credentials. "
            "Name a --token for them to send, or say --allow-anonymous."
        )


def run(upstream: Upstream, trace: Path, *, redactor: Redactor, **serving: Any) -> Recording:
    """Serves until SIGINT or SIGTERM, then writes the trace. Raises TraceError, ClickException."""
    directory = Path(tempfile.mkdtemp(prefix="fakeapi-"))
    recording = Recording(trace, source="proxy", server="", redactor=redactor)
    try:
        _serve(upstream, recording, directory, **serving)
    except StartError as error:
        recording.abort()
        raise click.ClickException(str(error)) from error
    except BaseException:
        recording.abort()
        raise
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    recording.close()
    return recording


def _serve(
    upstream: Upstream,
    recording: Recording,
    directory: Path,
    *,
    host: str,
    port: int,
    tls: bool,
    token: str | None,
    client_kubeconfig: Path | None,
    ready_file: Path | None,
    allow_anonymous: bool,
) -> None:
    authority, context = None, None
    shown = _ANY_ADDRESS.get(host, host)
    if tls:
        from fakeapi.serving import certificates  # noqa: PLC0415 - brings cryptography, which only TLS needs

        issued = certificates.issue(["127.0.0.1", "::1", "localhost", socket.gethostname(), shown])
        authority, context = issued.ca, issued.server
    runner = Runner(Proxy(upstream, recording, token=token), host=host, port=port, tls=context)
    address = f"[{shown}]" if ":" in shown else shown
    url = f"{'https' if tls else 'http'}://{address}:{runner.port}"
    kubeconfig = client_kubeconfig or directory / "kubeconfig"

    def ready() -> None:
        try:
            kubeconfigs.write(kubeconfig, kubeconfigs.render(url, ca=authority, token=token))
            if ready_file is not None:
                facts = {"url": url, "kubeconfig": str(kubeconfig), "pid": os.getpid()}
                kubeconfigs.write(ready_file, json.dumps(facts) + "\n")
        except OSError as error:
            raise StartError(f"cannot write {error.filename}: {error.strerror}") from error
        what = recording.header.server or "a server that does not tell its version"
        click.echo(f"Recording {what} at {upstream.url}, through {url}")
        click.echo(f"export KUBECONFIG={kubeconfig}")

    runner.run(ready)
