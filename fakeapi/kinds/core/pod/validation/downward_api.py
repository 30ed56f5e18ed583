"""Validates downward API volumes, whose files contain fields of a pod.

Follows `validateDownwardAPIVolumeSource` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from fakeapi.kinds.common.file_paths import validate_not_reserved
from fakeapi.kinds.common.numbers import validate_file_mode, validate_user_id
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.kinds.core.pod.validation.references import (
    field_errors,
    host_ips_errors,
    resource_errors,
)
from fakeapi.machinery.field_errors import invalid, required
from fakeapi.machinery.json_types import Object

_FIELDS = ("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid")


def downward_api_errors(source: Object, path: str, checks: PodChecks) -> Errors:
    """Validates a downward API volume. Like upstream, errors about the files have the path of the volume.

    `source`: the volume source
    `path`: the path of the volume source
    """
    yield from validate_file_mode(source, "defaultMode", path)
    yield from validate_user_id(source, "defaultUser", path)
    for file in source.get("items") or ():
        yield from downward_file_errors(file, path, checks)


def downward_file_errors(file: Object, path: str, checks: PodChecks) -> Errors:
    target = file.get("path", "")
    if not target:
        yield required(f"{path}.path")
    yield from validate_not_reserved(target, f"{path}.path")
    field, resource = file.get("fieldRef"), file.get("resourceFieldRef")
    if field is not None:
        yield from field_errors(field, _FIELDS, f"{path}.fieldRef", checks)
        if resource is not None:
            rule = "fieldRef and resourceFieldRef can not be specified simultaneously"
            yield invalid(path, "resource", rule)
        yield from host_ips_errors(field, f"{path}.fieldRef", checks)
    elif resource is not None:
        yield from resource_errors(resource, f"{path}.resourceFieldRef", of_volume=True)
    else:
        yield required(path, "one of fieldRef and resourceFieldRef is required")
    yield from validate_file_mode(file, "mode", path)
    yield from validate_user_id(file, "user", path)
