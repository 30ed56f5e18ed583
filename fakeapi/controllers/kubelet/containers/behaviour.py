"""Behaviour: describes the results of simulated containers, such as exit codes, logs and probe failures."""

from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase

import msgspec
from msgspec.structs import replace

from fakeapi.controllers.kubelet.containers.runtime import ContainerRun


class BehaviourError(ValueError):
    """Raised for a behaviour that is not valid. The message is one line and names the field."""


class ExecResult(msgspec.Struct, frozen=True):
    """The result of a command in a container."""

    stdout: str | bytes = ""
    stderr: str | bytes = ""
    exit_code: int = 0


class ProbeFailure(msgspec.Struct, frozen=True):
    """A period in which a probe fails. All times are seconds since the start of the run.

    `until`: the end of the period; None if the probe fails until the run ends. `output`: the probe's error
    text.
    """

    after: float = 0.0
    until: float | None = None
    output: str = ""


NEVER = float("inf")
"""Value of `after` or `stop_after` for a container that does not exit."""

Logs = str | Callable[[ContainerRun], str]
Exec = str | ExecResult | Callable[[list[str], bytes], str | bytes | ExecResult]
Ports = str | Callable[[int, bytes], bytes]


class Behaviour(msgspec.Struct, frozen=True, kw_only=True):
    """Describes how the selected containers behave. A field that is None changes nothing.

    The first fields select containers. `image`, `container`, `pod` and `namespace` are patterns such as
    "crash:*". `labels` are labels of the pod. `attempts` limits the behaviour to the first runs of a
    container.

    - `start_after`: seconds before the container starts, such as the time to pull its image.
    - `start_error`: the reason and the message of a failed start.
    - `after`: seconds from the start to the exit; NEVER if the container runs until it is stopped.
    - `exit_code`, `reason` and `message`: the result of the exit. The reason OOMKilled has the exit code 137.
    - `stop_after`: seconds from the stop signal to the exit; NEVER if only SIGKILL ends the container.
    - `stop_exit_code`: the exit code after the stop signal.
    - `probes`: the failures by kind of probe. The kubelet does not run probes of other kinds.
    - `logs`: the output of each run, or a function that returns the output.
    - `exec`: the output of all commands, or a function of the command and its standard input.
    - `ports`: the reply on all ports, or a function of the port and the received bytes.
    """

    image: str = "*"
    container: str = "*"
    pod: str = "*"
    namespace: str = "*"
    labels: Mapping[str, str] = msgspec.field(default_factory=dict)
    attempts: int | None = None
    start_after: float | None = None
    start_error: tuple[str, str] | None = None
    after: float | None = None
    exit_code: int | None = None
    reason: str | None = None
    message: str | None = None
    stop_after: float | None = None
    stop_exit_code: int | None = None
    probes: Mapping[str, ProbeFailure] | None = None
    logs: Logs | None = None
    exec: Exec | None = None
    ports: Ports | None = None

    def selects(self, run: ContainerRun) -> bool:
        """Whether the behaviour applies to a run of a container."""
        metadata = run.pod["metadata"]
        labels = metadata.get("labels") or {}
        return (
            (self.attempts is None or run.attempt < self.attempts)
            and fnmatchcase(run.image, self.image)
            and fnmatchcase(run.name, self.container)
            and fnmatchcase(metadata["name"], self.pod)
            and fnmatchcase(metadata["namespace"], self.namespace)
            and all(labels.get(name) == value for name, value in self.labels.items())
        )

    def over(self, other: "Behaviour") -> "Behaviour":
        """Returns a copy of `other` with the fields that this behaviour sets."""
        changes = {name: value for name in ACTIONS if (value := getattr(self, name)) is not None}
        return replace(other, **changes)

    @property
    def exits(self) -> bool:
        """Whether the behaviour makes the container exit without a stop signal."""
        return self.after is not None or self.exit_code is not None or self.reason is not None


SELECTORS = ("image", "container", "pod", "namespace", "labels", "attempts")
ACTIONS = tuple(name for name in Behaviour.__struct_fields__ if name not in SELECTORS)


def behaviour_of(run: ContainerRun, behaviours: Iterable[Behaviour]) -> Behaviour:
    """Returns the combined behaviour of all behaviours that select a run.

    For each field, the last behaviour that sets the field takes precedence.
    """
    result = Behaviour()
    for behaviour in behaviours:
        if behaviour.selects(run):
            result = behaviour.over(result)
    return result
