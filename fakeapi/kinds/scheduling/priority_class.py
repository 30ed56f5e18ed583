"""Defines the kind PriorityClass of scheduling.k8s.io.

Follows k8s.io/kubernetes `pkg/registry/scheduling/priorityclass` and `pkg/apis/scheduling/validation`.
"""

from collections.abc import Mapping
from typing import Final

from fakeapi.machinery import errors as api_errors
from fakeapi.machinery.field_errors import FieldError, forbidden, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell, at
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.deletion_policies import DeletionRequest, delete_after_finalizers
from fakeapi.registry.model.object_meta import with_generation
from fakeapi.registry.model.semantic_equality import validate_immutable
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

SYSTEM_PREFIX: Final = "system-"
SYSTEM_CLASSES: Final = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}
"""The names and values of Kubernetes' own PriorityClasses."""
VALUE_MAX: Final = 1_000_000_000
"""Maximum value of a user's PriorityClass. Greater values are reserved for Kubernetes."""
POLICIES: Final = ("PreemptLowerPriority", "Never")


class PriorityClassStrategy(Strategy):
    """Strategy for PriorityClasses. Rejects changes of the value and the preemption policy."""

    def prepare_create(self, obj: Object) -> Object:
        return with_generation(obj, 1)

    def validate_create(self, obj: Object) -> list[FieldError]:
        errors: list[FieldError] = []
        name, policy = obj["metadata"].get("name", ""), obj.get("preemptionPolicy")
        if name.startswith(SYSTEM_PREFIX):
            if problem := _difference_from_system(name, obj):
                rule = f"priority class names with '{SYSTEM_PREFIX}' prefix are reserved for system use only"
                errors.append(forbidden("metadata.name", f"{rule}. error: {problem}"))
        elif obj["value"] > VALUE_MAX:
            rule = f"maximum allowed value of a user defined priority is {VALUE_MAX}"
            errors.append(forbidden("value", rule))
        if policy == "":
            errors.append(required("preemptionPolicy"))
        elif policy is not None and policy not in POLICIES:
            errors.append(not_supported("preemptionPolicy", policy, POLICIES))
        return errors

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = [*metadata.of_change]
        if new["value"] != old["value"]:
            errors.append(forbidden("value", "may not be changed in an update."))
        policy, before = new.get("preemptionPolicy"), old.get("preemptionPolicy")
        return errors + validate_immutable(policy, before, "preemptionPolicy")


def _difference_from_system(name: str, obj: Object) -> str:
    """Returns the reason why an object is not the system PriorityClass `name`; "" without a difference.

    Compares only the value and globalDefault.
    """
    if name not in SYSTEM_CLASSES:
        return f"{name} is not a known system priority class"
    if obj["value"] != SYSTEM_CLASSES[name]:
        return f"value of {name} PriorityClass must be {SYSTEM_CLASSES[name]}"
    return f"globalDefault of {name} PriorityClass must be false" if obj.get("globalDefault") else ""


def _delete(obj: Object, request: DeletionRequest) -> Object | None:
    """Deletes a PriorityClass, or marks it for deletion if it has finalizers.

    Returns the remaining object; None if the PriorityClass is deleted. Raises ApiError 403 for system
    classes, and 409 if a precondition of the delete fails.
    """
    name = obj["metadata"]["name"]
    if name in SYSTEM_CLASSES:
        why = "this is a system priority class and cannot be deleted"
        raise api_errors.forbidden(request.qualified, name, why)
    return delete_after_finalizers(obj, request)


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "Value": lambda obj, now: int(obj["value"]),
        "Global-Default": lambda obj, now: bool(obj.get("globalDefault")),
        "PreemptionPolicy": at("preemptionPolicy"),
    }


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": PriorityClassStrategy()}


PRIORITY_CLASS = KindDefinition(
    group="scheduling.k8s.io",
    resource="priorityclasses",
    strategies=_strategies,
    cells=_cells,
    deletion=_delete,
)
