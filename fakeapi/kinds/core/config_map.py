"""Defines the kind core/v1 ConfigMap.

Follows k8s.io/kubernetes `pkg/registry/core/configmap` and ValidateConfigMap of `pkg/apis/core/validation`.
These packages have the same rules in 1.27 to 1.37; only error messages differ.
"""

from fakeapi.kinds.core.immutable_data import (
    DATA_BYTES_MAX,
    decoded,
    key_errors,
    size_of_text,
    validate_immutable_data,
)
from fakeapi.machinery.field_errors import FieldError, invalid, too_long
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy


class ConfigMapStrategy(RulesStrategy):
    """Validates new and updated ConfigMaps."""

    def validate_create(self, obj: Object) -> list[FieldError]:
        data: dict[str, str] = obj.get("data") or {}
        binary: dict[str, str] = obj.get("binaryData") or {}
        errors: list[FieldError] = []
        for key in sorted(data):
            errors += key_errors((key,), "data")
            if key in binary:
                errors.append(invalid(f"data[{key}]", key, "duplicate of key present in binaryData"))
        errors += key_errors(binary, "binaryData")
        size = size_of_text(data.values()) + sum(len(decoded(value)) for value in binary.values())
        if size > DATA_BYTES_MAX:
            errors.append(too_long("[]", DATA_BYTES_MAX, self._rules.quirks.too_long))
        return errors

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        changed = validate_immutable_data(new, old, "data", "binaryData")
        return [*metadata.of_change, *changed, *metadata.of_object, *self.validate_create(new)]


def _count(obj: Object, now: float) -> int:
    return len(obj.get("data") or ()) + len(obj.get("binaryData") or ())


CONFIG_MAP = KindDefinition(
    group="",
    resource="configmaps",
    strategies=of_rules(ConfigMapStrategy),
    cells=lambda quirks: {"Data": _count},
)
