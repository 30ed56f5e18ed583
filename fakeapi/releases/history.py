"""Declares values that change between minor releases."""

from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any, TypeVar, cast

_T = TypeVar("_T")
_CHANGES, _UPSTREAM = "changes", "upstream"


def since(changes: Mapping[int, _T], upstream: str) -> _T:
    """Declares a field of a dataclass whose value differs between releases.

    `changes`: each value by the first minor release that has it, such as `{27: False, 33: True}`
    `upstream`: the package whose code differs, as a path in the repository kubernetes/kubernetes; the import
    path if the package is in another repository
    """
    return cast("_T", field(metadata={_CHANGES: changes, _UPSTREAM: upstream}))


def changes_of(declared: type) -> dict[str, Mapping[int, Any]]:
    """Returns the changes of each field of a dataclass that `since` declares."""
    return {
        declaration.name: declaration.metadata[_CHANGES]
        for declaration in fields(declared)
        if _CHANGES in declaration.metadata
    }


def value_at(changes: Mapping[int, _T], minor: int) -> _T:
    """Returns the value in release 1.`minor`."""
    return changes[max(first for first in changes if first <= minor)]


def values_at(declared: type, minor: int) -> dict[str, Any]:
    """Returns the values that the fields declared with `since` have in release 1.`minor`."""
    return {name: value_at(changes, minor) for name, changes in changes_of(declared).items()}
