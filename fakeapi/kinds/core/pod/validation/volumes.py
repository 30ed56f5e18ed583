"""Validates the volumes of pods.

Follows `ValidateVolumes` and `validateVolumeSource` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from fakeapi.kinds.common.invalid_texts import validate_dns_label
from fakeapi.kinds.common.numbers import EMPTY_DIR_MODE_MAX
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.kinds.core.pod.validation.volume_sources import SOURCES
from fakeapi.machinery.field_errors import FieldError, duplicate, forbidden, invalid, required
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names, quantity

ISCSI_NAME_MAX_LENGTH = 64

_PLACES = {"gcePersistentDisk": "persistentDisk", "cephfs": "cephfs"}
"""Names of volume fields in error paths, for fields that have another name in error paths."""
_PLACES_OF_SECOND = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
"""Names of volume fields in errors about a second volume source, for fields that have another name there."""


def validate_volumes(
    spec: Object, metadata: Object | None, path: str, checks: PodChecks
) -> tuple[dict[str, Object], list[FieldError]]:
    """Returns the valid volumes of a pod spec by name, and all errors.

    `metadata`: the metadata of the pod; None for a template.
    """
    errors: list[FieldError] = []
    valid: dict[str, Object] = {}
    volumes, pod_name = spec.get("volumes") or (), (metadata or {}).get("name", "")
    generated = {
        f"{pod_name}-{entry.get('name', '')}" for entry in volumes if pod_name and "ephemeral" in entry
    }
    for index, volume in enumerate(volumes):
        place, name = f"{path}[{index}]", volume.get("name", "")
        problems = list(_source_errors(volume, pod_name, place, checks))
        if not name:
            problems.append(required(f"{place}.name"))
        else:
            problems += validate_dns_label(name, f"{place}.name")
        if name in valid:
            problems.append(duplicate(f"{place}.name", name))
        if not problems:
            valid[name] = volume
        errors += problems
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if claim in generated:
            rule = "must not reference a PVC that gets created for an ephemeral volume"
            errors.append(invalid(f"{place}.persistentVolumeClaim.claimName", claim, rule))
    return valid, errors


def _source_errors(volume: Object, pod_name: str, path: str, checks: PodChecks) -> Errors:
    has_source = False
    if "emptyDir" in volume:
        has_source = True
        yield from _empty_dir_errors(volume["emptyDir"], f"{path}.emptyDir")
    for kind, validate in SOURCES.items():
        if kind not in volume or (kind == "image" and not checks.image_volumes):
            continue
        if has_source:
            place = f"{path}.{_PLACES_OF_SECOND.get(kind, kind)}"
            yield forbidden(place, "may not specify more than 1 volume type")
        else:
            has_source = True
            yield from validate(volume[kind], f"{path}.{_PLACES.get(kind, kind)}", checks)
            if kind == "ephemeral":
                yield from _claim_name_errors(volume, pod_name, f"{path}.name")
        if kind == "iscsi":
            yield from _iscsi_name_errors(volume, f"{path}.name")
    if not has_source:
        yield required(path, "must specify a volume type")


def _empty_dir_errors(source: Object, path: str) -> Errors:
    limit = source.get("sizeLimit")
    if limit is not None and quantity.parse(limit).amount < 0:
        yield forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")
    mode = source.get("mode")
    if mode is not None and not 0 <= mode <= EMPTY_DIR_MODE_MAX:
        yield invalid(f"{path}.mode", mode, "must be a number between 0 and 01777 (octal), both inclusive")


def _iscsi_name_errors(volume: Object, path: str) -> Errors:
    source, name = volume["iscsi"], volume.get("name", "")
    length = names.byte_length(f"{name}:{source.get('targetPortal', '')}")
    if "initiatorName" in source and length > ISCSI_NAME_MAX_LENGTH:
        rule = (
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
            "iscsi.initiatorName is specified."
        )
        yield invalid(path, name, rule)


def _claim_name_errors(volume: Object, pod_name: str, path: str) -> Errors:
    """Validates the name of the PersistentVolumeClaim that is created for an ephemeral volume.

    The claim has the name `POD-VOLUME`. `pod_name`: the name of the pod.
    """
    name = volume.get("name", "")
    if not pod_name or not name:
        return
    claim = f"{pod_name}-{name}"
    for message in names.name_is_dns_subdomain(claim, False):
        yield invalid(path, name, f"PVC name {quote(claim)}: {message}")
