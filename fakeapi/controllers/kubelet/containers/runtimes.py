"""Runtimes: chooses the runtime of each container."""

from collections.abc import Callable, Sequence

from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.kubelet.containers.runtime import ContainerRun, ContainerRuntime
from fakeapi.controllers.kubelet.containers.simulated import SimulatedRuntime

MakeRuntime = Callable[[ControllerContext], ContainerRuntime]

MAKERS: tuple[MakeRuntime, ...] = (SimulatedRuntime,)
"""The makers of the container runtimes of a server, in the order of precedence.

The last runtime takes every container.
"""


class Runtimes:
    """The container runtimes of a server, shared by its nodes."""

    def __init__(self, context: ControllerContext, makers: Sequence[MakeRuntime] = MAKERS) -> None:
        self._runtimes = [make(context) for make in makers]

    def of(self, run: ContainerRun) -> ContainerRuntime:
        """Returns the first runtime that takes a container."""
        return next(runtime for runtime in self._runtimes if runtime.takes(run))

    async def close(self) -> None:
        """Ends all containers."""
        for runtime in self._runtimes:
            await runtime.close()
