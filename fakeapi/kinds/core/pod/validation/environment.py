"""Validates environment variables of containers.

Follows `ValidateEnv` and `ValidateEnvFrom` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from fakeapi.kinds.common.environment_names import is_environment_name, is_relaxed_environment_name
from fakeapi.kinds.common.invalid_texts import each_invalid
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.kinds.core.pod.validation.references import (
    field_errors,
    file_key_errors,
    host_ips_errors,
    key_errors,
    resource_errors,
)
from fakeapi.machinery.field_errors import invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names

_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.podIP",
    "status.podIPs",
)
_FIELDS_WITH_HOST_IPS = tuple(sorted((*_FIELDS, "status.hostIPs")))


def environment_errors(container: Object, path: str, checks: PodChecks) -> Errors:
    """Validates `env` and `envFrom` of a container. `path`: the path of the container."""
    for index, variable in enumerate(container.get("env") or ()):
        place = f"{path}.env[{index}]"
        name = variable.get("name", "")
        if not name:
            yield required(f"{place}.name")
        else:
            yield from _name_errors(name, f"{place}.name", checks)
        if "valueFrom" in variable:
            yield from _source_errors(variable, f"{place}.valueFrom", checks)
    yield from _sources_errors(container, f"{path}.envFrom", checks)


def _name_errors(name: str, path: str, checks: PodChecks) -> Errors:
    is_valid = is_relaxed_environment_name if checks.relaxed_environment_names else is_environment_name
    yield from each_invalid(path, name, is_valid(name))


def _source_errors(variable: Object, path: str, checks: PodChecks) -> Errors:
    source = variable["valueFrom"]
    count = 0
    if "fieldRef" in source:
        count += 1
        fields = _FIELDS_WITH_HOST_IPS if checks.quirks.host_ips_can_be_read else _FIELDS
        yield from field_errors(source["fieldRef"], fields, f"{path}.fieldRef", checks)
        yield from host_ips_errors(source["fieldRef"], f"{path}.fieldRef", checks)
    if "resourceFieldRef" in source:
        count += 1
        yield from resource_errors(source["resourceFieldRef"], f"{path}.resourceFieldRef", of_volume=False)
    for name in ("configMapKeyRef", "secretKeyRef"):
        if name in source:
            count += 1
            yield from key_errors(source[name], f"{path}.{name}")
    if "fileKeyRef" in source:
        count += 1
        yield from file_key_errors(source["fileKeyRef"], f"{path}.fileKeyRef")
    if count == 0:
        choices = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`"
        last = ", `secretKeyRef` or `fileKeyRef`" if checks.environment_files else " or `secretKeyRef`"
        yield invalid(path, "", f"must specify one of: {choices}{last}")
    elif variable.get("value"):
        yield invalid(path, "", "may not be specified when `value` is not empty")
    elif count > 1:
        yield invalid(path, "", "may not have more than one field specified at a time")


def _sources_errors(container: Object, path: str, checks: PodChecks) -> Errors:
    for index, source in enumerate(container.get("envFrom") or ()):
        place = f"{path}[{index}]"
        if source.get("prefix"):
            yield from _name_errors(source["prefix"], f"{place}.prefix", checks)
        count = 0
        for name in ("configMapRef", "secretRef"):
            if name in source:
                count += 1
                yield from _object_name_errors(source[name].get("name", ""), f"{place}.{name}.name")
        if count == 0:
            yield invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")
        elif count > 1:
            yield invalid(path, "", "may not have more than one field specified at a time")


def _object_name_errors(name: str, path: str) -> Errors:
    if not name:
        yield required(path)
    else:
        yield from each_invalid(path, name, names.name_is_dns_subdomain(name, True))
