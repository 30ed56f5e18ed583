"""Validates statuses of a pod's ResourceClaims, and the health of its volumes.

Follows `validatePodResourceClaimStatuses`, `validatePodExtendedResourceClaimStatus`,
`validateNodeAllocatableResourceClaimStatus` and `validatePodVolumeHealth` of k8s.io/kubernetes
`pkg/apis/core/validation`.
"""

from fakeapi.kinds.common.conditions import validate_condition_reason
from fakeapi.kinds.common.invalid_texts import each_invalid, validate_dns_label
from fakeapi.kinds.common.printing.quantities import printed_resource_name
from fakeapi.kinds.common.resource_names import is_huge_pages, is_native
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.machinery.field_errors import duplicate, invalid, not_found, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names, quantity

_NODE_RESOURCES = ("cpu", "memory")


def claim_status_errors(pod: Object, checks: PodChecks) -> Errors:
    """Validates the statuses of a pod's ResourceClaims. A pod may have three kinds of claim statuses:

    - `resourceClaimStatuses`: for claims that are generated from templates
    - `extendedResourceClaimStatus`: for the claim for extended resources
    - `nodeAllocatableResourceClaimStatuses`: for claims for node-allocatable resources
    """
    yield from _made_claim_errors(pod, checks)
    yield from _extended_claim_errors(pod, checks)
    for index, status in enumerate(pod["status"].get("nodeAllocatableResourceClaimStatuses") or ()):
        path = f"status.nodeAllocatableResourceClaimStatuses[{index}]"
        yield from _node_claim_errors(status, pod, path, checks)


def volume_health_errors(pod: Object, checks: PodChecks) -> Errors:
    """Validates the health of volumes in the status of a pod."""
    volumes = {volume.get("name") for volume in pod["spec"].get("volumes") or ()}
    for index, health in enumerate(pod["status"].get("volumeHealth") or ()):
        path, name = f"status.volumeHealth[{index}]", health.get("name", "")
        if name and name not in volumes:
            yield not_found(f"{path}.name", name)
        for position, condition in enumerate(health.get("healthConditions") or ()):
            reason = condition.get("reason", "")
            place = f"{path}.healthConditions[{position}].reason"
            if reason:
                yield from validate_condition_reason(reason, place)


def _made_claim_errors(pod: Object, checks: PodChecks) -> Errors:
    known = {claim.get("name", "") for claim in pod["spec"].get("resourceClaims") or ()}
    seen: set[str] = set()
    for index, status in enumerate(pod["status"].get("resourceClaimStatuses") or ()):
        path, name = f"status.resourceClaimStatuses[{index}]", status.get("name", "")
        if name not in known:
            rule = "must match the name of an entry in `spec.resourceClaims`"
            yield invalid(f"{path}.name", name, rule)
        if name in seen:
            yield duplicate(f"{path}.name", name)
        seen.add(name)
        claim = status.get("resourceClaimName")
        if claim is not None:
            place = f"{path}.{checks.quirks.claim_status_field}"
            yield from each_invalid(place, claim, names.name_is_dns_subdomain(claim, False))


def _extended_claim_errors(pod: Object, checks: PodChecks) -> Errors:
    status, path = pod["status"].get("extendedResourceClaimStatus"), "status.extendedResourceClaimStatus"
    if status is None:
        return
    spec = pod["spec"]
    containers = {
        container.get("name"): container
        for kind in ("initContainers", "containers")
        for container in spec.get(kind) or ()
    }
    if not status.get("requestMappings"):
        yield required(f"{path}.requestMappings", "at least one request mapping is required")
    seen: set[tuple[str, ...]] = set()
    fields = ("containerName", "resourceName", "requestName")
    identity = len(fields) if checks.quirks.extended_claims_differ_by_request else 2
    for index, mapping in enumerate(status.get("requestMappings") or ()):
        place = f"{path}.requestMappings[{index}]"
        key = tuple(mapping.get(name, "") for name in fields)
        yield from _mapping_errors(key, containers, place)
        yield from validate_dns_label(key[2], f"{path}.requestName")
        if key[:identity] in seen:
            for name, value in zip(fields[:identity], key, strict=False):
                yield duplicate(f"{place}.{name}", value)
        seen.add(key[:identity])
    claim = status.get("resourceClaimName", "")
    if not claim:
        yield required(f"{path}.resourceClaimName")
    else:
        yield from each_invalid(f"{path}.resourceClaimName", claim, names.name_is_dns_subdomain(claim, False))


def _mapping_errors(key: tuple[str, ...], containers: dict[str, Object], path: str) -> Errors:
    name, resource, _ = key
    if name not in containers:
        rule = "must match the name of an entry in spec.initContainers.name or spec.containers.name"
        yield invalid(f"{path}.containerName", name, rule)
    elif resource not in ((containers[name].get("resources") or {}).get("requests") or {}):
        rule = (
            "must match the extended resource name of an entry in spec.initContainers.resources.requests or "
            "spec.containers.resources.requests"
        )
        yield invalid(f"{path}.resourceName", resource, rule)


def _node_claim_errors(status: Object, pod: Object, path: str, checks: PodChecks) -> Errors:
    claim, maps = status.get("resourceClaimName", ""), checks.quirks.node_claims_map_resources
    if not claim and maps:
        return
    if not claim:
        yield required(f"{path}.resourceClaimName", "must not be empty")
    known = [*(pod["spec"].get("resourceClaims") or ()), *(pod["status"].get("resourceClaimStatuses") or ())]
    if all(entry.get("resourceClaimName") != claim for entry in known):
        yield invalid(f"{path}.resourceClaimName", claim, "no mapping found in pod reference")
    if not maps:
        yield from _node_amounts_errors(status, path, checks)
    for index, item in enumerate(status.get("mapping") or ()):
        place = f"{path}.mapping[{index}]"
        yield from _node_resource_errors(item.get("name", ""), f"{place}.name", checks)
        yield from _amount_errors(item, "quantity", place)
    for index, item in enumerate(status.get("overhead") or ()):
        place = f"{path}.overhead[{index}]"
        yield from _node_resource_errors(item.get("name", ""), f"{place}.name", checks)
        if "perPod" not in item and "perContainer" not in item:
            yield invalid(place, "", "at least one of perPod or perContainer must be set")
        for name in ("perPod", "perContainer"):
            yield from _amount_errors(item, name, place)


def _node_amounts_errors(status: Object, path: str, checks: PodChecks) -> Errors:
    for name in ("containers", "resources"):
        if not status.get(name):
            yield required(f"{path}.{name}", "must not be empty")
    for name, amount in sorted((status.get("resources") or {}).items()):
        place = f"{path}.resources[{name}]"
        if not is_native(name):
            yield invalid(
                place, printed_resource_name(name, checks.wording), "must be a node allocatable resource name"
            )
        if quantity.parse(amount).amount < 0:
            yield invalid(place, amount, "must be non-negative")


def _node_resource_errors(name: str, path: str, checks: PodChecks) -> Errors:
    if name not in _NODE_RESOURCES and not is_huge_pages(name):
        yield invalid(
            path, printed_resource_name(name, checks.wording), "must be a node allocatable resource name"
        )


def _amount_errors(item: Object, name: str, path: str) -> Errors:
    amount = item.get(name)
    if amount is not None and quantity.parse(amount).amount < 0:
        yield invalid(f"{path}.{name}", amount, "must be non-negative")
