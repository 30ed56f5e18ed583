"""PodState: the kubelet's state of the containers of one pod."""

from collections.abc import Callable, Iterator

import msgspec

from fakeapi.controllers.kubelet.containers.runtime import (
    Container,
    ContainerExit,
    ContainerRole,
    ContainerRun,
)
from fakeapi.controllers.kubelet.lifecycle.backoff import BackOff, BackOffLimits
from fakeapi.controllers.kubelet.timers import Timer
from fakeapi.machinery.json_types import Object

MINIMUM_GRACE = 2.0
"""Shortest time in seconds between SIGTERM and SIGKILL."""


class Stop(msgspec.Struct, eq=False):
    """The stop of a run. All times are monotonic times of the server's clock.

    - `signal_at`: when the container gets its stop signal, after the preStop handler.
    - `kill_at`: when the container gets SIGKILL.
    - `signal`: the number of the stop signal.
    - `is_in_hook`: whether the preStop handler is running.
    """

    signal_at: float
    kill_at: float
    signal: int
    is_in_hook: bool = False
    is_signalled: bool = False
    is_killed: bool = False


class ProbeState(msgspec.Struct, eq=False):
    """The results of one probe of a run. `result`: None until a success or failure threshold is reached."""

    next_at: float
    result: bool | None = None
    last: bool | None = None
    count: int = 0
    is_on_hold: bool = False


class Run(msgspec.Struct, eq=False):
    """Holds the state of one run of a container.

    - `container`: None if the run ended before the kubelet restarted.
    - `started_at` and `finished_at`: seconds since the epoch.
    - `since`: the start in monotonic time.
    """

    details: ContainerRun
    started_at: float
    since: float
    container: Container | None = None
    exit: ContainerExit | None = None
    finished_at: float = 0.0
    probes: dict[str, ProbeState] = msgspec.field(default_factory=dict)
    stop: Stop | None = None

    @property
    def is_running(self) -> bool:
        return self.exit is None

    def is_started(self) -> bool:
        """Whether the startup probe has succeeded. True for a container without a startup probe."""
        startup = self.probes.get("startup")
        return startup is None or startup.result is True

    def is_ready(self) -> bool:
        """Whether the container runs, has started, and its readiness probe succeeds or is missing."""
        readiness = self.probes.get("readiness")
        return self.is_running and self.is_started() and (readiness is None or readiness.result is True)

    def failed_probe(self) -> str:
        """Returns "liveness" or "startup" if this probe has failed; "" otherwise."""
        failed = (
            kind
            for kind in ("liveness", "startup")
            if kind in self.probes and self.probes[kind].result is False
        )
        return next(failed, "")


class ContainerState(msgspec.Struct, eq=False):
    """A container of a pod, with its last two runs.

    - `waiting`: reason and message while the next start waits or fails.
    - `start_at`: the monotonic time of the next start; None if the start is not delayed.
    - `delayed`: the last attempt whose start the runtime has delayed; -1 without such an attempt.
    - `failures`: the number of starts that failed since the last run.
    """

    spec: Object
    role: ContainerRole
    backoff: BackOff
    current: Run | None = None
    previous: Run | None = None
    waiting: tuple[str, str] | None = None
    start_at: float | None = None
    delayed: int = -1
    failures: int = 0

    @property
    def name(self) -> str:
        name: str = self.spec["name"]
        return name

    @property
    def is_running(self) -> bool:
        return self.current is not None and self.current.is_running

    @property
    def attempt(self) -> int:
        """The number of the next run; 0 if the container never ran."""
        return 0 if self.current is None else self.current.details.attempt + 1


class PodState:
    """The containers of a pod on its node.

    - `is_set_up`: whether the pod was admitted and its claims are prepared.
    - `reported`: the last status that the kubelet wrote, without times.
    - `next_start`: the monotonic time of the next start of a container.
    - `is_busy`: whether `PodContainers.advance` is probing, starting or stopping containers.
    - `is_ending`: whether all containers are being stopped.
    - `is_gone`: whether the pod was removed from the API.
    - `deadline`: the monotonic time at which activeDeadlineSeconds are over.
    - `wake`: queues the pod for its next sync.
    - `verdict`: phase, reason and message if the kubelet ends the pod, for example at its deadline; otherwise
      None.
    """

    def __init__(self, pod: Object, limits: BackOffLimits) -> None:
        self.pod = pod
        self.containers: dict[str, ContainerState] = {}
        self.is_set_up = False
        self.is_changed = False
        self.is_syncing = False
        self.reported: Object | None = None
        self.verdict: tuple[str, str, str] | None = None
        self.timer: Timer | None = None
        self.next_start: float | None = None
        self.is_busy = False
        self.is_gone = False
        self.is_ending = False
        self.deadline: float | None = None
        self.wake: Callable[[], None] | None = None
        self._limits = limits
        self.update(pod)

    @property
    def uid(self) -> str:
        uid: str = self.pod["metadata"]["uid"]
        return uid

    def update(self, pod: Object) -> None:
        """Replaces the pod by its changed version. Adds new ephemeral containers."""
        self.pod = pod
        for role, spec in containers_of(pod):
            state = self.containers.get(spec["name"])
            if state is None:
                self.containers[spec["name"]] = ContainerState(spec, role, BackOff(self._limits))
            else:
                state.spec = spec

    def of(self, *roles: ContainerRole) -> list[ContainerState]:
        """Returns the containers with one of these roles, in the order of the spec."""
        return [state for state in self.containers.values() if state.role in roles]

    def running(self) -> list[Run]:
        return [
            state.current
            for state in self.containers.values()
            if state.current is not None and state.current.is_running
        ]

    @property
    def has_regular_started(self) -> bool:
        """Whether any main container has been started."""
        return any(state.current is not None for state in self.of("main"))

    @property
    def has_run(self) -> bool:
        """Whether any container of the pod has been started."""
        return any(container.current is not None for container in self.containers.values())

    def wake_at(self, timer: Timer | None) -> None:
        """Replaces the timer that starts the next sync of the pod."""
        if self.timer is not None:
            self.timer.cancel()
        self.timer = timer

    def runs(self) -> Iterator[Run]:
        for state in self.containers.values():
            yield from (run for run in (state.previous, state.current) if run is not None)


def containers_of(pod: Object) -> Iterator[tuple[ContainerRole, Object]]:
    """Yields the containers of a pod with their roles: init, main, then ephemeral containers."""
    spec = pod["spec"]
    for container in spec.get("initContainers") or ():
        yield ("sidecar" if container.get("restartPolicy") == "Always" else "init"), container
    for container in spec["containers"]:
        yield "main", container
    for container in spec.get("ephemeralContainers") or ():
        yield "ephemeral", container
