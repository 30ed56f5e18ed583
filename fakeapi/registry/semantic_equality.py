"""Semantic equality of parts of an object, and the check that a field is immutable.

Follows k8s.io/apimachinery `pkg/api/equality` and `ValidateImmutableField`.
"""

from typing import Any

from fakeapi.machinery import codec
from fakeapi.machinery.field_errors import FieldError, invalid

FIELD_IMMUTABLE = "field is immutable"

_OF_ANY_SHAPE = frozenset(
    {"data", "parameters", "vendorClaimParameters", "vendorClassParameters", "vendorRequestParameters"}
)
"""Fields whose value is compared byte by byte: the order of its keys counts, and so does an empty list."""


def semantically_equal(one: Any, other: Any) -> bool:
    """Whether two canonical values are equal; an empty list equals an absent one."""
    if one is other:
        return True
    # Equal bytes are equal values; the walk is for values that differ in spelling alone.
    return codec.encode(one) == codec.encode(other) or codec.encode(_settled(one)) == codec.encode(
        _settled(other)
    )


def validate_immutable(new: Any, old: Any, path: str) -> list[FieldError]:
    return [] if semantically_equal(new, old) else [invalid(path, new, FIELD_IMMUTABLE)]


def _settled(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: item if key in _OF_ANY_SHAPE else _settled(item)
            for key, item in value.items()
            if item is not None and item != []
        }
    if isinstance(value, list):
        return [_settled(item) for item in value]
    return value
