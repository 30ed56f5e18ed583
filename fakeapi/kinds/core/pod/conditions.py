"""Conditions of pods that the API server itself sets.

Follows k8s.io/kubernetes `pkg/api/pod` (UpdatePodCondition).
"""

from fakeapi.machinery.json_types import Object

SCHEDULED = "PodScheduled"
DISRUPTION_TARGET = "DisruptionTarget"
SCHEDULING_GATED = "SchedulingGated"


def condition_of(status: Object, kind: str) -> Object | None:
    """The condition of that type; None where the status has none."""
    found: Object | None = next(
        (each for each in status.get("conditions") or () if each.get("type") == kind), None
    )
    return found


def is_true(status: Object, kind: str) -> bool:
    """Whether the condition of that type is there and "True"."""
    found = condition_of(status, kind)
    return found is not None and found.get("status") == "True"


def with_condition(
    status: Object, kind: str, value: str, now: str | None, *, reason: str = "", message: str = ""
) -> Object:
    """`status` with the condition, which keeps the time of its last transition if its value is the same."""
    conditions: list[Object] = list(status.get("conditions") or ())
    place = next((at for at, each in enumerate(conditions) if each.get("type") == kind), len(conditions))
    old = conditions[place] if place < len(conditions) else {}
    since = old.get("lastTransitionTime") if old.get("status") == value else now
    made: Object = {"type": kind, "status": value, "lastProbeTime": None, "lastTransitionTime": since}
    if reason:
        made["reason"] = reason
    if message:
        made["message"] = message
    conditions[place : place + 1] = [made]
    return {**status, "conditions": conditions}
