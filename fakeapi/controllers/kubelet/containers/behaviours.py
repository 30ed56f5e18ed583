"""Behaviours: holds the behaviours of a server's simulated containers.

Sources are options, calls and pod annotations.
"""

import logging
from collections.abc import Iterable, Iterator

from fakeapi.controllers.kubelet.containers.behaviour import Behaviour, BehaviourError, behaviour_of
from fakeapi.controllers.kubelet.containers.behaviour_reading import (
    BEHAVIOURS_MAX,
    read_behaviours,
    read_text,
)
from fakeapi.controllers.kubelet.containers.plain_commands import plain_behaviour
from fakeapi.controllers.kubelet.containers.runtime import ContainerRun
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.printable import printable_line

log = logging.getLogger("fakeapi.controllers")

ANNOTATION = "fakeapi/behaviour"
"""The annotation of a pod with the behaviours of its containers, as YAML or JSON."""


class Behaviours:
    """The behaviours of the simulated containers of a server, oldest first."""

    def __init__(self, initial: Iterable[Behaviour] = ()) -> None:
        self._all: tuple[Behaviour, ...] = tuple(initial)

    @staticmethod
    def of_option(source: object) -> "Behaviours":
        """Returns the behaviours of the option `containers`. Raises BehaviourError if a behaviour is
        invalid.
        """
        return Behaviours(read_behaviours(source))

    def __iter__(self) -> Iterator[Behaviour]:
        return iter(self._all)

    def add(self, behaviours: Iterable[Behaviour]) -> None:
        """Adds behaviours that take precedence over earlier behaviours. Running containers keep their
        behaviour.

        Raises BehaviourError if the server would have more than BEHAVIOURS_MAX behaviours.
        """
        added = (*self._all, *behaviours)
        if len(added) > BEHAVIOURS_MAX:
            raise BehaviourError(f"more than {BEHAVIOURS_MAX} behaviours")
        self._all = added

    def clear(self) -> None:
        """Removes all behaviours."""
        self._all = ()

    def of(self, run: ContainerRun) -> Behaviour:
        """Returns the behaviour of a run of a container.

        The pod's annotation takes precedence over all other behaviours.
        """
        return behaviour_of(run, (default_behaviour(run), *self._all, *_annotated(run.pod)))


def default_behaviour(run: ContainerRun) -> Behaviour:
    """Returns the default behaviour, which runs no command.

    - Init containers exit at once, with code 0.
    - The main containers of a Job do the same, unless their command is simple, such as `sleep 5` or
      `sh -c "exit 1"`. Their duration and exit code are then those of the command.
    - All other containers run until they are stopped.
    """
    owners = run.pod["metadata"].get("ownerReferences") or ()
    is_job = any(owner.get("controller") and owner.get("kind") == "Job" for owner in owners)
    if run.role == "main" and is_job:
        command = [*(run.container.get("command") or ()), *(run.container.get("args") or ())]
        return plain_behaviour(command) or Behaviour(after=0.0, exit_code=0)
    if run.role == "init":
        return Behaviour(after=0.0, exit_code=0)
    return Behaviour()


def _annotated(pod: Object) -> list[Behaviour]:
    text = (pod["metadata"].get("annotations") or {}).get(ANNOTATION)
    if not text:
        return []
    try:
        return read_text(text)
    except BehaviourError as problem:
        metadata = pod["metadata"]
        log.warning(
            "pod %s/%s: annotation %s is ignored: %s",
            metadata["namespace"],
            metadata["name"],
            ANNOTATION,
            printable_line(problem),
        )
        return []
