"""Defines strategies for FlowSchemas and PriorityLevelConfigurations.

Follows k8s.io/kubernetes `pkg/registry/flowcontrol`.
"""

from typing import Any, ClassVar

from fakeapi.kinds.common.status_strategies import StatusKeptStrategy
from fakeapi.machinery.field_errors import FieldError, duplicate, required
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.object_meta import in_order
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases.rules import ReleaseRules

GROUP = "flowcontrol.apiserver.k8s.io"


class FlowControlStrategy(StatusKeptStrategy, RulesStrategy):
    """Strategy for FlowSchemas and PriorityLevelConfigurations; ignores the status that the client sends."""

    counts_generations: ClassVar[bool] = True

    def errors_of(self, obj: Object) -> list[FieldError]:
        """Returns the errors of an object, except errors of its conditions.

        Subclasses override this method.
        """
        return []

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self.errors_of(obj)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_object, *self.errors_of(new), *condition_errors(new, self._rules)]


class FlowControlStatusStrategy(RulesStrategy):
    """Strategy for `/status` of FlowSchemas and PriorityLevelConfigurations. Changes only the status."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("metadata",), ("spec",))

    def prepare_update(self, new: Object, old: Object) -> Object:
        managed = new["metadata"].get("managedFields")
        kept = {name: value for name, value in old["metadata"].items() if name != "managedFields"}
        metadata = in_order({**kept, **({"managedFields": managed} if managed else {})})
        return {**new, "metadata": metadata, "spec": old["spec"]}

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return condition_errors(new, self._rules)


def condition_errors(obj: Object, rules: ReleaseRules) -> list[FieldError]:
    """Validates the conditions of a FlowSchema or PriorityLevelConfiguration.

    The types of the conditions must be unique and not empty.
    """
    errors: list[FieldError] = []
    seen: set[str] = set()
    conditions: list[dict[str, Any]] = obj.get("status", {}).get("conditions") or []
    for index, condition in enumerate(conditions):
        path, kind = f"status.conditions[{index}].type", condition.get("type", "")
        if kind in seen:
            errors.append(duplicate(path, kind))
        seen.add(kind)
        if not kind:
            errors.append(required(path, rules.quirks.flow_condition_type_required))
    return errors
