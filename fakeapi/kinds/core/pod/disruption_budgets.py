"""Decides which pods a PodDisruptionBudget covers. Updates the budget's status after an eviction.

Follows checkAndDecrement of k8s.io/kubernetes `pkg/registry/core/pod/storage/eviction.go`.
"""

from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Cause, Details, Qualified
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import label_selector
from fakeapi.machinery.meta.conditions import with_condition
from fakeapi.releases import Gates, Quirks

GROUP, RESOURCE = "policy", "poddisruptionbudgets"
DISRUPTED_PODS_MAX = 2000
"""Maximum number of evictions that the disruption controller has not confirmed. Further evictions get 403."""

_QUALIFIED = Qualified(GROUP, "poddisruptionbudget")
_CAUSE = "DisruptionBudget"
_REFUSAL = "Cannot evict pod as it would violate the pod's disruption budget."
_ALLOWED = "DisruptionAllowed"
_STILL = "does not allow evicting pods currently"


def counts_for(budget: Object, pod: Object) -> bool:
    """Whether the selector of a PodDisruptionBudget matches a pod. An invalid selector matches no pod."""
    try:
        selector = label_selector.of_object(budget["spec"].get("selector"))
    except ValueError:
        return False
    return selector is not None and selector.matches(pod["metadata"].get("labels") or {})


def protects_unready(budget: Object, gates: Gates) -> bool:
    """Whether the eviction of an unready pod counts against a PodDisruptionBudget."""
    policy = budget["spec"].get("unhealthyPodEvictionPolicy")
    if policy == "AlwaysAllow" and gates.enabled("PDBUnhealthyPodEvictionPolicy"):
        return False
    status = budget["status"]
    current, desired = int(status["currentHealthy"]), int(status["desiredHealthy"])
    return current < desired or desired <= 0


def taken_from(budget: Object, pod_name: str, now: str, quirks: Quirks) -> Object:
    """Returns the status of a PodDisruptionBudget after the eviction of the pod `pod_name`.

    Raises ApiError:

    - 403: disruptionsAllowed is negative, or too many earlier evictions are unconfirmed
    - 429: the budget does not allow the eviction now
    """
    name, status = budget["metadata"]["name"], budget["status"]
    if (status.get("observedGeneration") or 0) < (budget["metadata"].get("generation") or 0):
        raise still_processed(name)
    if status["disruptionsAllowed"] < 0:
        raise _forbidden(name, "pdb disruptions allowed is negative", "", quirks)
    if len(status.get("disruptedPods") or {}) > DISRUPTED_PODS_MAX:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        short = "too many pending evictions not confirmed by PDB controller"
        raise _forbidden(name, why, short, quirks)
    if status["disruptionsAllowed"] == 0:
        raise _refused(0, _why_not(name, status, quirks))
    new_status = {**status, "disruptionsAllowed": status["disruptionsAllowed"] - 1}
    if not new_status["disruptionsAllowed"]:
        new_status["conditions"] = _with_insufficient_pods(new_status, now)
    disrupted = {**(status.get("disruptedPods") or {}), pod_name: now}
    new_status["disruptedPods"] = dict(sorted(disrupted.items()))
    return new_status


def still_processed(name: str) -> ApiError:
    """Returns ApiError 429 for a PodDisruptionBudget whose status is older than its spec."""
    return _refused(10, f"The disruption budget {name} is still being processed by the server.")


def _refused(seconds: int, cause: str) -> ApiError:
    details = Details(causes=(Cause(_CAUSE, cause),), retry_after_seconds=seconds)
    return ApiError(429, "TooManyRequests", _REFUSAL, details, retry_after=seconds or None)


def _forbidden(name: str, why: str, short: str, quirks: Quirks) -> ApiError:
    text = f"The disruption budget {name} {_STILL}: {short or why}"
    causes = (Cause(_CAUSE, text),) if quirks.forbidden_evictions_have_causes else ()
    return errors.forbidden(_QUALIFIED, name, why, *causes)


def _why_not(name: str, status: Object, quirks: Quirks) -> str:
    desired, current = status["desiredHealthy"], status["currentHealthy"]
    too_few = f"The disruption budget {name} needs {desired} healthy pods and has {current} currently"
    if not quirks.eviction_refusals_explain:
        return too_few
    conditions: list[Object] = status.get("conditions") or []
    condition: Object = next((entry for entry in conditions if entry.get("type") == _ALLOWED), {})
    message, reason = condition.get("message", ""), condition.get("reason", "")
    if condition.get("status") != "False":
        message = ""
    if message and reason == "SyncFailed":
        return f"The disruption budget {name} {_STILL} because it failed sync: {message}"
    if current <= desired:
        return too_few
    return f"The disruption budget {name} {_STILL}" + (f" ({reason}): {message}" if message else "")


def _with_insufficient_pods(status: Object, now: str) -> list[Object]:
    condition: Object = {"type": _ALLOWED, "status": "False"}
    if status.get("observedGeneration"):
        condition["observedGeneration"] = status["observedGeneration"]
    condition |= {"lastTransitionTime": now, "reason": "InsufficientPods", "message": ""}
    return with_condition(status.get("conditions") or (), condition)
