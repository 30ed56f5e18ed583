"""Validates the spec of a PersistentVolume. A VolumeAttachment may contain such a spec too.

Follows `ValidatePersistentVolumeSpec` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

import posixpath
from collections.abc import Sequence
from typing import Final

import msgspec

from fakeapi.kinds.common.invalid_texts import validate_dns_subdomain
from fakeapi.kinds.common.numbers import NOT_POSITIVE
from fakeapi.kinds.common.printing.values import printed_field
from fakeapi.kinds.core.persistent_volume.sources import Context, validate_source
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.machinery.meta.node_selector import validate_node_selector
from fakeapi.releases.rules import ReleaseRules

ACCESS_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
RECLAIM_POLICIES: Final = ("Delete", "Recycle", "Retain")
VOLUME_MODES: Final = ("Block", "Filesystem")
ATTRIBUTES_CLASS: Final = "VolumeAttributesClass"
_SINGLE_POD: Final = "ReadWriteOncePod"
_SINGLE_POD_GATE: Final = "ReadWriteOncePod"
_INLINE: Final = "may not be specified in the context of inline volumes"


class VolumeOptions(msgspec.Struct, frozen=True):
    """Settings that let existing volumes keep values that are invalid in new volumes.

    - `single_pod`: whether ReadWriteOncePod is a supported access mode
    - `attributes_class`: whether to validate volumeAttributesClassName
    - `any_label_values`: whether node selectors may contain invalid label values
    """

    single_pod: bool
    attributes_class: bool
    any_label_values: bool = False


def volume_options(rules: ReleaseRules, old: Object | None) -> VolumeOptions:
    """Returns the options for an update of the spec `old`, or for a new volume if `old` is None."""
    old = old or {}
    selector = (old.get("nodeAffinity") or {}).get("required")
    return VolumeOptions(
        single_pod=not rules.drops(_SINGLE_POD_GATE) or _SINGLE_POD in (old.get("accessModes") or ()),
        attributes_class=not rules.drops(ATTRIBUTES_CLASS)
        or old.get("volumeAttributesClassName") is not None,
        any_label_values=selector is not None
        and bool(validate_node_selector(selector, ""))
        and not validate_node_selector(selector, "", checks_values=False),
    )


def validate_volume_spec(
    spec: Object, name: str, path: str, rules: ReleaseRules, options: VolumeOptions
) -> list[FieldError]:
    """Validates the spec of a PersistentVolume. `name`: the name of the volume."""
    errors = validate_access_modes(
        spec.get("accessModes"), path, options, needed=required(f"{path}.accessModes")
    )
    errors += _validate_capacity(spec.get("capacity") or {}, f"{path}.capacity", rules)
    policy, mode = spec.get("persistentVolumeReclaimPolicy"), spec.get("volumeMode")
    if policy and policy not in RECLAIM_POLICIES:
        errors.append(not_supported(f"{path}.persistentVolumeReclaimPolicy", policy, RECLAIM_POLICIES))
    errors += _validate_affinity(spec.get("nodeAffinity"), f"{path}.nodeAffinity", rules, options)
    errors += validate_source(spec, path, Context(rules, name))
    errors += _validate_recycling(spec, path)
    if spec.get("storageClassName"):
        errors += validate_dns_subdomain(spec["storageClassName"], f"{path}.storageClassName")
    if mode is not None and mode not in VOLUME_MODES:
        errors.append(not_supported(f"{path}.volumeMode", mode, VOLUME_MODES))
    return errors + _validate_attributes_class(spec, path, options)


def validate_inline_volume(spec: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates a volume spec inside another object, such as a VolumeAttachment."""
    fields = (("claimRef", spec.get("claimRef") is not None), ("capacity", spec.get("capacity")))
    errors = [forbidden(f"{path}.{name}", _INLINE) for name, is_given in fields if is_given]
    if spec.get("csi") is None:
        errors.append(required(f"{path}.csi", "has to be specified in the context of inline volumes"))
    options = VolumeOptions(single_pod=rules.quirks.single_pod_is_a_mode, attributes_class=False)
    errors += validate_access_modes(
        spec.get("accessModes"), path, options, needed=required(f"{path}.accessModes")
    )
    policy, mode = spec.get("persistentVolumeReclaimPolicy"), spec.get("volumeMode")
    if policy and policy != "Retain":
        rule = "may only be Retain in the context of inline volumes"
        errors.append(forbidden(f"{path}.persistentVolumeReclaimPolicy", rule))
    if spec.get("nodeAffinity") is not None:
        errors.append(forbidden(f"{path}.nodeAffinity", _INLINE))
    errors += validate_source({**spec, "nodeAffinity": None}, path, Context(rules, ""))
    errors += _validate_recycling(spec, path)
    if spec.get("storageClassName"):
        errors.append(forbidden(f"{path}.storageClassName", _INLINE))
    if mode is not None and mode != "Filesystem":
        rule = "may not specify volumeMode other than Filesystem in the context of inline volumes"
        errors.append(forbidden(f"{path}.volumeMode", rule))
    return errors


def validate_access_modes(
    modes: Sequence[str] | None, path: str, options: VolumeOptions, *, needed: FieldError
) -> list[FieldError]:
    """Validates access modes. `needed`: the error to return for missing access modes."""
    errors = [] if modes else [needed]
    supported = ACCESS_MODES if options.single_pod else ACCESS_MODES[:-1]
    errors += [
        not_supported(f"{path}.accessModes", mode, supported) for mode in modes or () if mode not in supported
    ]
    others = [mode for mode in modes or () if mode in ACCESS_MODES and mode != _SINGLE_POD]
    if _SINGLE_POD in (modes or ()) and others:
        rule = "may not use ReadWriteOncePod with other access modes"
        errors.append(forbidden(f"{path}.accessModes", rule))
    return errors


def validate_basic_amount(amount: str, path: str) -> list[FieldError]:
    """Returns an error if a quantity is negative."""
    value = quantity.whole(amount)
    return [invalid(path, value, "must be a valid resource quantity")] if value < 0 else []


def _validate_capacity(capacity: dict[str, str], path: str, rules: ReleaseRules) -> list[FieldError]:
    errors = [] if capacity else [required(path)]
    if "storage" not in capacity or len(capacity) > 1:
        printed = printed_field(capacity or None, "core/v1.PersistentVolumeSpec", "capacity", rules)
        errors.append(not_supported(path, printed, ["storage"]))
    for name, amount in capacity.items():
        errors += validate_basic_amount(amount, f"{path}[{name}]")
        if quantity.parse(amount).amount <= 0:
            errors.append(invalid(f"{path}[{name}]", amount, NOT_POSITIVE))
    return errors


def _validate_affinity(
    affinity: Object | None, path: str, rules: ReleaseRules, options: VolumeOptions
) -> list[FieldError]:
    if affinity is None:
        return []
    if affinity.get("required") is None:
        return [required(f"{path}.required", "must specify required node constraints")]
    checks_values = rules.quirks.volume_node_values_are_checked and not options.any_label_values
    unit = rules.quirks.wording.length_unit
    return validate_node_selector(
        affinity["required"], f"{path}.required", checks_values=checks_values, unit=unit
    )


def _validate_recycling(spec: Object, path: str) -> list[FieldError]:
    host_path = spec.get("hostPath")
    if host_path is None or spec.get("persistentVolumeReclaimPolicy") != "Recycle":
        return []
    if not host_path["path"] or posixpath.normpath(host_path["path"]) not in ("/", "//"):
        return []
    rule = "may not be 'recycle' for a hostPath mount of '/'"
    return [forbidden(f"{path}.persistentVolumeReclaimPolicy", rule)]


def _validate_attributes_class(spec: Object, path: str, options: VolumeOptions) -> list[FieldError]:
    name = spec.get("volumeAttributesClassName")
    if name is None or not options.attributes_class:
        return []
    here = f"{path}.volumeAttributesClassName"
    errors = validate_dns_subdomain(name, here) if name else [required(here, "an empty string is disallowed")]
    if spec.get("csi") is None:
        rule = "has to be specified when using volumeAttributesClassName"
        errors.append(required(f"{path}.csi", rule))
    return errors
