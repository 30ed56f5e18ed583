"""Strategies that both kinds of lifecycle.k8s.io share, and the cells that both print.

Follows k8s.io/kubernetes `pkg/registry/lifecycle`. Most rules of a spec are declared ones.
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
    """Errors of a name; the prefix that one is generated from is not judged."""
    return [] if prefix else names.is_dns1123_subdomain(name, "bytes")


class TargetedStrategy(Strategy):
    """Writes to the object itself, which never change its status."""

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
    """Writes to `/status`, which change nothing else."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("metadata",), ("spec",))

    def prepare_update(self, new: Object, old: Object) -> Object:
        return for_status(new, old)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        conditions = new["status"].get("conditions") or ()
        return [*metadata.of_change, *validate_conditions(conditions, "status.conditions", self._rules)]


def true_condition(conditions: Sequence[Any], kind: str) -> Any:
    """The first condition of a type, if it is true."""
    found = condition_of(conditions, kind)
    return found if found is not None and found["status"] == "True" else None


def condition_of(conditions: Sequence[Any], kind: str) -> Any:
    """The first condition of a type."""
    return next((each for each in conditions if each["type"] == kind), None)


def target_cell(obj: Object, now: float) -> str:
    pod = obj["spec"]["target"].get("pod")
    return UNSET if pod is None else str(pod["name"])


def target_type_cell(obj: Object, now: float) -> str:
    return UNSET if obj["spec"]["target"].get("pod") is None else "Pod"


def status_cell(obj: Object, now: float) -> str:
    """How far it is: a final condition with its reason, or whether anybody has seen it."""
    status = obj["status"]
    conditions = status.get("conditions") or ()
    for kind in (EVICTED, FAILED):
        if found := true_condition(conditions, kind):
            return f"{kind} ({found['reason']})"
    return "Progressing" if (status.get("observedGeneration") or 0) > 0 else "Pending"
