"""Errors of rules that are markers of a type's source, as releases word them that check these rules last.

Follows k8s.io/apimachinery `pkg/api/validate`.
"""

from typing import Final

from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.registry.semantic_equality import FIELD_IMMUTABLE

NOTHING: Final = Dump("null")
"""The value that errors of a change show."""


def declared_immutable(path: str) -> FieldError:
    """The error of a changed field that is marked as immutable."""
    return invalid(path, NOTHING, FIELD_IMMUTABLE)
