"""Runs programs during a test: the server in its own process, and its clients."""

import json
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from fakeapi.testing.client import Client

START_SECONDS = 60.0
STOP_SECONDS = 30.0


class Program:
    """A running program. Its output goes to the file `log`; tests can wait for lines of the output."""

    def __init__(
        self, command: Sequence[str | Path], log: Path, env: Mapping[str, str] | None = None
    ) -> None:
        self.log = log
        self._errors = log.open("ab")
        self._process = subprocess.Popen(
            [str(each) for each in command], stdout=subprocess.PIPE, stderr=self._errors, env=env
        )
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._errors.write(line)
            self._errors.flush()
            self._lines.put(line.decode(errors="replace").rstrip("\n"))
        self._lines.put(None)

    def await_line(self, text: str, seconds: float = START_SECONDS) -> str:
        """Waits for the next line of output that contains `text`, and returns the line.

        Raises AssertionError if the program ends before such a line, or after `seconds` seconds.
        """
        end = time.monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                line = None
            assert line is not None, f"no {text!r} from it; the end of its log:\n{self.tail()}"
            if text in line:
                return line

    def tail(self, size: int = 4000) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")[-size:]

    def wait(self) -> int:
        """Waits until the program ends by itself; returns its exit code.

        Raises subprocess.TimeoutExpired after STOP_SECONDS seconds.
        """
        code = self._process.wait(STOP_SECONDS)
        self._close()
        return code

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> int:
        """Sends SIGTERM to the program and returns its exit code.

        Kills the program if it still runs after STOP_SECONDS.
        """
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
        return self.wait()

    def kill(self) -> None:
        self._process.kill()
        self.wait()

    def _close(self) -> None:
        self._reader.join(STOP_SECONDS)
        if not self._errors.closed:
            self._errors.close()
            assert self._process.stdout is not None
            self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.running:
            self.stop()
        else:
            self.wait()


class Served:
    """`fakeapi serve` on a fixed port. A test can kill it and start it again with the same database."""

    def __init__(self, folder: Path, release: str, *options: str, tls: bool = False) -> None:
        """`tls`: whether `options` let the server serve HTTPS."""
        self.folder, self.release = folder, release
        self.kubeconfig = folder / "kubeconfig"
        self.kubelet = folder / "k"
        self.port = free_port()
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        self.api = Client(self.url)
        self._options = [
            "--release", release, "--port", str(self.port), "--db", str(folder / "state.db"),
            "--kubeconfig", str(self.kubeconfig), "--kubelet-directory", str(self.kubelet), *options,
        ]  # fmt: skip
        self._program: Program | None = None

    def start(self) -> Self:
        command = [sys.executable, "-m", "fakeapi", "serve", *self._options]
        self._program = Program(command, self.folder / "server.log")
        self._program.await_line(self.url)
        return self

    def kill(self) -> None:
        """Stops the server with SIGKILL, so that it cannot clean up."""
        assert self._program is not None
        self._program.kill()
        self.api.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.api.close()
        assert self._program is not None
        if self._program.running:
            self._program.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def told(line: str) -> dict[str, Any]:
    """Decodes a line of JSON that a driver of tests/drivers has printed."""
    fields: dict[str, Any] = json.loads(line)
    return fields
