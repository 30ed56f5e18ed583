"""Validates numbers in a spec or status that must not be negative.

Follows k8s.io/apimachinery `pkg/api/validation/generic.go`.
"""

from collections.abc import Iterable
from typing import Any

from fakeapi.machinery.field_errors import FieldError, invalid

NEGATIVE = "must be greater than or equal to 0"


def validate_nonnegative(value: int | None, path: str) -> list[FieldError]:
    """Returns an error if `value` is negative; None means an absent number, which is valid."""
    return [invalid(path, value, NEGATIVE)] if value is not None and value < 0 else []


def validate_nonnegative_fields(obj: dict[str, Any], names: Iterable[str], path: str) -> list[FieldError]:
    """Returns an error for each of the named fields that is negative; absent fields are valid."""
    return [error for name in names for error in validate_nonnegative(obj.get(name), f"{path}.{name}")]
