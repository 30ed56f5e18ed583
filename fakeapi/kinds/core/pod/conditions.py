"""Reads and sets conditions in pod statuses.

Follows k8s.io/kubernetes `pkg/api/pod` (UpdatePodCondition).
"""

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import conditions

SCHEDULED = "PodScheduled"
DISRUPTION_TARGET = "DisruptionTarget"
SCHEDULING_GATED = "SchedulingGated"


def condition_of(status: Object, kind: str) -> Object | None:
    """Returns the condition of the type `kind` in a pod status; None if the pod has no such condition."""
    condition: Object | None = next(
        (entry for entry in status.get("conditions") or () if entry.get("type") == kind), None
    )
    return condition


def is_true(status: Object, kind: str) -> bool:
    """Whether a pod status has a condition of the type `kind` with the status "True"."""
    condition = condition_of(status, kind)
    return condition is not None and condition.get("status") == "True"


def with_condition(
    status: Object, kind: str, value: str, now: str | None, *, reason: str = "", message: str = ""
) -> Object:
    """Returns a pod status with a condition added or replaced.

    - `kind`: the type of the condition
    - `value`: the status of the condition
    - `now`: the lastTransitionTime if the status of the condition changes; None for an empty time. If the
      status does not change, the old time remains.
    - `reason`, `message`: further fields of the condition; "" omits the field
    """
    condition: Object = {"type": kind, "status": value, "lastProbeTime": None, "lastTransitionTime": now}
    if reason:
        condition["reason"] = reason
    if message:
        condition["message"] = message
    return {**status, "conditions": conditions.with_condition(status.get("conditions") or (), condition)}
