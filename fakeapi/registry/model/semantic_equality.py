"""Compares JSON values of objects like Kubernetes' semantic equality, and validates immutable fields.

Follows k8s.io/apimachinery `pkg/api/equality` and `ValidateImmutableField`.
"""

from collections.abc import Callable
from typing import Any

from fakeapi.machinery import codec
from fakeapi.machinery.field_errors import FieldError, invalid

FIELD_IMMUTABLE = "field is immutable"

_OF_ANY_SHAPE = frozenset(
    {"data", "parameters", "vendorClaimParameters", "vendorClassParameters", "vendorRequestParameters"}
)
"""Fields whose JSON is compared exactly: the order of keys matters, and empty lists differ from absent
lists.
"""


def semantically_equal(one: Any, other: Any) -> bool:
    """Whether two canonical JSON values are equal. The order of object keys does not matter.

    Inside objects, an empty list and null equal an absent field. The fields in `_OF_ANY_SHAPE` are compared
    exactly.
    """
    if one is other:
        return True
    # Equal bytes are equal values; `_settled` handles equal values with different bytes.
    return codec.encode(one) == codec.encode(other) or codec.encode(_settled(one)) == codec.encode(
        _settled(other)
    )


def _itself(value: Any) -> Any:
    return value


def validate_immutable(
    new: Any, old: Any, path: str, show: Callable[[Any], Any] = _itself
) -> list[FieldError]:
    """Returns an error if an update changes a field; the error message prints `show(new)`."""
    return [] if semantically_equal(new, old) else [invalid(path, show(new), FIELD_IMMUTABLE)]


def _settled(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: item if key in _OF_ANY_SHAPE else _settled(item)
            for key, item in sorted(value.items())
            if item is not None and item != []
        }
    if isinstance(value, list):
        return [_settled(item) for item in value]
    return value
