"""LaunchedProcess: a process that a launcher has started, with methods for the server's event loop."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from fakeapi.controllers.kubelet.processes.launcher.supervisor import MESSAGE_BYTES_MAX

START_SECONDS = 60.0
"""Maximum seconds for a launcher to start its process. After this time, the start fails."""
KILL_SECONDS = 5.0
"""Maximum seconds for a killed process to end, before the server stops waiting for it."""
SIGKILL = 9

_ROOT = str(Path(__file__).parents[4])
"""The directory from which the launcher imports this package."""
_CODE = (
    "import sys; sys.path.insert(0, sys.argv.pop()); "
    "from fakeapi.controllers.kubelet.processes.launcher.main import run; run()"
)


class LaunchError(Exception):
    """Raised if a process cannot start. The message names the reason."""


class LaunchedProcess:
    """A process in the namespaces of a container. `pid`: its process ID on this machine."""

    def __init__(
        self,
        launcher: subprocess.Popen[bytes],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        pid: int,
    ) -> None:
        self._launcher = launcher
        self._reader = reader
        self._writer = writer
        self.pid = pid

    @classmethod
    async def launch(cls, message: dict[str, Any], files: tuple[int, int, int]) -> Self:
        """Starts a launcher and waits until it has started the process that `message` describes.

        `files`: the file descriptors for stdin, stdout and stderr, or subprocess.DEVNULL. Raises LaunchError
        if the process cannot start. A cancelled call ends the launcher.
        """
        line = json.dumps(message).encode() + b"\n"
        if len(line) > MESSAGE_BYTES_MAX:
            raise LaunchError(f"the container's configuration is longer than {MESSAGE_BYTES_MAX} bytes")
        launcher, ours = start_launcher(files)
        ours.setblocking(False)
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        try:
            writer.write(line)
            async with asyncio.timeout(START_SECONDS):
                answer = await _read(reader)
        except TimeoutError:
            await _end(launcher, writer)
            raise LaunchError(f"the process did not start within {START_SECONDS:.0f} s") from None
        except BaseException:
            await _end(launcher, writer)
            raise
        if "started" not in answer:
            await _end(launcher, writer)
            raise LaunchError(answer.get("error") or "the launcher ended before the process started")
        return cls(launcher, reader, writer, answer["started"])

    def send_signal(self, number: int) -> None:
        """Sends a signal to the process. Does nothing after its exit."""
        if not self._writer.is_closing():
            self._writer.write(json.dumps({"signal": number}).encode() + b"\n")

    def kill(self) -> None:
        """Kills the process, and all processes of its PID namespace."""
        self.send_signal(SIGKILL)

    async def wait(self) -> tuple[int, int]:
        """Waits for the exit of the process. Returns its exit code, and the signal that ended it or 0.

        After a signal, the exit code is 128 plus the signal's number. A cancelled call kills the process.
        """
        try:
            answer = await _read(self._reader)
        finally:
            await _end(self._launcher, self._writer)
        return answer.get("exited", 128 + SIGKILL), answer.get("signal", SIGKILL)


async def launch_with(
    message: dict[str, Any], files: tuple[int, int, int], theirs: Iterable[int], ours: Iterable[int]
) -> LaunchedProcess:
    """Launches a process like `LaunchedProcess.launch`, and closes file descriptors of this process.

    `theirs`: descriptors to close in any case. `ours`: descriptors to close if the process does not start.
    Raises LaunchError in this case.
    """
    try:
        return await LaunchedProcess.launch(message, files)
    except BaseException:
        _close(ours)
        raise
    finally:
        _close(theirs)


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


async def _read(reader: asyncio.StreamReader) -> dict[str, Any]:
    """Returns the next message of a launcher; an empty dictionary if the launcher has ended."""
    with suppress(OSError, ValueError):
        line = await reader.readline()
        if line:
            message: dict[str, Any] = json.loads(line)
            return message
    return {}


async def _end(launcher: subprocess.Popen[bytes], writer: asyncio.StreamWriter) -> None:
    """Closes the control socket and waits for the launcher's exit. The launcher kills its process first."""
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    loop = asyncio.get_running_loop()
    ended = loop.run_in_executor(None, launcher.wait)
    finished, _ = await asyncio.wait([ended], timeout=KILL_SECONDS)
    if not finished:
        launcher.kill()
        await ended


def start_launcher(files: tuple[int, int, int]) -> "tuple[subprocess.Popen[bytes], socket.socket]":
    """Starts a launcher; returns its process and the server's end of the control socket.

    `files`: the file descriptors for stdin, stdout and stderr. Raises LaunchError if the launcher cannot
    start.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            return _popen(theirs.fileno(), files), ours
        except OSError as error:
            ours.close()
            raise LaunchError(f"the launcher cannot start: {error}") from None


def _popen(control: int, files: tuple[int, int, int]) -> subprocess.Popen[bytes]:
    stdin, stdout, stderr = files
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _CODE, str(control), _ROOT],
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=(control,),
        cwd="/",
        env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"},
        start_new_session=True,
    )
