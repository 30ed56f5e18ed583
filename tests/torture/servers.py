"""Runs fakeapi servers in their own processes, which tests can kill, and provides a client for them."""

import asyncio
import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.load import Connection, request
from tests.torture.budget import Finding, patience

START_SECONDS = 60.0
STOP_SECONDS = 60.0
BASE = "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims"


class Server:
    """A process that runs `fakeapi serve` with its log in a file."""

    def __init__(
        self, directory: Path, *options: str, environment: Mapping[str, str] | None = None, file_size: int = 0
    ) -> None:
        self.directory = directory
        self.environment = dict(environment or {})
        self.log = directory / "server.log"
        ready = directory / "ready"
        ready.unlink(missing_ok=True)
        command = [sys.executable, "-m", "fakeapi", "serve", "--port", "0", "--ready-file", str(ready)]
        command += ["--kubeconfig", str(directory / "kubeconfig"), *options]

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, resource.RLIM_INFINITY))

        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, env={**os.environ, **(environment or {})},
                preexec_fn=limit if file_size else None,  # noqa: PLW1509 - no thread of ours holds a lock
            )  # fmt: skip
        try:
            self._wait_for(ready, patience(START_SECONDS))
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise
        self.port = int(json.loads(ready.read_text())["url"].rpartition(":")[2])

    def _wait_for(self, ready: Path, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not (ready.exists() and ready.read_text().endswith("\n")):
            if self.process.poll() is not None:
                raise Finding(f"the server did not start: {self.log.read_text()[-2_000:]}")
            if time.monotonic() > deadline:
                raise Finding(
                    f"the server did not start within {seconds:.0f} s: {self.log.read_text()[-2_000:]}"
                )
            time.sleep(0.005)

    def end(self, number: signal.Signals) -> None:
        """Sends a signal and waits until the server has stopped.

        Kills the server and raises Finding if it needs more than STOP_SECONDS, or longer on a busy machine.
        """
        self.process.send_signal(number)
        seconds = patience(STOP_SECONDS)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Finding(f"the server did not end within {seconds:.0f} s of {number.name}") from None

    def status(self, name: str) -> int:
        """Returns a number from the server's /proc/PID/status, such as VmHWM (peak memory in KiB)."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.partition(f"{name}:")[2].split()[0])

    def check_log(self) -> None:
        if "Traceback" in self.log.read_text():
            raise Finding(f"the server's log has a traceback: {self.log.read_text()[-4_000:]}")


@contextlib.contextmanager
def serving(directory: Path, *options: str, **how: Any) -> Iterator[Server]:
    """Runs a server during the `with` block; kills it at the end if it is still running.

    `options`: command-line options of the server. `how`: keyword arguments of Server.
    """
    server = Server(directory, *options, **how)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
        server.process.wait()


class Gone(Exception):
    """Raised if the connection to the server closes before the response is complete."""


class Client:
    """A client with one connection. It sends one request at a time; bodies are JSON."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connection: Connection | None = None

    async def ask(self, method: str, target: str, body: Any = None, media: str = "json") -> tuple[int, Any]:
        """Sends a request; returns the status code and the decoded body.

        `media`: the media type of the body without `application/`. Raises Gone if the connection closes
        before the response is complete.
        """
        data = b"" if body is None else json.dumps(body).encode()
        try:
            if self._connection is None:
                self._connection = await Connection.open(self._port)
            answer = await self._connection.send(request(method, target, data, f"application/{media}"))
        except (OSError, EOFError, IndexError, ValueError) as error:
            self.close()
            raise Gone from error
        return answer.status, json.loads(answer.body)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def claim(name: str, value: str) -> dict[str, Any]:
    """Returns a ResourceClaim whose annotation `v` is `value`."""
    request = {"name": "gpu", "deviceClassName": "gpu.example.com"}
    return {
        "apiVersion": "resource.k8s.io/v1beta1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "annotations": {"v": value}},
        "spec": {"devices": {"requests": [request]}},
    }


def value_of(obj: dict[str, Any]) -> str:
    return str(obj["metadata"]["annotations"]["v"])


def version_of(obj: dict[str, Any]) -> int:
    return int(obj["metadata"]["resourceVersion"])


def listed(server: Server) -> dict[str, tuple[int, str]]:
    """Lists the claims of a server; returns version and value of each claim, by its name."""

    async def ask() -> dict[str, tuple[int, str]]:
        client = Client(server.port)
        code, listing = await client.ask("GET", BASE)
        client.close()
        if code != 200:
            raise Finding(f"a list was answered {code}: {listing}")
        return {o["metadata"]["name"]: (version_of(o), value_of(o)) for o in listing["items"]}

    return asyncio.run(ask())
