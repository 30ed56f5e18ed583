"""Defines the kind RuntimeClass of node.k8s.io.

Follows k8s.io/kubernetes `pkg/registry/node/runtimeclass` and `pkg/apis/node/validation`.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from fakeapi.kinds.common.deprecated_labels import deprecated_label_warnings
from fakeapi.kinds.common.invalid_texts import validate_dns_label
from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.kinds.common.resource_names import (
    is_huge_pages,
    is_whole_number_of_pages,
    validate_container_resource_name,
    validate_resource_amount,
)
from fakeapi.kinds.common.tolerations import validate_tolerations
from fakeapi.machinery.field_errors import FieldError, duplicate, forbidden, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.object_meta import validate_labels
from fakeapi.registry.model.columns import Cell, at
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.semantic_equality import validate_immutable
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks
from fakeapi.releases.rules import ReleaseRules

_KEY = ("key", "operator", "value", "effect")


class RuntimeClassStrategy(RulesStrategy):
    """Strategy for RuntimeClasses. The handler is immutable, and a PUT creates a missing RuntimeClass."""

    creates_on_update: ClassVar[bool] = True
    updates_unconditionally: ClassVar[bool] = False

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._handler_errors(obj["handler"]) + self._validate_others(obj)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [
            *metadata.of_object,
            *self._handler_errors(new["handler"]),
            *self._validate_others(new),
            *metadata.of_change,
            *validate_immutable(new["handler"], old["handler"], "handler"),
        ]

    def warnings_on_create(self, obj: Object) -> list[str]:
        return [
            text
            for key in sorted((obj.get("scheduling") or {}).get("nodeSelector") or ())
            for text in deprecated_label_warnings(key, "scheduling.nodeSelector")
        ]

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return self.warnings_on_create(new)

    def _handler_errors(self, handler: str) -> list[FieldError]:
        if not handler and self._rules.quirks.empty_handler_is_required:
            return [required("handler")]
        return validate_dns_label(handler, "handler")

    def _validate_others(self, obj: Object) -> list[FieldError]:
        errors: list[FieldError] = []
        if obj.get("overhead") is not None:
            errors += _validate_overhead(obj["overhead"].get("podFixed") or {}, "overhead", self._rules)
        if obj.get("scheduling") is not None:
            errors += self._validate_scheduling(obj["scheduling"])
        return errors

    def _validate_scheduling(self, scheduling: Object) -> list[FieldError]:
        wording, path = self._rules.quirks.wording, "scheduling.tolerations"
        errors = validate_labels(scheduling.get("nodeSelector") or {}, "scheduling.nodeSelector", wording)
        tolerations: Sequence[Object] = scheduling.get("tolerations") or ()
        repeats = self._rules.quirks.toleration_path_repeats
        errors += validate_tolerations(tolerations, f"{path}.tolerations" if repeats else path, self._rules)
        seen: list[tuple[str, ...]] = []
        for index, toleration in enumerate(tolerations):
            key = tuple(toleration.get(name, "") for name in _KEY)
            if key in seen:
                bad_value = printed_struct(toleration, "core/v1.Toleration", self._rules)
                errors.append(duplicate(f"{path}[{index}]", bad_value))
            seen.append(key)
        return errors


def _validate_overhead(resources: Mapping[str, str], path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates the pod overhead of a RuntimeClass with the rules for the resource limits of containers."""
    errors: list[FieldError] = []
    for name in sorted(resources):
        here, amount = f"{path}.limits[{name}]", resources[name]
        errors += validate_container_resource_name(name, here, rules.quirks.wording)
        errors += validate_resource_amount(name, amount, here, rules.quirks.wording)
        if is_huge_pages(name) and not is_whole_number_of_pages(name, amount):
            errors.append(invalid(here, amount, f"{amount} is not positive integer multiple of {name}"))
    if any(map(is_huge_pages, resources)) and not {"cpu", "memory"} & set(resources):
        errors.append(forbidden(path, "HugePages require cpu or memory"))
    return errors


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {"Handler": at("handler")}


RUNTIME_CLASS = KindDefinition(
    group="node.k8s.io",
    resource="runtimeclasses",
    strategies=of_rules(RuntimeClassStrategy),
    cells=_cells,
    core_metadata=False,
)
