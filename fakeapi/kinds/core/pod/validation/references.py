"""Validates references to keys of ConfigMaps and Secrets, to pod fields and to container resources.

Follows `validateConfigMapKeySelector`, `validateObjectFieldSelector`, `validateFileKeySelector` and
`validateContainerResourceFieldSelector` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Sequence

from fakeapi.kinds.common.environment_names import is_relaxed_environment_name
from fakeapi.kinds.common.file_paths import validate_no_backsteps
from fakeapi.kinds.common.invalid_texts import (
    each_invalid,
    validate_dns_label,
    validate_qualified_name,
)
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.machinery.field_errors import FieldError, invalid, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names, quantity

RESOURCE_FIELDS = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_HUGE_PAGES_FIELDS = ("limits.hugepages-", "requests.hugepages-")
_READABLE_FIELDS = frozenset({
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.serviceAccountName",
    "spec.schedulerName",
    "status.phase",
    "status.hostIP",
    "status.podIP",
    "status.podIPs",
})  # fmt: skip
_OLD_FIELDS = {"spec.host": "spec.nodeName"}

_DIVISORS = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei"
_BYTE_RESOURCES = {
    "memory": "memory",
    "ephemeral-storage": "local ephemeral storage",
}


def key_errors(reference: Object, path: str) -> Errors:
    """Validates a reference to a key of a ConfigMap or Secret."""
    name, key = reference.get("name", ""), reference.get("key", "")
    yield from each_invalid(f"{path}.name", name, names.name_is_dns_subdomain(name, False))
    if not key:
        yield required(f"{path}.key")
    else:
        yield from each_invalid(f"{path}.key", key, names.is_config_map_key(key))


def file_key_errors(reference: Object, path: str) -> Errors:
    """Validates a fileKeyRef: a reference to an environment variable in a file of a volume."""
    key, volume, target = (reference.get(name, "") for name in ("key", "volumeName", "path"))
    if not key:
        yield required(f"{path}.key")
    else:
        yield from each_invalid(f"{path}.key", key, is_relaxed_environment_name(key))
    if not volume:
        yield required(f"{path}.volumeName")
    else:
        yield from validate_dns_label(volume, f"{path}.volumeName")
    if not target:
        yield required(f"{path}.path")
    else:
        yield from validate_no_backsteps(target, f"{path}.path")


def field_errors(reference: Object, fields: Sequence[str], path: str, checks: PodChecks) -> Errors:
    """Validates a fieldRef: a reference to a field of the pod.

    `fields`: the valid field paths. A label or annotation, such as `metadata.labels['a']`, is valid too.
    """
    version: str = reference.get("apiVersion", "")
    name: str = reference.get("fieldPath", "")
    if not version:
        yield required(f"{path}.apiVersion")
        return
    if not name:
        yield required(f"{path}.fieldPath")
        return
    problem = _conversion_problem(version, name, checks)
    if problem:
        yield invalid(f"{path}.fieldPath", name, f"error converting fieldPath: {problem}")
        return
    name = _OLD_FIELDS.get(name, name)
    subscripted = _subscript(name)
    if subscripted is None:
        if name not in fields:
            yield not_supported(f"{path}.fieldPath", name, fields)
        return
    holder, key = subscripted
    if holder == "metadata.annotations":
        key = key.lower()
    yield from validate_qualified_name(key, path, checks.wording)


def host_ips_errors(reference: Object, path: str, checks: PodChecks) -> list[FieldError]:
    """Returns an error for a reference to `status.hostIPs` if the feature gate PodHostIPs is off."""
    if reference.get("fieldPath") != "status.hostIPs" or checks.host_ips:
        return []
    if not checks.quirks.host_ips_are_gated:
        return []
    rule = "may not be set when feature gate 'PodHostIPs' is not enabled"
    return [FieldError("FieldValueForbidden", path, f"Forbidden: {rule}")]


def resource_errors(reference: Object, path: str, *, of_volume: bool) -> Errors:
    """Validates a resourceFieldRef: a reference to a resource of a container.

    `of_volume`: whether the reference is in a volume and must name the container
    """
    name = reference.get("resource", "")
    if of_volume and not reference.get("containerName"):
        yield required(f"{path}.containerName")
    elif not name:
        yield required(f"{path}.resource")
    elif name not in RESOURCE_FIELDS and not name.startswith(_HUGE_PAGES_FIELDS):
        yield not_supported(f"{path}.resource", name, RESOURCE_FIELDS)
    yield from _divisor_errors(name, reference.get("divisor", "0"), path)


def _divisor_errors(name: str, divisor: str, path: str) -> Errors:
    if quantity.parse(divisor).amount == 0:
        return
    place = f"{path}.divisor"
    if name in ("limits.cpu", "requests.cpu"):
        if divisor not in ("1m", "1"):
            yield invalid(place, name, "only divisor's values 1m and 1 are supported with the cpu resource")
        return
    if name.startswith(_HUGE_PAGES_FIELDS):
        resource = "hugepages"
    elif name in RESOURCE_FIELDS:
        resource = _BYTE_RESOURCES[name.partition(".")[2]]
    else:
        return
    if divisor not in _DIVISORS.split(", "):
        yield invalid(
            place, name, f"only divisor's values {_DIVISORS} are supported with the {resource} resource"
        )


def _conversion_problem(version: str, name: str, checks: PodChecks) -> str:
    """Returns the reason why a field path is not valid in an API version of pods; "" for a valid path."""
    if version != "v1":
        return f"unsupported pod version: {version}"
    subscripted = _subscript(name)
    if subscripted is not None:
        if subscripted[0] in ("metadata.annotations", "metadata.labels"):
            return ""
        return f"field label does not support subscript: {name}"
    if name in _READABLE_FIELDS or name in _OLD_FIELDS:
        return ""
    if name == "status.hostIPs" and checks.quirks.host_ips_can_be_read:
        return ""
    return f"field label not supported: {name}"


def _subscript(name: str) -> tuple[str, str] | None:
    """Splits `metadata.labels['a']` into `("metadata.labels", "a")`. Returns None without a subscript."""
    holder, bracket, key = name.removesuffix("']").partition("['")
    return (holder, key) if name.endswith("']") and bracket and holder else None
