"""Checks binding conditions: device conditions that must be True before a pod is bound to its node.

Follows k8s.io/kubernetes `pkg/scheduler/framework/plugins/dynamicresources` since 1.34. Claims are in the
layout of resource.k8s.io/v1.
"""

from collections.abc import Iterable, Iterator

from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.golang.times import seconds_of
from fakeapi.machinery.json_types import Object

TIMEOUT_SECONDS = 600.0
"""Maximum seconds that an allocation waits for binding conditions (DynamicResourcesArgs.bindingTimeout)."""


class BindingFailure(Exception):
    """Raised if the binding conditions of a claim failed or timed out. The message follows kube-scheduler."""


def have_conditions(claims: Iterable[Object]) -> bool:
    """Whether any allocated device of these claims has binding conditions."""
    return any(result.get("bindingConditions") for claim in claims for result in _results(claim))


def are_ready(claims: Iterable[Object], now: float, *, names_claim_first: bool) -> bool:
    """Whether the binding conditions of all claims are True.

    - `now`: the time in seconds since the epoch.
    - `names_claim_first`: whether to use the error messages of releases before 1.36.

    Raises BindingFailure if a binding failure condition is True, or if the binding timeout of a claim has
    passed.
    """
    for claim in claims:
        name = claim["metadata"]["name"]
        failure = _failure(claim)
        if failure is not None:
            why = f"reason={failure.get('reason', '')}, message={quote(failure.get('message', ''))}"
            if names_claim_first:
                raise BindingFailure(f"claim {name} binding failed: {why}")
            raise BindingFailure(f"device binding failed: claim={name}, {why}")
        if not _is_ready(claim):
            if is_overdue(claim, now):
                if names_claim_first:
                    raise BindingFailure(f"claim {name} binding timeout")
                raise BindingFailure(f"device binding timeout: claim={name}")
            return False
    return True


def is_hopeless(claim: Object, now: float) -> bool:
    """Whether the binding conditions of an allocated claim failed or timed out.

    `now`: the time in seconds since the epoch.
    """
    return _failure(claim) is not None or (not _is_ready(claim) and is_overdue(claim, now))


def is_overdue(claim: Object, now: float) -> bool:
    """Whether the binding timeout of a claim has passed. Always false without binding conditions, and without
    allocationTimestamp. `now`: the time in seconds since the epoch.
    """
    since = (claim["status"].get("allocation") or {}).get("allocationTimestamp")
    if since is None or not have_conditions([claim]):
        return False
    return seconds_of(since) + TIMEOUT_SECONDS <= now


def _results(claim: Object) -> Iterator[Object]:
    allocation = claim["status"].get("allocation") or {}
    yield from (allocation.get("devices") or {}).get("results") or ()


def _conditions(claim: Object, result: Object) -> dict[str, Object] | None:
    """Returns the conditions of an allocated device, by type; None if the claim's status lacks the device.

    `result`: the allocation result of the device.
    """
    for status in claim["status"].get("devices") or ():
        if all(status[key] == result[key] for key in ("driver", "pool", "device")) and (
            status.get("shareID") == result.get("shareID")
        ):
            return {condition["type"]: condition for condition in status.get("conditions") or ()}
    return None


def _failure(claim: Object) -> Object | None:
    """Returns the first binding failure condition of a claim's devices that is True; None without a failure.

    Checks the devices in order. Stops at a device that is not ready: it has no status in the claim, or its
    binding conditions are not all True.
    """
    for result in _results(claim):
        if not result.get("bindingConditions"):
            continue
        conditions = _conditions(claim, result)
        if conditions is None:
            return None
        for name in result.get("bindingFailureConditions") or ():
            if (conditions.get(name) or {}).get("status") == "True":
                return conditions[name]
        if not _all_true(conditions, result):
            return None
    return None


def _is_ready(claim: Object) -> bool:
    if "allocation" not in claim["status"]:
        return False
    for result in _results(claim):
        if result.get("bindingConditions"):
            conditions = _conditions(claim, result)
            if conditions is None or not _all_true(conditions, result):
                return False
    return True


def _all_true(conditions: dict[str, Object], result: Object) -> bool:
    return all((conditions.get(name) or {}).get("status") == "True" for name in result["bindingConditions"])
