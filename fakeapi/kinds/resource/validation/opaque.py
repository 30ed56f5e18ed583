"""Validates opaque driver data: JSON objects with a maximum size.

Follows `validateRawExtension` of k8s.io/kubernetes `pkg/apis/resource/validation`.
"""

from typing import Any

from fakeapi.machinery import codec
from fakeapi.machinery.field_errors import FieldError, invalid, required, too_long
from fakeapi.releases.rules import ReleaseRules


def validate_raw_extension(value: Any, path: str, most: int | None, rules: ReleaseRules) -> list[FieldError]:
    """Validates a required JSON object.

    `most`: the maximum size in bytes of the JSON that the client sent; None for no limit
    """
    if value is None:
        return [required(path)]
    if most is not None and len(codec.encode(value)) > most:
        return [too_long(path, most, rules.quirks.too_long)]
    if not isinstance(codec.value_of(value), dict):
        return [invalid(path, "<value omitted>", rules.quirks.opaque_not_an_object)]
    return []
