"""Conflicts of an apply: the fields that the apply changes although another manager owns them.

Follows k8s.io/apimachinery `pkg/util/managedfields/internal` (NewConflictError).
"""

from collections.abc import Iterable

from fakeapi.machinery.apply.fieldset import FieldSet, Path, from_paths, has, paths_of
from fakeapi.machinery.apply.managedfields import UPDATE, Manager
from fakeapi.machinery.apply.pathelement import spell
from fakeapi.machinery.errors import ApiError, Cause, Details
from fakeapi.machinery.golang.strconv import quote


class Conflicts(Exception):
    """An apply without `force` changes fields that other managers own.

    `fields`: the conflicting fields of each manager.
    """

    def __init__(self, fields: dict[Manager, FieldSet]) -> None:
        super().__init__("apply conflicts")
        self.fields = fields

    def without(self, allowed: FieldSet) -> "Conflicts":
        """Returns the conflicts without the fields in `allowed`."""
        rest = {
            manager: from_paths(path for path in paths_of(fields) if not has(allowed, path))
            for manager, fields in self.fields.items()
        }
        return Conflicts({manager: fields for manager, fields in rest.items() if fields})

    def as_api_error(self) -> ApiError:
        """Returns the ApiError 409 with one cause for each conflicting field, sorted by manager."""
        rows = [
            (_shown(manager), [_spelled(path) for path in paths_of(self.fields[manager])])
            for manager in sorted(self.fields, key=lambda manager: manager.text)
        ]
        causes = tuple(
            Cause("FieldManagerConflict", f"conflict with {manager}", path)
            for manager, paths in rows
            for path in paths
        )
        return ApiError(409, "Conflict", _message(rows, len(causes)), Details(causes=causes))


def _message(rows: Iterable[tuple[str, list[str]]], count: int) -> str:
    if count == 1:
        [(manager, [path])] = rows
        return f"Apply failed with 1 conflict: conflict with {manager}: {path}"
    lines = [
        line
        for manager, paths in rows
        for line in (f"conflicts with {manager}:", *(f"- {path}" for path in paths))
    ]
    return f"Apply failed with {count} conflicts: " + "\n".join(lines)


def _spelled(path: Path) -> str:
    return "".join(map(spell, path))


def _shown(manager: Manager) -> str:
    text = quote(manager.name)
    if manager.subresource:
        text += f" with subresource {quote(manager.subresource)}"
    return f"{text} using {manager.api_version}" if manager.operation == UPDATE else text
