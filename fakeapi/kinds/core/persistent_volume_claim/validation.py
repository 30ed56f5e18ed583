"""Validates PersistentVolumeClaims, and the claim templates of Pods and StatefulSets.

Follows `ValidatePersistentVolumeClaimSpec`, `ValidatePersistentVolumeClaimUpdate` and
`ValidatePersistentVolumeClaimStatusUpdate` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from fakeapi.kinds.common.invalid_texts import (
    each_invalid,
    validate_dns_label,
    validate_dns_subdomain,
)
from fakeapi.kinds.common.label_selectors import validate_label_selector
from fakeapi.kinds.common.numbers import NOT_POSITIVE
from fakeapi.kinds.common.printing.differences import printed_difference
from fakeapi.kinds.common.printing.quantities import printed_resource_name
from fakeapi.kinds.common.printing.values import printed_value
from fakeapi.kinds.common.resource_names import is_native, validate_resource_amount
from fakeapi.kinds.core.persistent_volume.spec import (
    ATTRIBUTES_CLASS,
    VOLUME_MODES,
    VolumeOptions,
    validate_access_modes,
    validate_basic_amount,
)
from fakeapi.kinds.core.storage_class_name import CLASS_ANNOTATION
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported, required
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names, quantity
from fakeapi.machinery.schema.unversioned_syntax import ADDRESS
from fakeapi.registry.model.semantic_equality import FIELD_IMMUTABLE, semantically_equal, validate_immutable
from fakeapi.releases.rules import ReleaseRules

BOUND: Final = "Bound"
RESIZE_STATUSES: Final = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)
OLD_RESIZE_STATUSES: Final = (
    "",
    "ControllerExpansionFailed",
    "ControllerExpansionInProgress",
    "NodeExpansionFailed",
    "NodeExpansionInProgress",
    "NodeExpansionPending",
)
_SIZE_PATH: Final = "spec.resources.requests.storage"
_CLASS_PATH: Final = "spec.volumeAttributesClassName"


class ClaimOptions(msgspec.Struct, frozen=True):
    """Settings that let existing claims keep values that are invalid in new claims.

    - `volume`: the options that claims share with PersistentVolumes
    - `recovers`: whether the requested size may decrease after a failed expansion
    - `any_label_values`: whether the selector may contain invalid label values
    - `any_group`: whether the API group of a data source may be invalid
    """

    volume: VolumeOptions
    recovers: bool
    any_label_values: bool = False
    any_group: bool = False


def claim_options(rules: ReleaseRules, old: Object | None) -> ClaimOptions:
    """Returns the options for an update of the claim `old`, or for a new claim if `old` is None."""
    spec: Object = {} if old is None else old["spec"]
    status: Object = {} if old is None else old.get("status") or {}
    recovers = not rules.drops("RecoverVolumeExpansionFailure") or (
        rules.quirks.claims_have_resize_statuses
        and any(status.get(name) is not None for name in ("allocatedResources", "allocatedResourceStatuses"))
    )
    sources = [spec.get(name) or {} for name in ("dataSource", "dataSourceRef")]
    return ClaimOptions(
        VolumeOptions(
            single_pod=not rules.drops("ReadWriteOncePod")
            or "ReadWriteOncePod" in (spec.get("accessModes") or ()),
            attributes_class=not rules.drops(ATTRIBUTES_CLASS)
            or spec.get("volumeAttributesClassName") is not None,
        ),
        recovers=recovers,
        any_label_values=bool(validate_label_selector(spec.get("selector"), "", rules.quirks.wording)),
        any_group=not rules.quirks.data_source_groups_are_checked
        or any(source.get("apiGroup") is not None for source in sources),
    )


def validate_claim_spec(
    spec: Object, path: str, rules: ReleaseRules, options: ClaimOptions
) -> list[FieldError]:
    """Validates the spec of a PersistentVolumeClaim or of a claim template."""
    modes, wording = spec.get("accessModes"), rules.quirks.wording
    errors: list[FieldError] = []
    if not modes:
        errors.append(required(f"{path}.accessModes", "at least 1 access mode is required"))
    errors += validate_label_selector(
        spec.get("selector"), f"{path}.selector", wording, checks_values=not options.any_label_values
    )
    if modes:
        needed = required(f"{path}.accessModes")
        errors += validate_access_modes(modes, path, options.volume, needed=needed)
    errors += _validate_size(spec, f"{path}.resources[storage]", rules)
    if spec.get("storageClassName"):
        errors += validate_dns_subdomain(spec["storageClassName"], f"{path}.storageClassName")
    mode = spec.get("volumeMode")
    if mode is not None and mode not in VOLUME_MODES:
        errors.append(not_supported(f"{path}.volumeMode", mode, VOLUME_MODES))
    errors += _validate_sources(spec, path, rules, options)
    attributes_class = spec.get("volumeAttributesClassName")
    if attributes_class and options.volume.attributes_class:
        errors += validate_dns_subdomain(attributes_class, f"{path}.volumeAttributesClassName")
    return errors


def _validate_size(spec: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    amount = _size(spec)
    if amount is None:
        return [required(path)]
    if quantity.parse(amount).amount <= 0:
        return [invalid(path, amount, NOT_POSITIVE)]
    return validate_resource_amount("storage", amount, path, rules.quirks.wording)


def _size(spec: Object) -> str | None:
    return ((spec.get("resources") or {}).get("requests") or {}).get("storage")


def _validate_sources(
    spec: Object, path: str, rules: ReleaseRules, options: ClaimOptions
) -> list[FieldError]:
    source, reference, errors = spec.get("dataSource"), spec.get("dataSourceRef"), list[FieldError]()
    if source is not None:
        errors += _validate_source(source, f"{path}.dataSource", options)
    if reference is None:
        return errors
    errors += _validate_source(reference, f"{path}.dataSourceRef", options)
    namespace = reference.get("namespace")
    if namespace:
        errors += validate_dns_label(namespace, f"{path}.dataSourceRef.namespace")
    if source is None:
        return errors
    if namespace:
        rule = "may not be specified when dataSourceRef.namespace is specified"
        return [*errors, invalid(path, _printed_path(rules), rule)]
    same = all((source.get(name) or None) == (reference.get(name) or None) for name in ("kind", "name"))
    if not same or source.get("apiGroup") != reference.get("apiGroup"):
        errors.append(invalid(path, _printed_path(rules), "must match dataSourceRef"))
    return errors


def _printed_path(rules: ReleaseRules) -> Dump:
    """Formats the bad value of errors about contradictory data sources: the field path, like upstream."""
    path = f'field.Path{{name:"dataSource", index:"", parent:(*field.Path)({ADDRESS})}}'
    return printed_value({}, path, rules.quirks.wording)


def _validate_source(source: Object, path: str, options: ClaimOptions) -> list[FieldError]:
    kind, group = source.get("kind", ""), source.get("apiGroup") or ""
    errors = [required(f"{path}.{name}") for name in ("name", "kind") if not source.get(name)]
    if not group and kind != "PersistentVolumeClaim":
        rule = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        errors.append(invalid(path, kind, rule))
    if group and not options.any_group:
        errors += each_invalid(f"{path}.apiGroup", group, names.is_dns1123_subdomain(group))
    return errors


def validate_claim_change(
    new: Object, old: Object, rules: ReleaseRules, options: ClaimOptions
) -> list[FieldError]:
    """Validates the changes that an update of a PersistentVolumeClaim makes.

    Does not validate the new spec; `validate_claim_spec` does.
    """
    spec, before = dict(new["spec"]), dict(old["spec"])
    if not before.get("volumeName"):
        before["volumeName"] = spec.get("volumeName", "")
    errors = _validate_class_change(new, old, spec)
    bound = (new.get("status") or {}).get("phase") == BOUND
    if bound and (spec.get("resources") or {}).get("requests") is not None:
        spec["resources"] = _with_size(spec["resources"], _size(before))
    if rules.quirks.attributes_class_may_change != "never":
        _keep_attributes_class(spec, before, rules, bound=bound)
    if not semantically_equal(_without_empty(spec), _without_empty(before)):
        difference = printed_difference(
            before, spec, rules.schemas.struct("core/v1.PersistentVolumeClaimSpec"), rules
        )
        mutable = "resources.requests"
        if rules.quirks.attributes_class_may_change != "never":
            mutable += " and volumeAttributesClassName"
        rule = f"spec is immutable after creation except {mutable} for bound claims\n{difference}"
        errors.append(forbidden("spec", rule))
    errors += _validate_shrinking(new, old, options)
    errors += validate_immutable(new["spec"].get("volumeMode"), old["spec"].get("volumeMode"), "volumeMode")
    return errors + _validate_attributes_class_change(new, old, rules, options)


def _keep_attributes_class(spec: Object, before: Object, rules: ReleaseRules, *, bound: bool) -> None:
    """Reverts a change of volumeAttributesClassName in `spec`, in place, if the change is allowed.

    A later comparison with the stored spec then ignores the change.

    - `before`: the stored spec
    - `bound`: whether the claim is bound
    """
    name = "volumeAttributesClassName"
    allowed = {
        "always": True,
        "bound and set": bound and spec.get(name) is not None,
        "bound": bound,
    }[rules.quirks.attributes_class_may_change]
    if allowed:
        spec.pop(name, None)
        if before.get(name) is not None:
            spec[name] = before[name]


def _with_size(resources: Object, size: str | None) -> Object:
    requests = {**resources["requests"], "storage": "0" if size is None else size}
    return {**resources, "requests": requests}


def _without_empty(spec: Object) -> Object:
    """Returns the fields of a spec in sorted order, without null values and an empty volumeName."""
    kept = {name: value for name, value in spec.items() if value is not None}
    return {name: kept[name] for name in sorted(kept) if name != "volumeName" or kept[name]}


def _validate_class_change(new: Object, old: Object, spec: Object) -> list[FieldError]:
    """Validates a change of the storage class, and reverts an allowed change in `spec`, in place.

    An update may add a storage class to a claim without one, or move the class from the annotation to the
    field. A later comparison with the stored spec then ignores the change.
    """
    annotations: Mapping[str, str] = new["metadata"].get("annotations") or {}
    before: Mapping[str, str] = old["metadata"].get("annotations") or {}
    name, old_name = spec.get("storageClassName"), old["spec"].get("storageClassName")
    annotated = before.get(CLASS_ANNOTATION)
    if (
        annotated is not None
        and old_name is None
        and name == annotated
        and annotations.get(CLASS_ANNOTATION, annotated) == annotated
    ):
        spec.pop("storageClassName")
        return []
    if name is not None and old_name is None and annotated in (None, name):
        spec.pop("storageClassName")
    if annotations.get(CLASS_ANNOTATION, "") == (annotated or ""):
        return []
    path, value = f"metadata.annotations.{CLASS_ANNOTATION}", annotations.get(CLASS_ANNOTATION, "")
    return [invalid(path, value, FIELD_IMMUTABLE)]


def _validate_shrinking(new: Object, old: Object, options: ClaimOptions) -> list[FieldError]:
    size, before = _size(new["spec"]) or "0", _size(old["spec"]) or "0"
    if quantity.compare(size, before) >= 0:
        return []
    if not options.recovers:
        return [forbidden(_SIZE_PATH, "field can not be less than previous value")]
    has = ((old.get("status") or {}).get("capacity") or {}).get("storage", "0")
    if quantity.compare(size, has) <= 0:
        return [forbidden(_SIZE_PATH, "field can not be less than status.capacity")]
    return []


def _validate_attributes_class_change(
    new: Object, old: Object, rules: ReleaseRules, options: ClaimOptions
) -> list[FieldError]:
    field = "volumeAttributesClassName"
    name, before = new["spec"].get(field), old["spec"].get(field)
    if name == before or rules.quirks.attributes_class_may_change == "never":
        return []
    errors: list[FieldError] = []
    if rules.drops(ATTRIBUTES_CLASS):
        rule = "update is forbidden when the VolumeAttributesClass feature gate is disabled"
        errors.append(forbidden(_CLASS_PATH, rule))
    if not options.volume.attributes_class or name:
        return errors
    if rules.quirks.attributes_class_may_change == "bound":
        current = (old.get("status") or {}).get("currentVolumeAttributesClassName")
        to = "nil" if name is None else "empty string"
        rule = f"update to {to} is forbidden when status.currentVolumeAttributesClassName is not nil"
    else:
        current, to = before, "nil" if name is None else "an empty string"
        rule = f"update from non-nil value to {to} is forbidden"
    return errors if current is None else [*errors, forbidden(_CLASS_PATH, rule)]


def validate_claim_status(new: Object, rules: ReleaseRules, options: ClaimOptions) -> list[FieldError]:
    """Validates a write to `/status` of a PersistentVolumeClaim."""
    status, errors = new["status"], list[FieldError]()
    if not new["metadata"].get("resourceVersion"):
        errors.append(required("resourceVersion"))
    if not new["spec"].get("accessModes"):
        errors.append(required("Spec.accessModes"))
    for name, amount in (status.get("capacity") or {}).items():
        errors += validate_basic_amount(amount, f"status.capacity[{name}]")
    if not options.recovers:
        return errors
    errors += _validate_resize_statuses(status, rules)
    for name, amount in (status.get("allocatedResources") or {}).items():
        errors += _validate_allocated(name, amount, "status.allocatedResources", rules)
    return errors


def _validate_resize_statuses(status: Object, rules: ReleaseRules) -> list[FieldError]:
    if not rules.quirks.claims_have_resize_statuses:
        resize_status = status.get("resizeStatus")
        if resize_status is None or resize_status in OLD_RESIZE_STATUSES:
            return []
        return [not_supported("status.resizeStatus", resize_status, OLD_RESIZE_STATUSES)]
    path, errors = f"status.{rules.quirks.resize_statuses_field}", list[FieldError]()
    for name, value in (status.get("allocatedResourceStatuses") or {}).items():
        errors += _validate_resource_key(name, path, rules)
        if value not in RESIZE_STATUSES:
            printed = printed_resource_name(name, rules.quirks.wording)
            errors.append(not_supported(path, printed, RESIZE_STATUSES))
    return errors


def _validate_allocated(name: str, amount: Any, path: str, rules: ReleaseRules) -> list[FieldError]:
    if not rules.quirks.claims_have_resize_statuses:
        if name != "storage":
            return [not_supported(path, name, ["storage"])]
    elif errors := _validate_resource_key(name, path, rules):
        return errors
    here = f"{path}[{name}]"
    below = validate_basic_amount(amount, here)
    return below or validate_resource_amount("storage", amount, here, rules.quirks.wording)


def _validate_resource_key(name: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    errors = each_invalid(path, name, names.is_qualified_name(name, rules.quirks.wording.length_unit))
    if not errors and is_native(name) and name != "storage":
        errors.append(not_supported(path, name, ["storage"]))
    return errors
