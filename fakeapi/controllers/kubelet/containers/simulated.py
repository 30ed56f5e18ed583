"""SimulatedRuntime: containers without processes. A Behaviour decides their exits, logs and probe results."""

import asyncio
import logging
import weakref
from collections.abc import Callable
from typing import TypeVar

from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.kubelet.containers.behaviour import NEVER, Behaviour, Exec, ExecResult
from fakeapi.controllers.kubelet.containers.behaviours import Behaviours
from fakeapi.controllers.kubelet.containers.builtin_commands import run_builtin
from fakeapi.controllers.kubelet.containers.container_log import ContainerLog
from fakeapi.controllers.kubelet.containers.runtime import (
    SIGKILL,
    CommandError,
    Container,
    ContainerExit,
    ContainerRun,
    ContainerRuntime,
    ContainerStartError,
    OnExit,
    PortConnection,
    ProbeResult,
    Streams,
)
from fakeapi.controllers.kubelet.containers.simulated_port import SimulatedPort
from fakeapi.controllers.kubelet.timers import Timer, Timers
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.printable import printable_line

log = logging.getLogger("fakeapi.controllers")

STDIN_BYTES_MAX = 1 << 20
"""Maximum number of bytes of standard input that a simulated command reads. Further input is ignored."""

KILLED = 137
_T = TypeVar("_T")


class SimulatedContainer(Container):
    """A container without a process. Its Behaviour decides its exit, logs and probe results."""

    def __init__(
        self,
        clock: Callable[[], float],
        timers: Timers,
        run: ContainerRun,
        behaviour: Behaviour,
        on_exit: OnExit,
    ) -> None:
        self.log = ContainerLog(clock)
        self._now = clock
        self._timers = timers
        self._run = run
        self._behaviour = behaviour
        self._on_exit = on_exit
        self._ended = asyncio.Event()
        self._timer: Timer | None = None
        self._started_at = clock()

    async def begin(self, started_at: float | None = None) -> None:
        """Begins a new run, or continues a run from before a restart.

        `started_at`: the start of the continued run, in seconds since the epoch; None for a new run.
        """
        self._started_at = self._now() if started_at is None else started_at
        if started_at is None:
            await self._write_logs()
        ended, after = self._planned_exit(), self._behaviour.after or 0.0
        if ended is not None and self._run.role == "init" and not after:
            self._end(ended)
        elif ended is not None and after != NEVER:
            self._end_at(self._started_at + after, ended)

    def _planned_exit(self) -> ContainerExit | None:
        behaviour = self._behaviour
        if not behaviour.exits:
            return None
        reason = behaviour.reason or ""
        code = behaviour.exit_code
        if code is None:
            code = KILLED if reason == "OOMKilled" else 0
        return ContainerExit(code, reason, behaviour.message or "")

    async def _write_logs(self) -> None:
        logs = self._behaviour.logs
        if logs is None:
            return
        if callable(logs):
            make = logs
            logs = await _in_thread(lambda: make(self._run), "")
        self.log.write(str(logs).encode())

    def _end_at(self, moment: float, ended: ContainerExit) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._timers.after(moment - self._now(), lambda: self._end(ended))

    def _end(self, ended: ContainerExit) -> None:
        if self._ended.is_set():
            return
        if self._timer is not None:
            self._timer.cancel()
        self._ended.set()
        self.log.close()
        self._on_exit(ended)

    async def stop(self, signal: int) -> None:
        if self._ended.is_set():
            return
        behaviour = self._behaviour
        seconds = behaviour.stop_after or 0.0
        code = KILLED if behaviour.stop_exit_code is None else behaviour.stop_exit_code
        if signal == SIGKILL:
            self._end(ContainerExit(KILLED))
        elif seconds == 0:
            self._end(ContainerExit(code))
        elif seconds != NEVER:
            self._end_at(self._now() + seconds, ContainerExit(code))

    def abandon(self) -> None:
        """Ends the log when the controllers stop, so that clients of `kubectl logs --follow` get the end."""
        self.log.close()

    def is_probed(self, kind: str) -> bool:
        return kind in (self._behaviour.probes or {})

    async def probe(self, kind: str, probe: Object) -> ProbeResult:
        failure = (self._behaviour.probes or {})[kind]
        age = self._now() - self._started_at
        fails = failure.after <= age and (failure.until is None or age < failure.until)
        return ProbeResult(not fails, failure.output)

    async def run_hook(self, kind: str, handler: Object) -> None:
        pass

    async def exec(self, command: list[str], streams: Streams) -> int:
        answer = self._behaviour.exec
        stdin = await _read_all(streams) if streams.has_stdin else b""
        result = (
            run_builtin(self._run, command, stdin) if answer is None else await _run(answer, command, stdin)
        )
        await streams.write("stdout", _bytes(result.stdout))
        await streams.write("stderr", _bytes(result.stderr))
        return result.exit_code

    async def attach(self, streams: Streams) -> None:
        async for line in self.log.follow(self.log.end):
            await streams.write("stderr" if line.stream == "stderr" else "stdout", line.data)

    async def connect(self, port: int) -> PortConnection:
        answer = self._behaviour.ports
        if answer is None:
            raise CommandError(f"connect: connection refused: nothing listens on port {port}")
        return SimulatedPort(port, answer)


class SimulatedRuntime(ContainerRuntime):
    """Runs every container as a SimulatedContainer, with the behaviours of the server."""

    def __init__(self, context: ControllerContext, timers: Timers) -> None:
        self._context = context
        self._timers = timers
        self._containers: weakref.WeakSet[SimulatedContainer] = weakref.WeakSet()
        self.behaviours = Behaviours.of_option(context.cluster.settings.containers)

    def takes(self, run: ContainerRun) -> bool:
        return True

    def delay(self, run: ContainerRun) -> float:
        return self.behaviours.of(run).start_after or 0.0

    async def start(self, run: ContainerRun, on_exit: OnExit) -> Container:
        behaviour = self.behaviours.of(run)
        if behaviour.start_error is not None:
            raise ContainerStartError(*behaviour.start_error)
        container = self._container(run, behaviour, on_exit)
        await container.begin()
        return container

    async def resume(self, run: ContainerRun, started_at: float, on_exit: OnExit) -> Container | None:
        container = self._container(run, self.behaviours.of(run), on_exit)
        await container.begin(started_at)
        return container

    async def close(self) -> None:
        for container in self._containers:
            container.abandon()

    def _container(self, run: ContainerRun, behaviour: Behaviour, on_exit: OnExit) -> SimulatedContainer:
        clock = self._context.clock.now
        container = SimulatedContainer(clock, self._timers, run, behaviour, on_exit)
        self._containers.add(container)
        return container


async def _run(answer: Exec, command: list[str], stdin: bytes) -> ExecResult:
    result: object = answer
    if callable(answer):
        function = answer
        failure = ExecResult(
            stderr="the function of the behaviour failed; see the server's log\n", exit_code=1
        )
        result = await _in_thread(lambda: function(command, stdin), failure)
    if isinstance(result, ExecResult):
        return result
    return ExecResult(result if isinstance(result, str | bytes) else str(result))


async def _in_thread(function: Callable[[], _T], otherwise: _T) -> _T:
    """Calls a function in another thread and returns its result.

    If the function raises an exception, logs the exception and returns `otherwise`.
    """
    try:
        return await asyncio.to_thread(function)
    except Exception as problem:  # noqa: BLE001 - the function belongs to the user
        log.warning("the function of a behaviour failed: %s", printable_line(repr(problem)))
        return otherwise


async def _read_all(streams: Streams) -> bytes:
    received = b""
    while data := await streams.read_stdin():
        received = (received + data)[:STDIN_BYTES_MAX]
    return received


def _bytes(output: str | bytes) -> bytes:
    return output.encode() if isinstance(output, str) else output
