"""Converts messages about an invalid string to field errors.

Follows `ValidateDNS1123Label` and similar functions of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Iterable
from typing import Any

from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.wording import Wording


def each_invalid(path: str, value: Any, messages: Iterable[str]) -> list[FieldError]:
    """Returns a field error for each message about the value."""
    return [invalid(path, value, message) for message in messages]


def validate_dns_label(value: str, path: str) -> list[FieldError]:
    return each_invalid(path, value, names.is_dns1123_label(value))


def validate_dns_subdomain(value: str, path: str) -> list[FieldError]:
    return each_invalid(path, value, names.is_dns1123_subdomain(value))


def validate_qualified_name(value: str, path: str, wording: Wording) -> list[FieldError]:
    """Validates a name with an optional domain prefix, such as a label key."""
    return each_invalid(path, value, names.is_qualified_name(value, wording.length_unit))
