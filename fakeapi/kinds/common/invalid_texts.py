"""Validators that turn the messages about a text into errors of a field.

Follows `ValidateDNS1123Label` and its like in k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Iterable
from typing import Any

from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.wording import Wording


def each_invalid(path: str, value: Any, messages: Iterable[str]) -> list[FieldError]:
    """One error of the field for each message."""
    return [invalid(path, value, message) for message in messages]


def validate_dns_label(value: str, path: str) -> list[FieldError]:
    return each_invalid(path, value, names.is_dns1123_label(value))


def validate_dns_subdomain(value: str, path: str) -> list[FieldError]:
    return each_invalid(path, value, names.is_dns1123_subdomain(value))


def validate_qualified_name(value: str, path: str, wording: Wording) -> list[FieldError]:
    """Errors of a name with an optional domain, such as the key of a label."""
    return each_invalid(path, value, names.is_qualified_name(value, wording.length_unit))
