"""The rules that config maps and secrets share: keys of data, its size, and data that may not change.

Follows ValidateConfigMap, ValidateSecret and their updates in k8s.io/kubernetes `pkg/apis/core/validation`.
"""

import binascii
from collections.abc import Iterable

from fakeapi.machinery.field_errors import FieldError, forbidden, invalid
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names

DATA_BYTES_MAX = 1 << 20
"""Bytes of all values of a config map or secret."""


def key_errors(keys: Iterable[str], field: str) -> list[FieldError]:
    """Errors of the keys of a map of data; in the order of the keys, which upstream leaves to chance."""
    return [
        invalid(f"{field}[{key}]", key, message)
        for key in sorted(keys)
        for message in names.is_config_map_key(key)
    ]


def size_of_text(values: Iterable[str]) -> int:
    """The bytes of texts."""
    return sum(map(names.byte_length, values))


def decoded(value: str) -> bytes:
    """The bytes of a value in base64; decoding the request has checked it."""
    return binascii.a2b_base64(value)


def validate_immutable_data(new: Object, old: Object, *fields: str) -> list[FieldError]:
    """Errors of a change to an object that says that it is immutable."""
    if not old.get("immutable"):
        return []
    why = "field is immutable when `immutable` is set"
    changed = [] if new.get("immutable") else ["immutable"]
    changed += [field for field in fields if (new.get(field) or {}) != (old.get(field) or {})]
    return [forbidden(field, why) for field in changed]
