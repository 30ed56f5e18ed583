"""Validates the counters of a workload's status."""

from collections.abc import Iterable

from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.json_types import Object


def validate_at_most(
    status: Object, names: Iterable[str], most: str, problem: str, path: str = "status"
) -> list[FieldError]:
    """Errors of the named counters that are greater than the counter `most`."""
    limit = status.get(most) or 0
    return [
        invalid(f"{path}.{name}", status[name], problem) for name in names if (status.get(name) or 0) > limit
    ]


def validate_collision_count(new: Object, old: Object) -> list[FieldError]:
    """The error of a collision count that an update takes away or makes smaller."""
    before, after = old.get("collisionCount"), new.get("collisionCount")
    if before is None or (after is not None and after >= before):
        return []
    return [invalid("status.collisionCount", after or 0, "cannot be decremented")]
