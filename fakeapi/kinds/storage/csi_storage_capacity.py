"""Defines the kind CSIStorageCapacity of storage.k8s.io.

Follows k8s.io/kubernetes `pkg/registry/storage/csistoragecapacity` and `pkg/apis/storage/validation`.
"""

from typing import ClassVar

from fakeapi.kinds.common.deprecated_labels import label_selector_warnings
from fakeapi.kinds.common.invalid_texts import each_invalid
from fakeapi.kinds.common.label_selectors import validate_label_selector
from fakeapi.kinds.common.printing.values import printed_selector
from fakeapi.kinds.common.resource_names import validate_not_negative_quantity
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.model.columns import CREATED_AT_COLUMN, Column
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.semantic_equality import validate_immutable
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks


class CSIStorageCapacityStrategy(RulesStrategy):
    """Strategy for CSIStorageCapacities. Rejects changes of the topology and the storage class."""

    updates_unconditionally: ClassVar[bool] = False

    def validate_create(self, obj: Object) -> list[FieldError]:
        errors = self._validate(obj, checks_values=True)
        return errors + errors if self._rules.quirks.capacities_are_checked_twice else errors

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        was_valid = not self._selector_errors(old, checks_values=True)
        return [
            *metadata.of_object,
            *self._validate(new, checks_values=was_valid),
            *metadata.of_change,
            *validate_immutable(
                new.get("nodeTopology"),
                old.get("nodeTopology"),
                "nodeTopology",
                lambda selector: printed_selector(selector, self._rules),
            ),
            *validate_immutable(new["storageClassName"], old["storageClassName"], "storageClassName"),
        ]

    def warnings_on_create(self, obj: Object) -> list[str]:
        return label_selector_warnings(obj.get("nodeTopology"), "nodeTopology")

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return self.warnings_on_create(new)

    def _selector_errors(self, obj: Object, *, checks_values: bool) -> list[FieldError]:
        return validate_label_selector(
            obj.get("nodeTopology"), "nodeTopology", self._rules.quirks.wording, checks_values=checks_values
        )

    def _validate(self, obj: Object, *, checks_values: bool) -> list[FieldError]:
        name = obj["storageClassName"]
        errors = self._selector_errors(obj, checks_values=checks_values)
        errors += each_invalid("storageClassName", name, names.is_dns1123_subdomain(name))
        if obj.get("capacity") is not None:
            errors += validate_not_negative_quantity(obj["capacity"], "capacity")
        return errors


def _columns(schema: Struct, quirks: Quirks) -> tuple[Column, ...]:
    """Returns only the column for the creation time.

    Upstream has a printer for the kind but does not use it.
    """
    return (CREATED_AT_COLUMN,)


CSI_STORAGE_CAPACITY = KindDefinition(
    group="storage.k8s.io",
    resource="csistoragecapacities",
    strategies=of_rules(CSIStorageCapacityStrategy),
    columns=_columns,
    shows_age=False,
)
