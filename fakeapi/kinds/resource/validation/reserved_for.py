"""Who a claim is reserved for: `status.reservedFor`.

Follows k8s.io/kubernetes `pkg/apis/resource/validation`.
"""

from collections.abc import Sequence
from typing import Any

from fakeapi.machinery.field_errors import FieldError, forbidden, required

_WHILE_GOING = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"


def validate_consumer(consumer: dict[str, Any], path: str) -> list[FieldError]:
    """Errors of one consumer: all but its group must be there."""
    return [required(f"{path}.{name}") for name in ("resource", "name", "uid") if not consumer[name]]


def reserved_without_allocation(path: str) -> FieldError:
    """The error of reservations for a claim that has no allocation."""
    return forbidden(path, "may not be specified when `allocated` is not set")


def validate_no_new_consumers(
    new: Sequence[dict[str, Any]], old: Sequence[dict[str, Any]], path: str
) -> list[FieldError]:
    """The error of consumers, all four fields compared, that were not there before a claim was to go."""
    before = {_identity(consumer) for consumer in old}
    if all(_identity(consumer) in before for consumer in new):
        return []
    return [forbidden(path, _WHILE_GOING)]


def _identity(consumer: dict[str, Any]) -> tuple[str, str, str, str]:
    return (consumer.get("apiGroup", ""), consumer["resource"], consumer["name"], consumer["uid"])
