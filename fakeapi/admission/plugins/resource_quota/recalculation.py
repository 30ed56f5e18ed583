"""Recalculates the usage of a ResourceQuota from the objects of its namespace.

Follows CalculateUsage in k8s.io/apiserver `pkg/quota/v1`, and CalculateUsageStats in its package `generic`.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fakeapi.admission.plugins.resource_quota import amounts
from fakeapi.admission.plugins.resource_quota.charges import is_in_scopes
from fakeapi.admission.plugins.resource_quota.evaluators import evaluator_of
from fakeapi.kinds.common.pod_resources import Resources, added
from fakeapi.machinery.json_types import Object
from fakeapi.registry.objects import ClusterObjects

if TYPE_CHECKING:
    from fakeapi.registry.model.resource import Resource


def recalculated(quota: Object, resources: Iterable["Resource"], objects: ClusterObjects) -> Resources:
    """Calculates the usage of a quota from the objects in its namespace. Counts only objects of `resources`.

    The keys are the names in the quota's `spec.hard` that apply to `resources`. The value is "0" if no object
    uses the name.
    """
    hard, totals = quota["spec"].get("hard") or {}, Resources()
    for resource in resources:
        evaluator = evaluator_of(resource, objects)
        counted = evaluator.counted(hard)
        if not counted:
            continue
        used = dict.fromkeys(counted, amounts.ZERO)
        kind = resource.kind
        for obj in objects.list(kind.group, kind.resource, quota["metadata"]["namespace"]):
            if is_in_scopes(quota, obj, evaluator):
                used = added(used, evaluator.usage(obj))
        totals = added(totals, amounts.masked(used, counted))
    return totals


def counted_resources(
    hard: Iterable[str], resources: Iterable["Resource"], objects: ClusterObjects
) -> list["Resource"]:
    """Returns the resources whose objects a quota counts. `hard`: the names in the quota's `spec.hard`."""
    names = list(hard)
    return [resource for resource in resources if evaluator_of(resource, objects).counted(names)]
