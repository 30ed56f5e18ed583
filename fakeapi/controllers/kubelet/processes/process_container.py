"""ProcessContainer: a container that runs as a process of this machine."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from fakeapi.controllers.kubelet.containers.container_log import ContainerLog
from fakeapi.controllers.kubelet.containers.runtime import (
    CommandError,
    Container,
    ContainerExit,
    ContainerRun,
    ContainerStartError,
    OnExit,
    PortConnection,
    ProbeResult,
    Streams,
)
from fakeapi.controllers.kubelet.processes.handlers import (
    OUTPUT_BYTES_MAX,
    probe_network,
)
from fakeapi.controllers.kubelet.processes.launch_message import ProcessPlan
from fakeapi.controllers.kubelet.processes.launched import (
    KILL_SECONDS,
    LaunchedProcess,
    LaunchError,
    launch_with,
)
from fakeapi.controllers.kubelet.processes.networks import HOST
from fakeapi.controllers.kubelet.processes.output import copy_output
from fakeapi.controllers.kubelet.processes.port_connection import SocketConnection
from fakeapi.controllers.kubelet.processes.session import Captured, run_session
from fakeapi.machinery.json_types import Object

TERMINATION_MESSAGE_BYTES_MAX = 4096
"""Maximum number of bytes of a termination message, as in Kubernetes."""
LOG_MESSAGE_BYTES_MAX = 2048
LOG_MESSAGE_LINES_MAX = 80
"""Maximum size of a message from the end of the log: LOG_MESSAGE_BYTES_MAX bytes and LOG_MESSAGE_LINES_MAX
lines.

Containers with the terminationMessagePolicy FallbackToLogsOnError have such messages.
"""
DRAIN_SECONDS = 2.0
"""Seconds to read the rest of the output after the exit. Later output is lost."""


class ProcessContainer(Container):
    """A container that runs as a process. The method `start` creates the container."""

    def __init__(self, plan: ProcessPlan, log: ContainerLog, process: LaunchedProcess, message: Path) -> None:
        self.log = log
        self.network = plan.network
        self._plan = plan
        self._process = process
        self._message = message
        self._stdin: int | None = None
        self._exited = asyncio.Event()
        self._ended = asyncio.Event()
        self._sessions: set[asyncio.Task[int]] = set()
        self._watching: asyncio.Task[None] | None = None

    @property
    def run(self) -> ContainerRun:
        """The run of the container that the kubelet started."""
        return self._plan.run

    @classmethod
    async def start(cls, plan: ProcessPlan, log: ContainerLog, message: Path, on_exit: OnExit) -> Self:
        """Starts the process of a container. Raises ContainerStartError if the process cannot start.

        `message`: the file of the termination message.
        """
        launch = plan.container()
        stdin, stdin_end = os.pipe() if plan.run.container.get("stdin") else (subprocess.DEVNULL, None)
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        theirs = [out_end, err_end] + ([] if stdin_end is None else [stdin])
        ours = [out, err] + ([] if stdin_end is None else [stdin_end])
        try:
            process = await launch_with(launch, (stdin, out_end, err_end), theirs, ours)
        except LaunchError as error:
            raise ContainerStartError("RunContainerError", _start_problem(error)) from None
        container = cls(plan, log, process, message)
        container._stdin = stdin_end
        exited = container._exited
        outputs = [copy_output(out, log, "stdout", exited), copy_output(err, log, "stderr", exited)]
        container._watching = asyncio.create_task(container._watch(outputs, on_exit))
        return container

    async def _watch(self, outputs: list[Coroutine[Any, Any, None]], on_exit: OnExit) -> None:
        """Copies the output and reports the exit."""
        copying = [asyncio.create_task(output) for output in outputs]
        code, signal = await self._process.wait()
        self._exited.set()
        await asyncio.wait(copying, timeout=DRAIN_SECONDS)
        for task in copying:
            task.cancel()
        if self._stdin is not None:
            os.close(self._stdin)
            self._stdin = None
        self.log.close()
        self._ended.set()
        for session in self._sessions:
            session.cancel()
        on_exit(ContainerExit(code, message=self._termination_message(code), signal=signal))

    def _termination_message(self, code: int) -> str:
        container = self._plan.run.container
        with suppress(OSError):
            text = self._message.read_bytes()[:TERMINATION_MESSAGE_BYTES_MAX].decode(errors="replace")
            if text or code == 0 or container.get("terminationMessagePolicy") != "FallbackToLogsOnError":
                return text
        lines = [line.data for line in self.log.lines[-LOG_MESSAGE_LINES_MAX:]]
        return b"".join(lines)[-LOG_MESSAGE_BYTES_MAX:].decode(errors="replace")

    async def stop(self, signal: int) -> None:
        self._process.send_signal(signal)

    async def probe(self, kind: str, probe: Object) -> ProbeResult:
        if "exec" not in probe:
            return await probe_network(probe, self._plan.run.container, self.network)
        output = Captured(OUTPUT_BYTES_MAX)
        try:
            code = await self.exec(probe["exec"].get("command") or [], output)
        except CommandError as error:
            return ProbeResult(is_success=False, output=str(error))
        return ProbeResult(is_success=code == 0, output=output.text)

    async def run_hook(self, kind: str, handler: Object) -> None:
        if "exec" in handler:
            output = Captured(OUTPUT_BYTES_MAX)
            command = handler["exec"].get("command") or []
            code = await self.exec(command, output)
            if code:
                words = " ".join(command)
                raise CommandError(f"command '{words}' exited with {code}: {output.text}")
            return
        result = await probe_network(handler, self._plan.run.container, self.network)
        if not result.is_success:
            raise CommandError(result.output)

    async def exec(self, command: list[str], streams: Streams) -> int:
        if self._ended.is_set():
            raise CommandError("container is not running")
        if not command:
            raise CommandError("you must specify at least one command for the container")
        tty = streams.tty
        message = self._plan.session(command, self._process.pid, tty=tty)
        session = asyncio.ensure_future(run_session(message, streams, tty=tty))
        self._sessions.add(session)
        try:
            return await session
        except asyncio.CancelledError:
            session.cancel()
            if self._ended.is_set():
                raise CommandError("the container has ended") from None
            raise
        finally:
            self._sessions.discard(session)

    async def attach(self, streams: Streams) -> None:
        writing = asyncio.create_task(self._feed(streams)) if streams.has_stdin else None
        try:
            async for line in self.log.follow(self.log.end):
                await streams.write("stderr" if line.stream == "stderr" else "stdout", line.data)
        finally:
            if writing is not None:
                writing.cancel()

    async def _feed(self, streams: Streams) -> None:
        """Writes the client's input to the container.

        For `stdinOnce`, closes the container's stdin at the end of the input.
        """
        while data := await streams.read_stdin():
            while data and self._stdin is not None:
                written = await asyncio.to_thread(os.write, self._stdin, data)
                data = data[written:]
        if self._plan.run.container.get("stdinOnce") and self._stdin is not None:
            os.close(self._stdin)
            self._stdin = None

    async def connect(self, port: int) -> PortConnection:
        try:
            reader, writer = await self.network.connect(port)
        except OSError as error:
            raise CommandError(f"dial tcp4 {HOST}:{port}: connect: {error.strerror or error}") from None
        return SocketConnection(reader, writer)

    async def remove(self) -> None:
        shutil.rmtree(self._plan.directory, ignore_errors=True)

    async def kill(self) -> None:
        """Kills the process, and waits until the exit is reported."""
        self._process.kill()
        if self._watching is not None:
            await asyncio.wait([self._watching], timeout=KILL_SECONDS + DRAIN_SECONDS)
            self._watching.cancel()
        await self.remove()


def _start_problem(error: LaunchError) -> str:
    """Returns the error message of a failed start, in the wording of a container runtime."""
    return (
        "failed to create containerd task: failed to create shim task: OCI runtime create failed: unable to "
        f"start container process: {error}"
    )
