"""Charges: calculates how a write changes the usage of each ResourceQuota, or rejects the write.

Follows CheckRequest in k8s.io/apiserver `pkg/admission/plugin/resourcequota`, and `Matches` in
`pkg/quota/v1/generic`. A namespace without quotas has no limits.
"""

from collections.abc import Iterable, Sequence

from fakeapi.admission.plugins.resource_quota import amounts
from fakeapi.admission.plugins.resource_quota.evaluators import Evaluator, ScopeSelector
from fakeapi.kinds.common.pod_resources import Resources, added
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes


def charges(quotas: Iterable[Object], attributes: Attributes, evaluator: Evaluator) -> dict[str, Resources]:
    """Returns the new usage of each ResourceQuota that a write changes, by the name of the quota.

    Raises ApiError 403 in these cases:

    - The write exceeds a quota.
    - The object does not set an amount that a quota requires, such as the memory of a container.
    - The status of a quota does not show its present usage yet.
    - The usage of the object is negative.
    """
    obj = attributes.new_object()
    concerned = [quota for quota in quotas if is_about(quota, obj, evaluator)]
    for quota in concerned:
        _check(quota, attributes, evaluator)
    usage = evaluator.usage(obj)
    below = amounts.negative(usage)
    if below:
        names = amounts.printed_names(below)
        raise attributes.forbidden(f"quota usage is negative for resource(s): {names}")
    changes: dict[str, Resources] = {}
    for quota in concerned:
        status = quota["status"]
        more = amounts.without_zeros(_more(quota, usage, attributes, evaluator))
        requested = amounts.masked(more, status["hard"])
        used = status.get("used") or {}
        new = added(used, requested)
        if attributes.subresource != "status":
            _check_bounds(quota, requested, new, attributes)
        if not amounts.are_equal(used, new):
            changes[quota["metadata"]["name"]] = new
    return changes


def is_about(quota: Object, obj: Object, evaluator: Evaluator) -> bool:
    """Whether a ResourceQuota applies to an object.

    A quota applies if it counts any resource of the object, and the object is in all scopes of the quota.
    """
    hard = (quota.get("status") or {}).get("hard") or {}
    return bool(evaluator.counted(hard)) and is_in_scopes(quota, obj, evaluator)


def is_in_scopes(quota: Object, obj: Object, evaluator: Evaluator) -> bool:
    return all(evaluator.is_in_scope(selector, obj) for selector in _selectors(quota["spec"]))


def _selectors(spec: Object) -> Sequence[ScopeSelector]:
    plain = [{"scopeName": scope, "operator": "Exists"} for scope in spec.get("scopes") or ()]
    return [*plain, *((spec.get("scopeSelector") or {}).get("matchExpressions") or ())]


def _check(quota: Object, attributes: Attributes, evaluator: Evaluator) -> None:
    name, status = quota["metadata"]["name"], quota["status"]
    counted = evaluator.counted(status["hard"])
    unmet = evaluator.unmet(counted, attributes.new_object())
    if unmet:
        raise attributes.forbidden(f"failed quota: {name}: {unmet}")
    if set(counted) - set(status.get("used") or ()):
        names = amounts.printed_names(counted)
        raise attributes.forbidden(f"status unknown for quota: {name}, resources: {names}")


def _more(quota: Object, usage: Resources, attributes: Attributes, evaluator: Evaluator) -> Resources:
    """Returns the usage that a write adds to a quota. `usage`: the usage of the new object.

    An update adds only the amounts by which the usage of the object grows. In newer releases, an update adds
    the whole usage if the quota did not apply to the old object.
    """
    old = attributes.old
    if old is None:
        return usage
    by_quota = attributes.resource.release.quirks.quota_follows_scopes
    if by_quota and not is_about(quota, old, evaluator):
        return usage
    return amounts.grown(usage, evaluator.usage(old))


def _check_bounds(quota: Object, requested: Resources, new: Resources, attributes: Attributes) -> None:
    status = quota["status"]
    over = amounts.exceeding(amounts.masked(new, requested), status["hard"])
    if over:
        lists = [
            amounts.printed(amounts.masked(part or {}, over))
            for part in (requested, status.get("used"), status["hard"])
        ]
        raise attributes.forbidden(
            f"exceeded quota: {quota['metadata']['name']}, requested: {lists[0]}, used: {lists[1]}, "
            f"limited: {lists[2]}"
        )
