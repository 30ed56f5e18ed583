"""Creates the table columns of custom objects from the additionalPrinterColumns of their CRD.

Follows k8s.io/apiextensions-apiserver `pkg/registry/customresource/tableconvertor`, and
`getColumnsForVersion` of `pkg/apiserver/customresource_handler.go`.
"""

from collections.abc import Callable
from typing import Any

from fakeapi.machinery.golang import times
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.jsonpath import JsonPath, as_text, parse_path
from fakeapi.machinery.jsonpath_syntax import JsonPathError
from fakeapi.registry.custom.specification import PrinterColumn, VersionSpecification
from fakeapi.registry.model.columns import AGE, INVALID, NAME, UNKNOWN, Cell, Column, at, since

_NAME_COLUMN = Column("Name", NAME, at("metadata", "name"), "name")
_AGE = PrinterColumn("Age", "date", ".metadata.creationTimestamp", "", AGE, 0)
_OF_PATH = "Custom resource definition column (in JSONPath format): "


def columns_of(version: VersionSpecification) -> tuple[Column, ...]:
    """Returns the table columns of a version: Name, then its additionalPrinterColumns.

    If the version has no additionalPrinterColumns, the second column is Age. The list ends before the first
    column with an invalid JSONPath.
    """
    columns = [_NAME_COLUMN]
    for column in version.columns or (_AGE,):
        try:
            path = parse_path(column.path)
        except JsonPathError:
            break
        columns.append(
            Column(
                column.name,
                column.description or f"{_OF_PATH}{column.path}",
                _cell(path, column.type),
                column.format,
                column.type,
                column.priority,
            )
        )
    return tuple(columns)


def _cell(path: JsonPath, kind: str) -> Cell:
    show: Callable[[Any, float], Any] = _SHOWN.get(kind, _nothing)

    def cell(obj: Object, now: float) -> Any:
        present, value = path.first(obj)
        if not present:
            return None
        if kind == "string":
            return as_text(value)
        return None if value is None else show(value, now)

    return cell


def _integer(value: Any, now: float) -> int | None:
    return int(value) if type(value) in (int, float) else None


def _number(value: Any, now: float) -> float | None:
    if type(value) not in (int, float):
        return None
    return int(value) if float(value).is_integer() else value


def _boolean(value: Any, now: float) -> bool | None:
    return value if isinstance(value, bool) else None


def _date(value: Any, now: float) -> str | None:
    if not isinstance(value, str):
        return None
    if not value:
        return UNKNOWN
    try:
        stamp = times.canonical(value)
    except ValueError:
        return INVALID
    return since(stamp, now)


def _nothing(value: Any, now: float) -> None:
    return None


_SHOWN: dict[str, Callable[[Any, float], Any]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
}
