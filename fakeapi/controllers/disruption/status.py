"""Computes the status of a PodDisruptionBudget from the pods that it selects.

Follows k8s.io/kubernetes `pkg/controller/disruption` and k8s.io/component-helpers `apps/poddisruptionbudget`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from fakeapi.controllers.workloads.pods import is_deleted, is_ready, seconds_of
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.conditions import with_condition

DELETION_SECONDS = 120.0
"""Seconds within which an evicted pod must be deleted. Afterwards, the eviction no longer counts."""

ALLOWED = "DisruptionAllowed"
SUFFICIENT, INSUFFICIENT, SYNC_FAILED = "SufficientPods", "InsufficientPods", "SyncFailed"


@dataclass(frozen=True, slots=True)
class Disrupted:
    """The evictions of a PodDisruptionBudget whose pods are not deleted yet.

    - `pods`: the time of each eviction, by the name of the pod.
    - `late`: pods that were evicted, but not deleted in time.
    - `recheck`: seconds until the next eviction is late; None without evictions.
    """

    pods: dict[str, str]
    late: list[Object]
    recheck: float | None


def disrupted_pods(budget: Object, pods: Iterable[Object], now: float) -> Disrupted:
    """Returns the evictions that still count for a PodDisruptionBudget.

    `now`: the time in seconds since the epoch.
    """
    known = (budget.get("status") or {}).get("disruptedPods") or {}
    times: dict[str, str] = {}
    late: list[Object] = []
    waits: list[float] = []
    for pod in pods:
        name = pod["metadata"]["name"]
        if is_deleted(pod) or name not in known:
            continue
        left = seconds_of(known[name]) + DELETION_SECONDS - now
        if left < 0:
            late.append(pod)
        else:
            times[name] = known[name]
            waits.append(left)
    return Disrupted(dict(sorted(times.items())), late, min(waits, default=None))


def count_healthy(pods: Iterable[Object], disrupted: Disrupted, now: float) -> int:
    """Returns the number of ready pods, without deleted and evicted pods."""
    return sum(is_ready(pod) and not is_deleted(pod) and not _is_going(pod, disrupted, now) for pod in pods)


def _is_going(pod: Object, disrupted: Disrupted, now: float) -> bool:
    time = disrupted.pods.get(pod["metadata"]["name"])
    return time is not None and seconds_of(time) + DELETION_SECONDS > now


def status_of(
    budget: Object, *, healthy: int, desired: int, expected: int, disrupted: dict[str, str], now: str
) -> Object | None:
    """Returns the new status of a PodDisruptionBudget; None if the present status is up to date.

    - `healthy`: the number of healthy pods.
    - `desired`: the number of pods that must be healthy.
    - `expected`: the number of pods that the owners want.
    - `disrupted`: the evictions that still count.
    - `now`: the time for a changed condition, in RFC 3339.
    """
    allowed = max(healthy - desired, 0) if expected > 0 else 0
    generation = budget["metadata"].get("generation", 0)
    old = budget.get("status") or {}
    new: Object = {
        "observedGeneration": generation,
        **({"disruptedPods": disrupted} if disrupted else {}),
        "disruptionsAllowed": allowed,
        "currentHealthy": healthy,
        "desiredHealthy": desired,
        "expectedPods": expected,
    }
    condition: Object = {
        "type": ALLOWED,
        "status": "True" if allowed else "False",
        "reason": SUFFICIENT if allowed else INSUFFICIENT,
        "message": "",
        "observedGeneration": generation,
        "lastTransitionTime": now,
    }
    if _equal(old, new) and _is_current(old, condition):
        return None
    return {**new, "conditions": with_condition(old.get("conditions") or (), condition)}


def failed_status(budget: Object, problem: str, now: str) -> Object:
    """Returns a status that allows no disruption. Used if the numbers of pods could not be computed."""
    old = budget.get("status") or {}
    condition: Object = {"type": ALLOWED, "status": "False", "reason": SYNC_FAILED, "message": problem}
    condition["lastTransitionTime"] = now
    if old.get("observedGeneration"):
        condition["observedGeneration"] = old["observedGeneration"]
    conditions = with_condition(old.get("conditions") or (), condition)
    return {**old, "disruptionsAllowed": 0, "conditions": conditions}


def _equal(old: Object, new: Object) -> bool:
    numbers = ("observedGeneration", "disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
    same = all((old.get(name) or 0) == new[name] for name in numbers)
    return same and (old.get("disruptedPods") or {}) == new.get("disruptedPods", {})


def _is_current(old: Object, condition: Object) -> bool:
    known = next((each for each in old.get("conditions") or () if each["type"] == ALLOWED), None)
    return known is not None and all(known.get(name) == condition[name] for name in ("status", "reason"))
