"""Compares requests and limits before and after a resize.

Follows `dropCPUMemoryResourcesFromContainer` and `resourcesRemoved` of k8s.io/kubernetes
`pkg/apis/core/validation`.
"""

from collections.abc import Mapping

from fakeapi.machinery.json_types import Object
from fakeapi.releases.pod_quirks import PodQuirks

RESIZABLE = ("cpu", "memory")
Amounts = Mapping[str, str]


def with_old_amounts(container: Object, stored: Object, quirks: PodQuirks) -> Object:
    """Returns the container with the stored requests and limits of cpu and memory.

    In releases in which a resize may change `resources.claims`, the result has no claims.
    """
    resources, old = container.get("resources") or {}, stored.get("resources") or {}
    merged = with_old_resources(resources, old, quirks)
    if quirks.resized_claims_are_not_compared:
        merged.pop("claims", None)
    return container | {"resources": merged}


def with_old_resources(resources: Object, stored: Object, quirks: PodQuirks) -> Object:
    """Returns `resources` with the stored requests and limits of cpu and memory."""
    merged = {name: value for name, value in resources.items() if name not in ("limits", "requests")}
    for name in ("limits", "requests"):
        if name not in stored and quirks.first_amounts_are_not_compared:
            continue
        amounts = _with_old(resources.get(name) or {}, stored.get(name) or {})
        if amounts:
            merged[name] = amounts
    return merged


def has_removed(amounts: Amounts, stored: Amounts) -> bool:
    """Whether a resource in the amounts `stored` is missing in the new `amounts`."""
    return any(name not in amounts for name in stored)


def _with_old(amounts: Amounts, stored: Amounts) -> dict[str, str]:
    merged = {name: amount for name, amount in amounts.items() if name not in RESIZABLE}
    merged |= {name: stored[name] for name in RESIZABLE if name in stored}
    return dict(sorted(merged.items()))
