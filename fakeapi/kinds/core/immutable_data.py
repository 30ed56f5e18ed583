"""Rules shared by config maps and secrets: keys, size and immutability of their data.

Follows ValidateConfigMap, ValidateSecret and their updates in k8s.io/kubernetes `pkg/apis/core/validation`.
"""

import binascii
from collections.abc import Iterable

from fakeapi.machinery.field_errors import FieldError, forbidden, invalid
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names

DATA_BYTES_MAX = 1 << 20
"""Bytes of all values of a config map or secret together."""


def key_errors(keys: Iterable[str], field: str) -> list[FieldError]:
    """Validates the keys of a data map, in sorted order; upstream's order is random."""
    return [
        invalid(f"{field}[{key}]", key, message)
        for key in sorted(keys)
        for message in names.is_config_map_key(key)
    ]


def size_of_text(values: Iterable[str]) -> int:
    """Returns the number of bytes of all texts in UTF-8."""
    return sum(map(names.byte_length, values))


def decoded(value: str) -> bytes:
    """Returns the decoded bytes of a base64 value, which was checked when the request was decoded."""
    return binascii.a2b_base64(value)


def validate_immutable_data(new: Object, old: Object, *fields: str) -> list[FieldError]:
    """Validates the change of an object with `immutable: true`: the fields must stay as they are."""
    if not old.get("immutable"):
        return []
    why = "field is immutable when `immutable` is set"
    changed = [] if new.get("immutable") else ["immutable"]
    changed += [field for field in fields if (new.get(field) or {}) != (old.get(field) or {})]
    return [forbidden(field, why) for field in changed]
