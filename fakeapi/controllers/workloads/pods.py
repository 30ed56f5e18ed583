"""Reads the state of pods for the controllers of workloads: active, ready, available, terminating.

Follows k8s.io/kubernetes `pkg/api/v1/pod` and `pkg/controller/controller_utils.go`.
"""

from collections.abc import Iterable

from fakeapi.machinery.golang import times
from fakeapi.machinery.json_types import Object

ENDED = frozenset(("Succeeded", "Failed"))


def phase(pod: Object) -> str:
    return str((pod.get("status") or {}).get("phase") or "")


def has_ended(pod: Object) -> bool:
    """Whether the phase of a pod is Succeeded or Failed."""
    return phase(pod) in ENDED


def is_deleted(obj: Object) -> bool:
    """Whether an object has a deletionTimestamp."""
    return "deletionTimestamp" in obj["metadata"]


def is_active(pod: Object) -> bool:
    """Whether a pod has not ended and is not being deleted."""
    return not has_ended(pod) and not is_deleted(pod)


def is_terminating(pod: Object) -> bool:
    """Whether a pod is being deleted and has not ended."""
    return is_deleted(pod) and not has_ended(pod)


def condition(obj: Object, kind: str) -> Object | None:
    """Returns the condition of this type in the status of an object; None without such a condition."""
    for candidate in (obj.get("status") or {}).get("conditions") or ():
        if candidate["type"] == kind:
            match: Object = candidate
            return match
    return None


def priority_of(obj: Object) -> int:
    """Returns the priority in the spec of a pod or PodGroup; 0 without a priority."""
    return int(obj["spec"].get("priority") or 0)


def is_ready(pod: Object) -> bool:
    """Whether the condition Ready of a pod is True."""
    ready = condition(pod, "Ready")
    return ready is not None and ready["status"] == "True"


def seconds_of(text: str | None) -> float:
    """Returns a metav1.Time in seconds since the epoch; 0.0 if the time is missing."""
    return times.seconds_of(text) if text else 0.0


def ready_since(pod: Object) -> float | None:
    """Returns when a pod became ready, in seconds since the epoch; None if the pod is not ready."""
    ready = condition(pod, "Ready")
    if ready is None or ready["status"] != "True":
        return None
    return seconds_of(ready.get("lastTransitionTime"))


def is_available(pod: Object, min_ready_seconds: int, now: float) -> bool:
    """Whether a pod has been ready for at least `min_ready_seconds`.

    `now`: the time in seconds since the epoch.
    """
    since = ready_since(pod)
    if since is None:
        return False
    return not min_ready_seconds or (since > 0 and since + min_ready_seconds <= now)


def seconds_until_available(pods: Iterable[Object], min_ready_seconds: int, now: float) -> float | None:
    """Returns the seconds until the next ready pod becomes available; None without such a pod."""
    waits = [
        since + min_ready_seconds - now
        for since in map(ready_since, pods)
        if since is not None and since + min_ready_seconds > now
    ]
    return min(waits, default=None)


def restarts(pod: Object) -> tuple[int, int]:
    """Returns the highest restart counts of a pod: of its regular containers, and of its init containers."""
    status = pod.get("status") or {}
    regular, init = (
        max((each.get("restartCount", 0) for each in status.get(field) or ()), default=0)
        for field in ("containerStatuses", "initContainerStatuses")
    )
    return regular, init
