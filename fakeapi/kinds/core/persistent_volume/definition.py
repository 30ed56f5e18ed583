"""Defines the kind core/v1 PersistentVolume.

Follows k8s.io/kubernetes `pkg/registry/core/persistentvolume`, `pkg/api/persistentvolume`,
`pkg/apis/core/validation` and `pkg/volume/validation`.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from fakeapi.kinds.common.deprecated_labels import node_selector_warnings
from fakeapi.kinds.common.gated_fields import GatedFields, drop_disabled_fields
from fakeapi.kinds.common.printing.differences import printed_difference
from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.kinds.common.status_strategies import SpecKeptStrategy
from fakeapi.kinds.core.persistent_volume.internal_form import internal_source
from fakeapi.kinds.core.persistent_volume.sources import SOURCES
from fakeapi.kinds.core.persistent_volume.spec import (
    ATTRIBUTES_CLASS,
    VolumeOptions,
    validate_volume_spec,
    volume_options,
)
from fakeapi.kinds.core.storage_class_name import CLASS_ANNOTATION
from fakeapi.kinds.core.volume_cells import access_modes, class_of, unset_or
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell, at
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.semantic_equality import FIELD_IMMUTABLE, semantically_equal, validate_immutable
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

MOUNT_OPTIONS: Final = "volume.beta.kubernetes.io/mount-options"
TRANSITION_TIME: Final = "PersistentVolumeLastPhaseTransitionTime"
MUTABLE_AFFINITY: Final = "MutablePVNodeAffinity"
_TIME: Final = "lastPhaseTransitionTime"
_TAKE_OPTIONS: Final = (
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "nfs",
    "rbd",
    "quobyte",
    "iscsi",
    "cinder",
    "cephfs",
    "azureFile",
    "vsphereVolume",
    "azureDisk",
    "photonPersistentDisk",
)
"""Volume sources that support the mount options annotation."""
_DEPRECATED: Final = {
    "cephfs": ("cephfs", "v1.28", "v1.31"),
    "photonPersistentDisk": ("photonPersistentDisk", "v1.11", "v1.16"),
    "scaleIO": ("scaleIO", "v1.16", "v1.22"),
    "storageos": ("storageOS", "v1.22", "v1.25"),
    "glusterfs": ("glusterfs", "v1.25", "v1.26"),
    "rbd": ("rbd", "v1.28", "v1.31"),
}
"""Maps each deprecated volume source to three strings:

- its name in warnings
- the release that deprecates it
- the first release in which it has no effect
"""
_LABELS_SINCE_GA: Final = {
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
}

VOLUME_FIELDS = (
    GatedFields(
        ATTRIBUTES_CLASS,
        ("spec.volumeAttributesClassName",),
        when=lambda quirks: not quirks.attributes_class_stays_when_off,
    ),
)
"""Fields of a PersistentVolume's spec that the server drops while their feature gate is off.

Follows `DropDisabledSpecFields` of k8s.io/kubernetes `pkg/api/persistentvolume`.
"""

VOLUME_STATUS_FIELDS = (GatedFields(TRANSITION_TIME, ("status.lastPhaseTransitionTime",)),)
"""Fields of a PersistentVolume's status that the server drops while their feature gate is off.

Follows `DropDisabledStatusFields` of k8s.io/kubernetes `pkg/api/persistentvolume`.
"""


class PersistentVolumeStrategy(Strategy):
    """Prepares and validates new and updated PersistentVolumes.

    Updates keep the stored status, and must not change the volume source.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)

    def __init__(self, rules: ReleaseRules, now: Callable[[], str]) -> None:
        self._rules = rules
        self._now = now

    def prepare_create(self, obj: Object) -> Object:
        obj["status"] = {"phase": "Pending"}
        if self._keeps_transitions:
            obj["status"]["lastPhaseTransitionTime"] = self._now()
        return drop_disabled_fields(obj, None, VOLUME_FIELDS, self._rules)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["status"] = old["status"]
        return drop_disabled_fields(new, old, VOLUME_FIELDS, self._rules)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._validate(obj, volume_options(self._rules, None)) + _validate_mount_options(obj)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = [*metadata.of_object, *self._validate(new, volume_options(self._rules, old["spec"]))]
        return [
            *errors,
            *_validate_mount_options(new),
            *errors,
            *self._validate_change(new["spec"], old["spec"]),
        ]

    def warnings_on_create(self, obj: Object) -> list[str]:
        spec, quirks = obj["spec"], self._rules.quirks
        if not quirks.volumes_warn_of_deprecation:
            return _affinity_warnings(spec)
        annotations = obj["metadata"].get("annotations") or {}
        warnings: list[str] = []
        if CLASS_ANNOTATION in annotations:
            use = 'deprecated since v1.8; use "storageClassName" attribute instead'
            warnings.append(f"metadata.annotations[{CLASS_ANNOTATION}]: {use}")
        if MOUNT_OPTIONS in annotations and quirks.mount_options_are_deprecated:
            use = 'deprecated since v1.31; use "mountOptions" attribute instead'
            warnings.append(f"metadata.annotations[{MOUNT_OPTIONS}]: {use}")
        if spec.get("persistentVolumeReclaimPolicy") == "Recycle" and quirks.recycling_is_deprecated:
            warnings.append(
                "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the "
                "recommended approach is to use dynamic provisioning."
            )
        warnings += _affinity_warnings(spec)
        return warnings + [
            f"spec.{field}: deprecated in {since}, non-functional in {gone}+"
            for name, (field, since, gone) in _DEPRECATED.items()
            if spec.get(name) is not None
        ]

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return self.warnings_on_create(new)

    @property
    def _keeps_transitions(self) -> bool:
        return self._rules.quirks.volumes_keep_transitions and not self._rules.drops(TRANSITION_TIME)

    def _validate(self, obj: Object, options: VolumeOptions) -> list[FieldError]:
        name = obj["metadata"].get("name", "")
        return validate_volume_spec(obj["spec"], name, "spec", self._rules, options)

    def _validate_change(self, new: Object, old: Object) -> list[FieldError]:
        errors: list[FieldError] = []
        source, before = _source(_without_new_secret(new, old)), _source(old)
        if not semantically_equal(source, before):
            difference = printed_difference(before, source, internal_source(self._rules), self._rules)
            rule = f"spec.persistentvolumesource is immutable after creation\n{difference}"
            errors.append(forbidden("spec.persistentvolumesource", rule))
        errors += validate_immutable(new.get("volumeMode"), old.get("volumeMode"), "volumeMode")
        if old.get("nodeAffinity") is not None and not self._affinity_may_change:
            errors += self._validate_affinity(new.get("nodeAffinity"), old["nodeAffinity"])
        return errors + self._validate_attributes_class(new, old)

    @property
    def _affinity_may_change(self) -> bool:
        return self._rules.gates.enabled(MUTABLE_AFFINITY)

    def _validate_affinity(self, new: Any, old: Any) -> list[FieldError]:
        if semantically_equal(new, old) or semantically_equal(_with_new_labels(old, new), new):
            return []
        printed = printed_struct(new, "core/v1.VolumeNodeAffinity", self._rules)
        return [
            invalid("nodeAffinity", printed, f"{FIELD_IMMUTABLE}, except for updating from beta label to GA")
        ]

    def _validate_attributes_class(self, new: Object, old: Object) -> list[FieldError]:
        name, before = new.get("volumeAttributesClassName"), old.get("volumeAttributesClassName")
        if name == before:
            return []
        path, errors = "spec.volumeAttributesClassName", list[FieldError]()
        if self._rules.drops(ATTRIBUTES_CLASS):
            rule = "update is forbidden when the VolumeAttributesClass feature gate is disabled"
            errors.append(forbidden(path, rule))
        if before is not None and name is None:
            errors.append(forbidden(path, "update from non-nil value to nil is forbidden"))
        return errors


class PersistentVolumeStatusStrategy(SpecKeptStrategy, PersistentVolumeStrategy):
    """Prepares and validates writes to `/status` of a PersistentVolume. Such writes may change metadata."""

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = super().prepare_update(new, old)
        if self._keeps_transitions:
            new["status"] = self._with_transition_time(new["status"], old["status"])
        return drop_disabled_fields(new, old, VOLUME_STATUS_FIELDS, self._rules)

    def _with_transition_time(self, status: Object, before: Object) -> Object:
        stamp, stored = status.get(_TIME), before.get(_TIME)
        if status.get("phase") != before.get("phase"):
            stamp = self._now() if stamp in (None, stored) else stamp
        elif stamp is None:
            stamp = stored
        return status if stamp is None else {**status, _TIME: stamp}

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = [*metadata.of_change]
        if not new["metadata"].get("resourceVersion"):
            errors.append(required("resourceVersion"))
        return errors

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return []


def _source(spec: Object) -> Object:
    return {name: spec[name] for name in SOURCES if spec.get(name) is not None}


def _without_new_secret(new: Object, old: Object) -> Object:
    """Returns `new` without a controllerExpandSecretRef that `old` does not have.

    Updates may add this field although the volume source is immutable.
    """
    csi, before = new.get("csi"), old.get("csi")
    if csi is None or before is None or before.get("controllerExpandSecretRef") is not None:
        return new
    return {**new, "csi": {name: value for name, value in csi.items() if name != "controllerExpandSecretRef"}}


def _with_new_labels(old: Any, new: Any) -> Any:
    """Returns the node affinity `old` with beta node labels replaced, where `new` has the stable label."""
    if isinstance(old, dict) and isinstance(new, dict):
        replaced = {name: _with_new_labels(value, new.get(name)) for name, value in old.items()}
        if "operator" in old and _LABELS_SINCE_GA.get(str(old.get("key"))) == new.get("key", ""):
            replaced["key"] = new["key"]
        return replaced
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [_with_new_labels(item, other) for item, other in zip(old, new, strict=True)]
    return old


def _affinity_warnings(spec: Object) -> list[str]:
    required_terms = (spec.get("nodeAffinity") or {}).get("required")
    return node_selector_warnings(required_terms, "spec.nodeAffinity.required.nodeSelectorTerms")


def _validate_mount_options(obj: Object) -> list[FieldError]:
    annotations = obj["metadata"].get("annotations") or {}
    if MOUNT_OPTIONS not in annotations or any(obj["spec"].get(name) is not None for name in _TAKE_OPTIONS):
        return []
    rule = "may not specify mount options for this volume type"
    return [forbidden(f"metadata.annotations.{MOUNT_OPTIONS}", rule)]


def _claim(obj: Object, now: float) -> str:
    claim = obj["spec"].get("claimRef")
    return "" if claim is None else f"{claim.get('namespace', '')}/{claim.get('name', '')}"


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "Capacity": lambda obj, now: (obj["spec"].get("capacity") or {}).get("storage", "0"),
        "Access Modes": lambda obj, now: access_modes(obj["spec"].get("accessModes")),
        "Reclaim Policy": at("spec", "persistentVolumeReclaimPolicy"),
        "Status": lambda obj, now: (
            "Terminating" if obj["metadata"].get("deletionTimestamp") else obj["status"].get("phase", "")
        ),
        "Claim": _claim,
        "StorageClass": class_of,
        "VolumeAttributesClass": unset_or("volumeAttributesClassName"),
        "Reason": at("status", "reason"),
        "VolumeMode": unset_or("volumeMode"),
    }


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {
        "": PersistentVolumeStrategy(rules, context.now),
        "status": PersistentVolumeStatusStrategy(rules, context.now),
    }


PERSISTENT_VOLUME = KindDefinition(
    group="",
    resource="persistentvolumes",
    strategies=_strategies,
    cells=_cells,
    table_subresources=frozenset(("status",)),
)
