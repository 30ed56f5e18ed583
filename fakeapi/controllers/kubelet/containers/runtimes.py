"""Runtimes: chooses the runtime of each container."""

from collections.abc import Callable

from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.kubelet.containers.runtime import ContainerRun, ContainerRuntime
from fakeapi.controllers.kubelet.containers.simulated import SimulatedRuntime
from fakeapi.controllers.kubelet.processes.process_runtime import ProcessRuntime
from fakeapi.controllers.kubelet.timers import Timers

MakeRuntime = Callable[[ControllerContext], ContainerRuntime]

MAKERS: tuple[MakeRuntime, ...] = (ProcessRuntime,)
"""The functions that create the container runtimes of a server, in the order of precedence.

The SimulatedRuntime comes last and runs all remaining containers.
"""


class Runtimes:
    """The container runtimes of a server, shared by its nodes."""

    def __init__(self, context: ControllerContext, timers: Timers) -> None:
        self.simulated = SimulatedRuntime(context, timers)
        self._runtimes: list[ContainerRuntime] = [*(make(context) for make in MAKERS), self.simulated]

    def of(self, run: ContainerRun) -> ContainerRuntime:
        """Returns the first runtime that accepts a container. The last runtime accepts every container."""
        return next(runtime for runtime in self._runtimes if runtime.takes(run))

    async def close(self) -> None:
        """Ends all containers."""
        for runtime in self._runtimes:
            await runtime.close()
