"""Validates the data of ConfigMaps and Secrets: keys, size and immutability.

Follows ValidateConfigMap, ValidateSecret and their updates in k8s.io/kubernetes `pkg/apis/core/validation`.
"""

import binascii
from collections.abc import Iterable

from fakeapi.machinery.field_errors import FieldError, forbidden, invalid
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names

DATA_BYTES_MAX = 1 << 20
"""Maximum total size of all values of a ConfigMap or Secret in bytes."""


def key_errors(keys: Iterable[str], field: str) -> list[FieldError]:
    """Validates the keys of a ConfigMap's or Secret's data, in sorted order. Upstream's order is random.

    `field`: the name of the data field
    """
    return [
        invalid(f"{field}[{key}]", key, message)
        for key in sorted(keys)
        for message in names.is_config_map_key(key)
    ]


def size_of_text(values: Iterable[str]) -> int:
    """Returns the total size of strings in UTF-8 bytes."""
    return sum(map(names.byte_length, values))


def decoded(value: str) -> bytes:
    """Returns the bytes of a valid base64 value."""
    return binascii.a2b_base64(value)


def validate_immutable_data(new: Object, old: Object, *fields: str) -> list[FieldError]:
    """Returns an error for each changed field of an object with `immutable: true`.

    `fields`: the names of the fields that must not change, besides `immutable`.
    """
    if not old.get("immutable"):
        return []
    why = "field is immutable when `immutable` is set"
    changed = [] if new.get("immutable") else ["immutable"]
    changed += [field for field in fields if (new.get(field) or {}) != (old.get(field) or {})]
    return [forbidden(field, why) for field in changed]
