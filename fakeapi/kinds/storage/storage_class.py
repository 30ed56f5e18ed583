"""Defines the kind StorageClass of storage.k8s.io.

Follows k8s.io/kubernetes `pkg/registry/storage/storageclass` and `pkg/apis/storage/validation`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeapi.kinds.common.deprecated_labels import deprecated_label_warnings
from fakeapi.kinds.common.invalid_texts import validate_qualified_name
from fakeapi.kinds.storage.provisioning import validate_parameters, validate_provisioner
from fakeapi.machinery.field_errors import FieldError, duplicate, forbidden, not_supported, required
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell, at
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.semantic_equality import validate_immutable
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks
from fakeapi.releases.rules import ReleaseRules

DEFAULT_ANNOTATIONS: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
RECLAIM_POLICIES: Final = ("Delete", "Retain")
BINDING_MODES: Final = ("Immediate", "WaitForFirstConsumer")
FIXED_FIELDS: Final = ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode")
"""Immutable fields of a StorageClass, in the order of their errors."""


class StorageClassStrategy(RulesStrategy):
    """Strategy for StorageClasses. FIXED_FIELDS lists the immutable fields."""

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._validate(obj)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [
            *metadata.of_object,
            *self._validate(new),
            *metadata.of_change,
            *self._validate_change(new, old),
        ]

    def warnings_on_create(self, obj: Object) -> list[str]:
        return [
            text
            for index, term in enumerate(obj.get("allowedTopologies") or ())
            for position, expression in enumerate(term.get("matchLabelExpressions") or ())
            for text in deprecated_label_warnings(
                expression["key"], f"allowedTopologies[{index}].matchLabelExpressions[{position}].key"
            )
        ]

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return self.warnings_on_create(new)

    def _validate(self, obj: Object) -> list[FieldError]:
        errors = validate_provisioner(obj["provisioner"], "provisioner", self._rules)
        errors += validate_parameters(obj.get("parameters"), "parameters", self._rules, may_be_empty=True)
        policy, mode = obj.get("reclaimPolicy"), obj.get("volumeBindingMode")
        if policy and policy not in RECLAIM_POLICIES:
            errors.append(not_supported("reclaimPolicy", policy, RECLAIM_POLICIES))
        if mode is None:
            errors.append(required("volumeBindingMode"))
        elif mode not in BINDING_MODES:
            errors.append(not_supported("volumeBindingMode", mode, BINDING_MODES))
        return errors + _validate_topologies(obj.get("allowedTopologies") or (), self._rules)

    def _validate_change(self, new: Object, old: Object) -> list[FieldError]:
        errors: list[FieldError] = []
        for name in FIXED_FIELDS:
            if not self._rules.quirks.class_changes_are_forbidden or name == "volumeBindingMode":
                errors += validate_immutable(new.get(name), old.get(name), name, self._printed)
            elif new.get(name) != old.get(name):
                errors.append(forbidden(name, f"updates to {name} are forbidden."))
        return errors

    def _printed(self, value: Any) -> Any:
        return value if isinstance(value, str) else Dump(self._rules.quirks.wording.json(value or None))


def _validate_topologies(terms: Sequence[Object], rules: ReleaseRules) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: list[dict[str, frozenset[str]]] = [{} for _ in terms]
    # Upstream also compares each term with n empty terms, where n is the number of terms.
    for index, term in enumerate(terms):
        path = f"allowedTopologies[{index}]"
        values: dict[str, frozenset[str]] = {}
        for position, expression in enumerate(term.get("matchLabelExpressions") or ()):
            here = f"{path}.matchLabelExpressions[{position}]"
            errors += _validate_expression(expression, here, rules)
            if expression["key"] in values:
                errors.append(duplicate(f"{here}.key", expression["key"]))
            values[expression["key"]] = frozenset(expression["values"] or ())
        errors += [duplicate(f"{path}.matchLabelExpressions", "") for earlier in seen if earlier == values]
        seen.append(values)
    return errors


def _validate_expression(expression: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    values = expression["values"] or ()
    errors = [] if values else [required(f"{path}.values")]
    known: set[str] = set()
    for index, value in enumerate(values):
        if value in known:
            errors.append(duplicate(f"{path}.values[{index}]", value))
        known.add(value)
    return errors + validate_qualified_name(expression["key"], f"{path}.key", rules.quirks.wording)


def _name(obj: Object, now: float) -> str:
    annotations: Mapping[str, str] = obj["metadata"].get("annotations") or {}
    is_default = any(annotations.get(name) == "true" for name in DEFAULT_ANNOTATIONS)
    return f"{obj['metadata']['name']} (default)" if is_default else str(obj["metadata"]["name"])


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "Name": at("metadata", "name") if quirks.one_storage_class_is_default else _name,
        "Provisioner": at("provisioner"),
        "ReclaimPolicy": lambda obj, now: obj.get("reclaimPolicy", "Delete"),
        "VolumeBindingMode": lambda obj, now: obj.get("volumeBindingMode", "Immediate"),
        "AllowVolumeExpansion": lambda obj, now: obj.get("allowVolumeExpansion") or False,
    }


STORAGE_CLASS = KindDefinition(
    group="storage.k8s.io", resource="storageclasses", strategies=of_rules(StorageClassStrategy), cells=_cells
)
