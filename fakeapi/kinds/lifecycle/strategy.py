"""Defines strategies and table cells for Evictions and EvictionRequests.

Follows k8s.io/kubernetes `pkg/registry/lifecycle`. Declarative validation checks most rules of a spec.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from fakeapi.kinds.common.conditions import validate_conditions
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.registry.model.object_meta import for_status, with_generation, with_next_generation
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases.rules import ReleaseRules

GROUP: Final = "lifecycle.k8s.io"
EVICTED: Final = "TargetEvicted"
FAILED: Final = "Failed"
UNSET: Final = "<unset>"


def name_is_long_name(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - a NameValidator
    """Validates a name: it must be a DNS subdomain. Accepts every `metadata.generateName`.

    `prefix`: whether `name` is a `metadata.generateName`
    """
    return [] if prefix else names.is_dns1123_subdomain(name, "bytes")


class TargetedStrategy(Strategy):
    """Strategy for Evictions and EvictionRequests. Ignores the status that the client sends."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)
    updates_unconditionally: ClassVar[bool] = False

    def __init__(self, rules: ReleaseRules) -> None:
        self._rules = rules

    def prepare_create(self, obj: Object) -> Object:
        obj["status"] = {}
        return with_generation(obj, 1)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["status"] = old["status"]
        return with_next_generation(new, old)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change]


class TargetedStatusStrategy(TargetedStrategy):
    """Strategy for `/status` of Evictions and EvictionRequests. Changes only the status."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("metadata",), ("spec",))

    def prepare_update(self, new: Object, old: Object) -> Object:
        return for_status(new, old)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        conditions = new["status"].get("conditions") or ()
        return [*metadata.of_change, *validate_conditions(conditions, "status.conditions", self._rules)]


def true_condition(conditions: Sequence[Any], kind: str) -> Any:
    """Returns the first condition of the type `kind` if its status is True; None otherwise."""
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
