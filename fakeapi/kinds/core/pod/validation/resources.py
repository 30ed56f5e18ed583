"""Validates the requests and limits of containers and pods.

Follows `validateResourceRequirements`, `validateResourceClaimNames` and `validatePodResources` of
k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import Decimal

from fakeapi.kinds.common import resource_names
from fakeapi.kinds.common.invalid_texts import validate_dns_label
from fakeapi.kinds.common.pod_resources import container_totals
from fakeapi.kinds.common.printing.quantities import printed_resource_name
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.machinery.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
)
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.machinery.meta.wording import Wording

NameValidator = Callable[[str, str, Wording], list[FieldError]]

_WITH_HUGE_PAGES = ("cpu", "memory")


def container_resource_errors(
    resources: Object, claims: Collection[str], path: str, checks: PodChecks
) -> Errors:
    """Validates the resources of a container. `claims`: the names of the pod's resource claims."""
    name_validator = resource_names.validate_container_resource_name
    yield from _requirement_errors(resources, name_validator, claims, path, checks)


def overhead_errors(overhead: Mapping[str, str], path: str, checks: PodChecks) -> Errors:
    """Validates `overhead`: the resources that a pod uses in addition to its containers."""
    yield from container_resource_errors({"limits": overhead}, (), path, checks)


def pod_resource_errors(spec: Object, claims: Collection[str], path: str, checks: PodChecks) -> Errors:
    """Validates pod-level resources, if the gate PodLevelResources is on.

    - `claims`: the names of the pod's resource claims
    - `path`: the path of the pod's spec
    """
    resources = spec.get("resources")
    if resources is None or not checks.enabled("PodLevelResources"):
        return
    place = f"{path}.resources"
    if checks.quirks.windows_pods_have_no_resources and (spec.get("os") or {}).get("name") == "windows":
        yield forbidden(place, "may not be set for a windows pod")
        return
    if resources.get("claims") is not None:
        yield forbidden(f"{place}.claims", checks.quirks.pod_claims_forbidden)
    validate_name = _pod_resource_name_errors
    if not checks.quirks.pods_have_huge_pages:
        validate_name = _pod_resource_name_errors_without_pages
    yield from _requirement_errors(resources, validate_name, claims, place, checks)
    yield from _consistency_errors(spec, place, checks)


def _pod_resource_name_errors(name: str, path: str, wording: Wording) -> list[FieldError]:
    errors = resource_names.validate_resource_name(name, path, wording)
    if not errors and name not in _WITH_HUGE_PAGES and not resource_names.is_huge_pages(name):
        errors.append(
            not_supported(
                path, printed_resource_name(name, wording), ("cpu", resource_names.HUGE_PAGES, "memory")
            )
        )
    return errors


def _pod_resource_name_errors_without_pages(name: str, path: str, wording: Wording) -> list[FieldError]:
    errors = resource_names.validate_resource_name(name, path, wording)
    if not errors and name not in _WITH_HUGE_PAGES:
        errors.append(not_supported(path, printed_resource_name(name, wording), _WITH_HUGE_PAGES))
    return errors


def _requirement_errors(
    resources: Object, validate_name: NameValidator, claims: Collection[str], path: str, checks: PodChecks
) -> Errors:
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for name, amount in sorted(limits.items()):
        yield from _amount_errors(name, amount, validate_name, f"{path}.limits[{name}]", checks)
    for name, amount in sorted(requests.items()):
        place = f"{path}.requests[{name}]"
        yield from validate_name(name, place, checks.wording)
        yield from resource_names.validate_resource_amount(name, amount, place, checks.wording)
        yield from _request_errors(name, amount, limits.get(name), path)
        yield from _page_errors(name, amount, place, checks)
    named = limits.keys() | requests.keys()
    if any(map(resource_names.is_huge_pages, named)) and not named & set(_WITH_HUGE_PAGES):
        yield forbidden(path, "HugePages require cpu or memory")
    yield from _claim_errors(resources.get("claims") or (), claims, f"{path}.claims")


def _amount_errors(
    name: str, amount: str, validate_name: NameValidator, path: str, checks: PodChecks
) -> Errors:
    yield from validate_name(name, path, checks.wording)
    yield from resource_names.validate_resource_amount(name, amount, path, checks.wording)
    yield from _page_errors(name, amount, path, checks)


def _request_errors(name: str, amount: str, limit: str | None, path: str) -> Errors:
    place = f"{path}.requests"
    if limit is None:
        if not resource_names.may_overcommit(name):
            yield required(f"{path}.limits", "Limit must be set for non overcommitable resources")
        return
    compared = quantity.compare(amount, limit)
    if compared != 0 and not resource_names.may_overcommit(name):
        yield invalid(place, amount, f"must be equal to {name} limit of {limit}")
    elif compared > 0:
        yield invalid(place, amount, f"must be less than or equal to {name} limit of {limit}")


def _page_errors(name: str, amount: str, path: str, checks: PodChecks) -> Errors:
    if not resource_names.is_huge_pages(name) or resource_names.is_whole_number_of_pages(name, amount):
        return
    if not _uses_parts_of_pages(checks.old):
        yield invalid(path, amount, f"{amount} is not positive integer multiple of {name}")


def _uses_parts_of_pages(spec: Object) -> bool:
    """Whether a pod spec has amounts of huge pages that are not whole numbers of pages."""
    lists = [spec.get("overhead") or {}]
    for name in ("initContainers", "containers", "ephemeralContainers"):
        for container in spec.get(name) or ():
            resources = container.get("resources") or {}
            lists += [resources.get("limits") or {}, resources.get("requests") or {}]
    return any(
        resource_names.is_huge_pages(name) and not resource_names.is_whole_number_of_pages(name, amount)
        for amounts in lists
        for name, amount in amounts.items()
    )


def _claim_errors(used: Iterable[Object], claims: Collection[str], path: str) -> Errors:
    seen: set[str] = set()
    for index, claim in enumerate(used):
        place = f"{path}[{index}]"
        name, request = claim.get("name", ""), claim.get("request", "")
        if not name:
            yield required(place)
            continue
        if name in seen:
            yield duplicate(place, name)
        else:
            if request:
                yield from validate_dns_label(request, f"{place}.request")
            key = f"{name}/{request}" if request else name
            if key in seen:
                yield duplicate(place, key)
            elif not request:
                for other in seen:
                    if other.partition("/")[0] == name and "/" in other:
                        yield duplicate(place, name)
            seen.add(key)
        if name not in claims:
            yield _unknown_claim(name, claims, place)


def _unknown_claim(name: str, claims: Collection[str], path: str) -> FieldError:
    listed = f": {', '.join(sorted(claims))}" if claims else " which is empty"
    error = not_found(path, name)
    detail = f"must be one of the names in pod.spec.resourceClaims{listed}"
    return FieldError(error.reason, path, f"{error.body}: {detail}")


def _consistency_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    """Validates that the pod-level resources cover the resources of all containers."""
    resources = spec["resources"]
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    for name, total in sorted(container_totals(spec, "requests").items()):
        requested = requests.get(name)
        if requested is None and checks.quirks.absent_pod_requests_are_allowed:
            continue
        if _amount(total) > _amount(requested):
            rule = f"must be greater than or equal to aggregate container requests of {total}"
            yield invalid(f"{path}.requests[{name}]", requested or "0", rule)
    if checks.quirks.pod_limits_cover_huge_pages:
        for name, total in sorted(container_totals(spec, "limits").items()):
            if (
                resource_names.is_huge_pages(name)
                and name in limits
                and _amount(total) > _amount(limits[name])
            ):
                rule = f"must be greater than or equal to aggregate container limits of {total}"
                yield invalid(f"{path}.limits[{name}]", limits[name], rule)
    for index, container in enumerate(spec.get("containers") or ()):
        own = (container.get("resources") or {}).get("limits") or {}
        for name, amount in sorted(own.items()):
            if name in limits and _amount(amount) > _amount(limits[name]):
                rule = f"must be less than or equal to pod limits of {limits[name]}"
                yield invalid(f"{path}.containers[{index}][{name}].limits", amount, rule)


def _amount(text: str | None) -> Decimal:
    return Decimal(0) if text is None else quantity.parse(text).amount
