"""Validates `status.reservedFor`, the list of consumers that may use a claim.

Follows k8s.io/kubernetes `pkg/apis/resource/validation`.
"""

from collections.abc import Sequence
from typing import Any

from fakeapi.machinery.field_errors import FieldError, forbidden, required

_WHILE_GOING = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"


def validate_consumer(consumer: dict[str, Any], path: str) -> list[FieldError]:
    """Validates one consumer of a claim: every field except the API group is required."""
    return [required(f"{path}.{name}") for name in ("resource", "name", "uid") if not consumer[name]]


def reserved_without_allocation(path: str) -> FieldError:
    """Returns the error for a claim that is reserved but not allocated."""
    return forbidden(path, "may not be specified when `allocated` is not set")


def validate_no_new_consumers(
    new: Sequence[dict[str, Any]], old: Sequence[dict[str, Any]], path: str
) -> list[FieldError]:
    """Returns an error if `new` has a consumer that is not in `old`.

    Compares all four fields of consumers.
    """
    before = {_identity(consumer) for consumer in old}
    if all(_identity(consumer) in before for consumer in new):
        return []
    return [forbidden(path, _WHILE_GOING)]


def _identity(consumer: dict[str, Any]) -> tuple[str, str, str, str]:
    return (consumer.get("apiGroup", ""), consumer["resource"], consumer["name"], consumer["uid"])
