"""Defines the kind CSINode of storage.k8s.io.

Follows k8s.io/kubernetes `pkg/registry/storage/csinode` and `pkg/apis/storage/validation`.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

from fakeapi.kinds.common.conditions import validate_condition_reason
from fakeapi.kinds.common.driver_names import validate_csi_driver_name
from fakeapi.kinds.common.gated_fields import GatedFields, drop_disabled_fields
from fakeapi.kinds.common.immutable_structs import validate_immutable_struct
from fakeapi.kinds.common.invalid_texts import validate_qualified_name
from fakeapi.kinds.common.numbers import validate_not_negative
from fakeapi.kinds.common.status_strategies import StatusKeptStrategy, StatusOnlyStrategy
from fakeapi.kinds.storage.csi_driver import ALLOCATABLE_COUNT
from fakeapi.machinery.field_errors import (
    FieldError,
    duplicate,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
)
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import byte_length
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

NODE_ID_MAX: Final = 256
HEALTH_CONDITIONS_MAX: Final = 16
HEALTH_REASON_MAX: Final = 256
HEALTH_MESSAGE_MAX: Final = 1024
HEALTH_STATUSES: Final = ("StorageDegraded", "StorageUnreachable")
ACCESS_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES: Final = ("Filesystem", "Block")
VOLUME_HEALTH: Final = "CSIVolumeHealth"


class CSINodeStrategy(RulesStrategy):
    """Strategy for CSINodes.

    Clients may add and remove drivers, but must not change the entry of a driver.

    From 1.33 on, clients may also change the number of volumes that a driver can attach, while the gate
    MutableCSINodeAllocatableCount is on.
    """

    updates_unconditionally: ClassVar[bool] = False

    def validate_create(self, obj: Object) -> list[FieldError]:
        errors: list[FieldError] = []
        known: set[str] = set()
        for index, driver in enumerate(obj["spec"]["drivers"] or ()):
            errors += self._validate_driver(driver, f"spec.drivers[{index}]", known)
            known.add(driver["name"])
        return errors

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = [*metadata.of_object, *self.validate_create(new)]
        if not self._rules.quirks.csi_node_updates_are_checked_once:
            errors += errors
        path = self._rules.quirks.csi_node_driver_path
        for before in old["spec"]["drivers"] or ():
            for driver in new["spec"]["drivers"] or ():
                if before["name"] == driver["name"]:
                    fixed, stored = self._fixed(driver), self._fixed(before)
                    errors += validate_immutable_struct(
                        fixed, stored, path, "storage/v1.CSINodeDriver", self._rules
                    )
        return errors

    def _fixed(self, driver: Object) -> Object:
        if self._rules.quirks.csi_node_counts_may_change and not self._rules.drops(ALLOCATABLE_COUNT):
            return {name: value for name, value in driver.items() if name != "allocatable"}
        return driver

    def _validate_driver(self, driver: Object, path: str, known: set[str]) -> list[FieldError]:
        errors = validate_csi_driver_name(driver["name"], f"{path}.name", self._rules)
        node_id = driver["nodeID"]
        if not node_id:
            errors.append(required(f"{path}.nodeID"))
        if byte_length(node_id) > NODE_ID_MAX:
            errors.append(invalid(f"{path}.nodeID", node_id, f"must be {NODE_ID_MAX} characters or less"))
        count = (driver.get("allocatable") or {}).get("count")
        if count is not None:
            errors += validate_not_negative(count, f"{path}.allocatable.count")
        if driver["name"] in known:
            errors.append(duplicate(f"{path}.name", driver["name"]))
        keys: set[str] = set()
        for key in driver["topologyKeys"] or ():
            if not key:
                errors.append(required(path))
            if key in keys:
                errors.append(duplicate(path, key))
            keys.add(key)
            errors += validate_qualified_name(key, path, self._rules.quirks.wording)
        return errors


class ReportedCSINodeStrategy(StatusKeptStrategy, CSINodeStrategy):
    """Strategy for CSINodes in releases with a status. Ignores the status that the client sends."""


STATUS_FIELDS = (GatedFields(VOLUME_HEALTH, ("status.storageHealth",)),)
"""Fields of a CSINode's status that the server drops while their feature gate is off.

Follows the status strategy of k8s.io/kubernetes `pkg/registry/storage/csinode`.
"""


class CSINodeStatusStrategy(StatusOnlyStrategy, CSINodeStrategy):
    """Strategy for `/status` of CSINodes: the health of the storage."""

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = super().prepare_update(new, old)
        return drop_disabled_fields(new, old, STATUS_FIELDS, self._rules)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = [*metadata.of_change]
        known: set[str] = set()
        for index, health in enumerate(new["status"].get("storageHealth") or ()):
            path, name = f"status.storageHealth[{index}]", health.get("name", "")
            if name in known:
                errors.append(duplicate(path, name))
            known.add(name)
            errors += self._validate_health(health, name, path)
        return errors

    def _validate_health(self, health: Object, name: str, path: str) -> list[FieldError]:
        if name:
            errors = validate_csi_driver_name(name, f"{path}.name", self._rules)
        else:
            errors = [required(f"{path}.name")]
        conditions = health.get("healthConditions") or ()
        if len(conditions) > HEALTH_CONDITIONS_MAX:
            return [*errors, too_many(f"{path}.healthConditions", len(conditions), HEALTH_CONDITIONS_MAX)]
        for index, condition in enumerate(conditions):
            errors += self._validate_condition(condition, f"{path}.healthConditions[{index}]")
        return errors

    def _validate_condition(self, condition: Object, path: str) -> list[FieldError]:
        errors: list[FieldError] = []
        status, wording = condition.get("status", ""), self._rules.quirks.too_long
        if status not in HEALTH_STATUSES:
            errors.append(not_supported(f"{path}.status", status, HEALTH_STATUSES))
        reason = condition.get("reason", "")
        if not reason:
            errors.append(required(f"{path}.reason"))
        else:
            errors += validate_condition_reason(reason, f"{path}.reason")
            if byte_length(reason) > HEALTH_REASON_MAX:
                errors.append(too_long(f"{path}.reason", HEALTH_REASON_MAX, wording))
        if byte_length(condition.get("message", "")) > HEALTH_MESSAGE_MAX:
            errors.append(too_long(f"{path}.message", HEALTH_MESSAGE_MAX, wording))
        for name, supported in (("accessMode", ACCESS_MODES), ("volumeMode", VOLUME_MODES)):
            value = condition.get(name)
            if value is not None and value not in supported:
                errors.append(not_supported(f"{path}.{name}", value, supported))
        return errors


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {"Drivers": lambda obj, now: len(obj["spec"]["drivers"] or ())}


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    if kind.subresource("status") is None:
        return {"": CSINodeStrategy(rules)}
    return {"": ReportedCSINodeStrategy(rules), "status": CSINodeStatusStrategy(rules)}


CSI_NODE = KindDefinition(group="storage.k8s.io", resource="csinodes", strategies=_strategies, cells=_cells)
