"""The command `fakeapi record`: records the traffic of a cluster with a proxy. Needs the extra `record`.

Exit status: 0 after SIGINT or SIGTERM, 1 for errors of the cluster, the trace or the port, 2 for invalid
options.
"""

import json
import os
import shutil
import socket
import tempfile
from pathlib import Path
from typing import Any

import click

from fakeapi.cli import announcing
from fakeapi.cli.file_type import FILE
from fakeapi.cli.numbers import WholeNumber
from fakeapi.cli.old_names import with_new_names
from fakeapi.cli.token_options import token_options
from fakeapi.cli.trace_options import redaction_options, redactor, reported
from fakeapi.clients import kubeconfig_writer
from fakeapi.clients.kubeconfig_reader import target_of_kubeconfig
from fakeapi.clients.target import Target, TargetError, target_of_url
from fakeapi.machinery.hosts import ACCEPTED_HOSTS, HostRules, connect_host, is_loopback, url_host
from fakeapi.machinery.printable import counted, printable, printable_line
from fakeapi.serving.runner import Runner
from fakeapi.serving.start_error import StartError
from fakeapi.traces import fieldpaths
from fakeapi.traces.inspecting.convert import check_target
from fakeapi.traces.recording import recording_file
from fakeapi.traces.recording.recording import Recording
from fakeapi.traces.recording.redaction import Redactor


def _host_rules(context: click.Context, parameter: click.Parameter, value: str) -> HostRules:
    try:
        return HostRules.parse(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.command(
    context_settings={
        "auto_envvar_prefix": "FAKEAPI_RECORD",
        "show_default": True,
        "token_normalize_func": with_new_names({"upstream": "server"}),
    }
)
@click.argument("trace", type=FILE)
@click.option(
    "--server",
    metavar="URL",
    envvar=["FAKEAPI_RECORD_SERVER", "FAKEAPI_RECORD_UPSTREAM"],
    help="Forward to the server at this URL.",
)
@click.option(
    "--kubeconfig",
    metavar="FILE",
    type=FILE,
    envvar="KUBECONFIG",
    show_envvar=True,
    help="Forward to the cluster of this kubeconfig, with its credentials.",
)
@click.option("--context", metavar="NAME", help="Kubeconfig context to use.  [default: its current context]")
@click.option(
    "--ca-file", metavar="FILE", type=FILE, help="Verify --server with the CA certificates in this file."
)
@click.option("--insecure-skip-tls-verify", is_flag=True, help="Do not verify the certificate of --server.")
@click.option("--host", default="127.0.0.1", help="Listen on this address.")
@click.option(
    "--port", type=WholeNumber(0, 65535), default=0, help="Listen on this port; 0 chooses a free port."
)
@click.option("--tls", is_flag=True, help="Serve HTTPS with a certificate of a new CA.")
@token_options("Require this bearer token from clients.")
@click.option("--allow-anonymous", is_flag=True, help="Allow other addresses than loopback without a token.")
@click.option(
    "--accept-hosts",
    "hosts",
    metavar="REGEX,…",
    default=ACCEPTED_HOSTS,
    callback=_host_rules,
    help="Without --token, accept only Host and Origin headers that match, as kubectl proxy does.",
)
@click.option(
    "--client-kubeconfig",
    metavar="FILE",
    type=FILE,
    help="Write the kubeconfig for clients to this file, and keep it.  [default: a temporary file]",
)
@click.option(
    "--ready-file",
    metavar="FILE",
    type=FILE,
    help="Write url, kubeconfig and pid as JSON to this file when ready.",
)
@click.option("--replace-recording", is_flag=True, help="Replace the file TRACE if it is not empty.")
@redaction_options
def record(
    *,
    trace: Path,
    replace_recording: bool,
    server: str | None,
    kubeconfig: Path | None,
    context: str | None,
    ca_file: Path | None,
    insecure_skip_tls_verify: bool,
    allow_anonymous: bool,
    redact: tuple[fieldpaths.FieldPath, ...],
    keep_credentials: bool,
    **serving: Any,
) -> None:
    """Record the traffic between clients and a cluster to the file TRACE, until SIGINT or SIGTERM.

    Clients must use the kubeconfig that the command prints. TRACE must end in .jsonl, .jsonl.gz or
    .jsonl.zst. The file appears when recording ends. Without --replace-recording, the command refuses a file
    that is not empty.
    """
    _require_extra()
    # --server overrides the variable KUBECONFIG, but cannot be combined with the option --kubeconfig.
    source = click.get_current_context().get_parameter_source("kubeconfig")
    if server and kubeconfig and source is not None and source.name == "COMMANDLINE":
        raise click.UsageError("Set --server or --kubeconfig, not both.")
    if not server and not kubeconfig:
        raise click.UsageError("Set --server URL or --kubeconfig FILE.")
    _check_address(serving["host"], allowed=bool(allow_anonymous or serving["token"]))
    try:
        if server:
            target = target_of_url(server, ca_file=ca_file, insecure=insecure_skip_tls_verify)
        else:
            assert kubeconfig is not None, "checked above"
            target = target_of_kubeconfig(kubeconfig, context)
    except TargetError as error:
        raise click.ClickException(printable_line(error)) from error
    with reported():
        check_target(trace)
        recording_file.check_name(trace)
        if not replace_recording:
            recording_file.check_new(trace)
        chosen = redactor(redact=redact, keep_credentials=keep_credentials)
        recording = _run(target, trace, redactor=chosen, **serving)
    click.echo(f"Wrote {counted(len(recording), 'exchange')} to {recording.path}")


def _require_extra() -> None:
    try:
        import aiohttp  # noqa: F401, PLC0415 - loaded only to check for the extra
    except ImportError as error:
        raise click.ClickException(
            "recording a cluster needs the extra `record`: pip install 'fakeapi-k8s[record]'"
        ) from error


def _check_address(host: str, *, allowed: bool) -> None:
    """Raises UsageError if the proxy would listen on an address other than loopback.

    Other machines could then use the cluster with the user's credentials. `allowed`: whether the user set
    --token or --allow-anonymous.
    """
    if not (is_loopback(host) or allowed):
        raise click.UsageError(
            f"{host} is not a loopback address: others could use the cluster with your credentials. "
            "Set --token for them to send, or --allow-anonymous."
        )


def _run(upstream: Target, trace: Path, *, redactor: Redactor, **serving: Any) -> Recording:
    """Records until SIGINT or SIGTERM, and then writes the trace; returns the recording.

    `serving`: the arguments of `_serve`. Raises TraceError if the trace cannot be written, and ClickException
    if the proxy cannot start.
    """
    directory = Path(tempfile.mkdtemp(prefix="fakeapi-"))
    recording = Recording(trace, source="proxy", server="", redactor=redactor)
    try:
        _serve(upstream, recording, directory, **serving)
    except StartError as error:
        recording.abort()
        raise click.ClickException(printable_line(error)) from error
    except BaseException:
        recording.abort()
        raise
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    recording.close()
    return recording


def _serve(
    upstream: Target,
    recording: Recording,
    directory: Path,
    *,
    host: str,
    port: int,
    tls: bool,
    token: str | None,
    client_kubeconfig: Path | None,
    ready_file: Path | None,
    hosts: HostRules,
) -> None:
    authority, context = None, None
    client_host = connect_host(host)
    if tls:
        from fakeapi.serving import certificates  # noqa: PLC0415 - imports cryptography, which only TLS needs

        issued = certificates.issue(["127.0.0.1", "::1", "localhost", socket.gethostname(), client_host])
        authority, context = issued.ca, issued.server
    from fakeapi.traces.recording.proxy import Proxy  # noqa: PLC0415 - imports aiohttp, an extra

    runner = Runner(
        Proxy(upstream, recording, token=token, hosts=hosts.also(client_host)),
        host=host,
        port=port,
        tls=context,
    )
    url = f"{'https' if tls else 'http'}://{url_host(client_host)}:{runner.port}"
    kubeconfig = client_kubeconfig or directory / "kubeconfig"

    def ready() -> None:
        try:
            kubeconfig_writer.write(kubeconfig, kubeconfig_writer.render(url, ca=authority, token=token))
            if ready_file is not None:
                facts = {"url": url, "kubeconfig": str(kubeconfig), "pid": os.getpid()}
                kubeconfig_writer.write(ready_file, json.dumps(facts) + "\n")
        except OSError as error:
            raise StartError(f"cannot write {error.filename}: {error.strerror}") from error
        server = printable(recording.header.server) or "a server of unknown version"
        click.echo(f"Recording {server} at {upstream.url}, through {url}")
        click.echo(f"export KUBECONFIG={kubeconfig}")

    announcing.remove_ready_file(ready_file)
    try:
        runner.run(ready)
    finally:
        announcing.remove_ready_file(ready_file)
