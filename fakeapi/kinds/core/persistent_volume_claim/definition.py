"""Defines the kind core/v1 PersistentVolumeClaim.

Follows k8s.io/kubernetes `pkg/registry/core/persistentvolumeclaim` and `pkg/api/persistentvolumeclaim`.
"""

from collections.abc import Mapping
from typing import ClassVar

from fakeapi.kinds.common.gated_fields import REMOVED, GatedFields, drop_disabled_fields
from fakeapi.kinds.common.status_strategies import SpecKeptStrategy
from fakeapi.kinds.core.persistent_volume.spec import ATTRIBUTES_CLASS
from fakeapi.kinds.core.persistent_volume_claim.data_sources import (
    ANY_SOURCE,
    CROSS_NAMESPACE,
    drop_reference_across_namespaces,
    with_known_source,
    with_matching_sources,
)
from fakeapi.kinds.core.persistent_volume_claim.validation import (
    claim_options,
    validate_claim_change,
    validate_claim_spec,
    validate_claim_status,
)
from fakeapi.kinds.core.storage_class_name import CLASS_ANNOTATION
from fakeapi.kinds.core.volume_cells import access_modes, class_of, unset_or
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.model.columns import Cell, at
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

EXPANSION_RECOVERY = "RecoverVolumeExpansionFailure"
VOLUME_HEALTH = "CSIVolumeHealth"


CLAIM_FIELDS = (
    GatedFields(ATTRIBUTES_CLASS, ("spec.volumeAttributesClassName",)),
    GatedFields(ANY_SOURCE, ("spec.dataSourceRef",)),
    GatedFields(
        CROSS_NAMESPACE,
        ("spec.dataSourceRef.namespace",),
        ("spec.dataSourceRef",),
        take_away=drop_reference_across_namespaces,
    ),
    GatedFields(
        REMOVED,
        ("spec.resources.claims",),
        used_at=(),
        when=lambda quirks: quirks.claims_drop_resource_claims,
    ),
)
"""Fields of a PersistentVolumeClaim's spec that the server drops while their feature gate is off.

Follows `DropDisabledFields` of k8s.io/kubernetes `pkg/api/persistentvolumeclaim`.
"""

CLAIM_STATUS_FIELDS = (
    GatedFields(ATTRIBUTES_CLASS, ("status.currentVolumeAttributesClassName",)),
    GatedFields(ATTRIBUTES_CLASS, ("status.modifyVolumeStatus",)),
    GatedFields(EXPANSION_RECOVERY, ("status.allocatedResources",)),
    GatedFields(EXPANSION_RECOVERY, ("status.allocatedResourceStatuses",)),
    GatedFields(EXPANSION_RECOVERY, ("status.resizeStatus",)),
    GatedFields(VOLUME_HEALTH, ("status.healthStatus",)),
)
"""Fields of a PersistentVolumeClaim's status that the server drops while their feature gate is off.

Follows `DropDisabledFieldsFromStatus` in k8s.io/kubernetes `pkg/api/persistentvolumeclaim`.
"""


class PersistentVolumeClaimStrategy(Strategy):
    """Prepares and validates new and updated PersistentVolumeClaims.

    An update of a bound claim may request more storage.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)
    rewrites_created: ClassVar[bool] = True  # The first update stores the default of status.phase.

    def __init__(self, rules: ReleaseRules, kind: Kind) -> None:
        self._rules = rules
        self._kind = kind

    @property
    def _spec_type(self) -> Struct:
        node = self._kind.schema.fields["spec"].node
        assert isinstance(node, Struct), "the spec of a claim is a struct"
        return node

    def prepare_create(self, obj: Object) -> Object:
        obj["status"] = {"phase": "Pending"}
        return self._with_sources(drop_disabled_fields(obj, None, CLAIM_FIELDS, self._rules), None)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["status"] = old["status"]
        return self._with_sources(drop_disabled_fields(new, old, CLAIM_FIELDS, self._rules), old)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return validate_claim_spec(obj["spec"], "spec", self._rules, claim_options(self._rules, None))

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        options = claim_options(self._rules, old)
        errors = [*metadata.of_object, *validate_claim_spec(new["spec"], "spec", self._rules, options)]
        again = [] if self._rules.quirks.updates_are_checked_once else errors
        before = {**old, "spec": with_matching_sources(old["spec"], self._spec_type, self._rules)}
        changed = validate_claim_change(new, before, self._rules, options)
        return [*again, *metadata.of_change, *errors, *changed]

    def warnings_on_create(self, obj: Object) -> list[str]:
        warnings: list[str] = []
        annotations = obj["metadata"].get("annotations") or {}
        if CLASS_ANNOTATION in annotations and self._rules.quirks.volumes_warn_of_deprecation:
            use = 'deprecated since v1.8; use "storageClassName" attribute instead'
            warnings.append(f"metadata.annotations[{CLASS_ANNOTATION}]: {use}")
        return warnings + claim_spec_warnings(obj["spec"], "spec")

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return self.warnings_on_create(new)

    def _with_sources(self, obj: Object, old: Object | None) -> Object:
        spec = with_known_source(obj["spec"], None if old is None else old["spec"])
        obj["spec"] = with_matching_sources(spec, self._spec_type, self._rules)
        return obj


class PersistentVolumeClaimStatusStrategy(SpecKeptStrategy, PersistentVolumeClaimStrategy):
    """Prepares and validates writes to `/status` of a PersistentVolumeClaim.

    Such writes may change metadata too.
    """

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = super().prepare_update(new, old)
        return drop_disabled_fields(new, old, CLAIM_STATUS_FIELDS, self._rules)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        options = claim_options(self._rules, old)
        return [*metadata.of_change, *validate_claim_status(new, self._rules, options)]

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return []


def claim_spec_warnings(spec: Object, path: str) -> list[str]:
    """Returns a warning for each storage quantity that is not a whole number of bytes."""
    return [
        f'{path}.resources.{part}[storage]: fractional byte value "{amount}" is invalid, must be an integer'
        for part in ("requests", "limits")
        for amount in [((spec.get("resources") or {}).get(part) or {}).get("storage")]
        if amount is not None and quantity.parse(amount).amount % 1
    ]


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "Status": lambda obj, now: (
            "Terminating" if obj["metadata"].get("deletionTimestamp") else obj["status"].get("phase", "")
        ),
        "Volume": at("spec", "volumeName"),
        "Capacity": _capacity,
        "Access Modes": lambda obj, now: (
            access_modes(obj["status"].get("accessModes")) if obj["spec"].get("volumeName") else ""
        ),
        "StorageClass": class_of,
        "VolumeAttributesClass": unset_or("volumeAttributesClassName"),
        "VolumeMode": unset_or("volumeMode"),
    }


def _capacity(obj: Object, now: float) -> str:
    if not obj["spec"].get("volumeName"):
        return ""
    capacity: Mapping[str, str] = obj["status"].get("capacity") or {}
    return capacity.get("storage", "0")


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {
        "": PersistentVolumeClaimStrategy(rules, kind),
        "status": PersistentVolumeClaimStatusStrategy(rules, kind),
    }


PERSISTENT_VOLUME_CLAIM = KindDefinition(
    group="",
    resource="persistentvolumeclaims",
    strategies=_strategies,
    cells=_cells,
    table_subresources=frozenset(("status",)),
)
