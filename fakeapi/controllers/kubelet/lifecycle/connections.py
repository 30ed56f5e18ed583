"""ContainerConnections: connects API clients to the containers of one pod, for logs, exec, attach and
port-forward.

Follows validateContainerLogStatus in k8s.io/kubernetes `pkg/kubelet/kubelet_pods.go`, and the handlers of
`pkg/kubelet/server`.
"""

from collections.abc import AsyncGenerator, Sequence

from fakeapi.controllers.kubelet.containers.log_reading import read_log
from fakeapi.controllers.kubelet.containers.runtime import Container
from fakeapi.controllers.kubelet.lifecycle.state import ContainerState, PodState, Run
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.node_connections import CommandError, LogOptions, PortConnection, Streams

_PULLS = {
    "ErrImagePull": "image can't be pulled",
    "ImagePullBackOff": "trying and failing to pull image",
}


class ContainerConnections:
    """Connects API clients to the containers of one pod.

    `state` is None before the kubelet's first sync of the pod.
    """

    def __init__(self, pod: Object, state: PodState | None) -> None:
        self._pod = pod
        self._state = state

    def log(self, container: str, options: LogOptions) -> AsyncGenerator[Sequence[bytes], None]:
        run = self._logged(container, previous=options.previous)
        if run.container is None:
            raise errors.bad_request(f"unable to retrieve container logs for fakeapi://{run.details.id}")
        return read_log(run.container.log, options)

    async def exec(self, container: str, command: list[str], streams: Streams) -> int:
        return await self._running(container).exec(command, streams)

    async def attach(self, container: str, streams: Streams) -> None:
        await self._running(container).attach(streams)

    async def connect(self, port: int) -> PortConnection:
        problem: CommandError | None = None
        for state in sorted(self._containers(), key=lambda each: not _declares(each, port)):
            run = state.current
            if run is None or not run.is_running or run.container is None:
                continue
            try:
                return await run.container.connect(port)
            except CommandError as error:
                problem = problem or error
        raise problem or CommandError(f"pod {self._name} is not running")

    @property
    def _name(self) -> str:
        name: str = self._pod["metadata"]["name"]
        return name

    def _containers(self) -> list[ContainerState]:
        return [] if self._state is None else list(self._state.containers.values())

    def _logged(self, name: str, *, previous: bool) -> Run:
        """Returns the run whose log a client requested.

        Raises ApiError 400 if the container has no such run.
        """
        state = None if self._state is None else self._state.containers.get(name)
        where = f"container {quote(name)} in pod {quote(self._name)}"
        if previous:
            last = None if state is None else _previous(state)
            if last is None:
                raise errors.bad_request(f"previous terminated {where} not found")
            return last
        if state is None or state.current is None:
            reason = "ContainerCreating" if state is None or state.waiting is None else state.waiting[0]
            raise errors.bad_request(f"{where} is waiting to start: {_PULLS.get(reason, reason)}")
        return state.current

    def _running(self, name: str) -> Container:
        state = None if self._state is None else self._state.containers.get(name)
        if state is None or state.current is None or not state.current.is_running:
            raise _not_found(name)
        if state.current.container is None:
            raise _not_found(name)
        return state.current.container


def _previous(state: ContainerState) -> Run | None:
    """Returns the previous run of a container.

    While the container waits to restart, this is the last ended run. None if no such run exists.
    """
    if state.current is not None and not state.current.is_running and state.waiting is not None:
        return state.current
    return state.previous


def _declares(state: ContainerState, port: int) -> bool:
    return any(each.get("containerPort") == port for each in state.spec.get("ports") or ())


def _not_found(name: str) -> ApiError:
    return ApiError(500, "InternalError", f"Internal error occurred: container not found ({quote(name)})")
