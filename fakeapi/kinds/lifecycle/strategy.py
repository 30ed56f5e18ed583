"""Defines strategies and table cells for Evictions and EvictionRequests.

Follows k8s.io/kubernetes `pkg/registry/lifecycle`. Declarative validation checks most rules of a spec.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from fakeapi.kinds.common.conditions import validate_conditions
from fakeapi.kinds.common.status_strategies import StatusKeptStrategy, StatusOnlyStrategy
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy

GROUP: Final = "lifecycle.k8s.io"
EVICTED: Final = "TargetEvicted"
FAILED: Final = "Failed"
UNSET: Final = "<unset>"


def name_is_long_name(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - a NameValidator
    """Validates a name: it must be a DNS subdomain. Accepts every `metadata.generateName`.

    `prefix`: whether `name` is a `metadata.generateName`
    """
    return [] if prefix else names.is_dns1123_subdomain(name, "bytes")


class TargetedStrategy(StatusKeptStrategy, RulesStrategy):
    """Strategy for Evictions and EvictionRequests. Ignores the status that the client sends."""

    counts_generations: ClassVar[bool] = True
    updates_unconditionally: ClassVar[bool] = False

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change]


class TargetedStatusStrategy(StatusOnlyStrategy, TargetedStrategy):
    """Strategy for `/status` of Evictions and EvictionRequests. Changes only the status."""

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        conditions = new["status"].get("conditions") or ()
        return [*metadata.of_change, *validate_conditions(conditions, "status.conditions", self._rules)]


def true_condition(conditions: Sequence[Any], kind: str) -> Any:
    """Returns the first condition of the type `kind` if the status is True; otherwise None."""
    condition = condition_of(conditions, kind)
    return condition if condition is not None and condition["status"] == "True" else None


def condition_of(conditions: Sequence[Any], kind: str) -> Any:
    """Returns the first condition of the type `kind`, or None."""
    return next((condition for condition in conditions if condition["type"] == kind), None)


def target_cell(obj: Object, now: float) -> str:
    pod = obj["spec"]["target"].get("pod")
    return UNSET if pod is None else str(pod["name"])


def target_type_cell(obj: Object, now: float) -> str:
    return UNSET if obj["spec"]["target"].get("pod") is None else "Pod"


def status_cell(obj: Object, now: float) -> str:
    """Returns the table cell for progress: a final condition with its reason, "Progressing", or "Pending"."""
    status = obj["status"]
    conditions = status.get("conditions") or ()
    for kind in (EVICTED, FAILED):
        if condition := true_condition(conditions, kind):
            return f"{kind} ({condition['reason']})"
    return "Progressing" if (status.get("observedGeneration") or 0) > 0 else "Pending"
