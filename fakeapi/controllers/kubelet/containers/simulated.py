"""SimulatedRuntime: containers without processes, which run until they are stopped."""

import asyncio

from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.kubelet.containers.container_log import ContainerLog
from fakeapi.controllers.kubelet.containers.runtime import (
    SIGKILL,
    SIGTERM,
    CommandError,
    Container,
    ContainerExit,
    ContainerRun,
    ContainerRuntime,
    OnExit,
    PortConnection,
    ProbeResult,
    Streams,
)
from fakeapi.controllers.kubelet.timers import Timers
from fakeapi.machinery.json_types import Object

_KILLED = 137


class SimulatedContainer(Container):
    """A container without a process. By default, an init container ends at once, with exit code 0."""

    def __init__(self, context: ControllerContext, run: ContainerRun, on_exit: OnExit) -> None:
        self.log = ContainerLog(context.clock.now)
        self._on_exit = on_exit
        self._ended = asyncio.Event()
        if run.role == "init":
            self._end(ContainerExit(0))

    def _end(self, ended: ContainerExit) -> None:
        if not self._ended.is_set():
            self._ended.set()
            self.log.close()
            self._on_exit(ended)

    async def stop(self, signal: int) -> None:
        if signal in {SIGTERM, SIGKILL}:
            self._end(ContainerExit(_KILLED))

    def is_probed(self, kind: str) -> bool:
        return False

    async def probe(self, kind: str, probe: Object) -> ProbeResult:
        return ProbeResult(is_success=True)

    async def run_hook(self, kind: str, handler: Object) -> None:
        pass

    async def exec(self, command: list[str], streams: Streams) -> int:
        raise CommandError("the container is simulated and runs no commands")

    async def attach(self, streams: Streams) -> None:
        await self._ended.wait()

    async def connect(self, port: int) -> PortConnection:
        raise CommandError(f"the container is simulated and does not listen on port {port}")


class SimulatedRuntime(ContainerRuntime):
    """Runs every container as a SimulatedContainer."""

    def __init__(self, context: ControllerContext, timers: Timers) -> None:
        self._context = context
        self._timers = timers

    def takes(self, run: ContainerRun) -> bool:
        return True

    async def start(self, run: ContainerRun, on_exit: OnExit) -> Container:
        return SimulatedContainer(self._context, run, on_exit)

    async def resume(self, run: ContainerRun, started_at: float, on_exit: OnExit) -> Container | None:
        return SimulatedContainer(self._context, run, on_exit)
