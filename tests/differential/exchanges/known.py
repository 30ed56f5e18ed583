"""Known differences between fakeapi and kube-apiserver, each with its reason."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tests.differential.exchanges.comparing import ORDER


@dataclass(frozen=True, slots=True)
class Known:
    """A difference that no mistake of fakeapi causes.

    - `pattern`: matches the whole description of the difference
    - `reason`: why the two servers may differ
    """

    name: str
    pattern: str
    reason: str


def _order(*kinds: str) -> str:
    """Returns the pattern of an error with the same causes in another order. `kinds`: the refused kinds."""
    return rf"{re.escape(ORDER)}: recorded '(?:{'|'.join(kinds)})', got .*"


KNOWN: tuple[Known, ...] = (
    Known(
        "order-of-metric-sources",
        _order("HorizontalPodAutoscaler"),
        "The rule about several metric sources of a HorizontalPodAutoscaler walks a Go map, in any order.",
    ),
    Known(
        "order-of-container-resources",
        _order(
            "Pod",
            "Deployment",
            "DaemonSet",
            "ReplicaSet",
            "StatefulSet",
            "Job",
            "CronJob",
            "PodTemplate",
            "ReplicationController",
        ),
        "The rules about resources of containers (ValidateResourceRequirements) walk Go maps, in any order.",
    ),
    Known(
        "order-of-limits",
        _order("LimitRange"),
        "The rules of a LimitRange walk Go maps of resources, in any order.",
    ),
)


def named(lines: Iterable[str], known: Iterable[Known] = KNOWN) -> list[str]:
    """Returns the names of the known differences that explain all lines; [] if a line has no explanation."""
    names = []
    for line in lines:
        entry = next((each for each in known if re.fullmatch(each.pattern, line, re.DOTALL)), None)
        if entry is None:
            return []
        names.append(entry.name)
    return names
