"""Defines table columns, including Name and Age, and formats ages as kubectl prints them.

The module of a kind computes its cells (see `fakeapi.registry.model.definition`). The data tables contain the
names, order and descriptions of the columns that servers of each release send. Cells and columns follow
k8s.io/kubernetes `pkg/printers/internalversion`; ages follow k8s.io/apimachinery `pkg/util/duration`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from fakeapi.machinery.golang.times import seconds_of
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.releases import Quirks
from fakeapi.releases.tables import Column as PrintedColumn

UNKNOWN = "<unknown>"
INVALID = "<invalid>"

NAME = (
    "Name must be unique within a namespace. Is required when creating resources, although some resources "
    "may allow a client to request the generation of an appropriate name automatically. Name is primarily "
    "intended for creation idempotence and configuration definition. Cannot be updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"
)
AGE = (
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not "
    "guaranteed to be set in happens-before order across separate operations. Clients may not set this "
    "value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null "
    "for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
)

Cell = Callable[[Object, float], str | float | None]  # float includes int and bool


class Column(msgspec.Struct, frozen=True):
    """A column in the table of a kind.

    - `cell`: returns the cell for an object and a time in seconds since the epoch.
    - `defined`: whether the table contains a definition of the column.
    - `timeless`: whether the cells do not depend on the time.
    """

    name: str
    description: str
    cell: Cell
    format: str = ""
    type: str = "string"
    priority: int = 0
    defined: bool = True
    timeless: bool = False

    def definition(self) -> dict[str, str | int]:
        """Returns the TableColumnDefinition of the column."""
        return {
            "name": self.name,
            "type": self.type,
            "format": self.format,
            "description": self.description,
            "priority": self.priority,
        }


Columns = Callable[[Struct, Quirks], tuple[Column, ...]]
"""A function that returns the columns of a table after the column Name.

The arguments of the function are the type of the kind's objects and the quirks of the release.
"""


Cells = Callable[[Quirks], Mapping[str, Cell]]
"""A function that returns the table cells of a kind, by the column names in the release's data tables.

The columns Name and Age have default cells, which a kind may replace.
"""


def printed_columns(
    printed: Iterable[PrintedColumn], descriptions: Mapping[str, str], cells: Mapping[str, Cell]
) -> tuple[Column, ...]:
    """Returns the columns in a release's data tables, with the cells of the kind.

    `descriptions`: the descriptions by column name. Raises KeyError if a column has no cell.
    """
    all_cells = {**_USUAL_CELLS, **cells}
    described = {**_USUAL_DESCRIPTIONS, **descriptions}
    return tuple(
        Column(
            column.name,
            described.get(column.name, ""),
            all_cells[column.name],
            column.format,
            column.type,
            column.priority,
            timeless=isinstance(all_cells[column.name], TextAt),
        )
        for column in printed
    )


def no_columns(schema: Struct, quirks: Quirks) -> tuple[Column, ...]:
    """Returns an empty tuple, for kinds that define no columns of their own."""
    return ()


def with_name_and_age(added: tuple[Column, ...], *, age: bool = True) -> tuple[Column, ...]:
    """Returns the columns of a table: Name, then `added`, then Age if `age` is True."""
    named = (Column("Name", NAME, at("metadata", "name"), "name", timeless=True), *added)
    return (*named, AGE_COLUMN) if age else named


class TextAt(msgspec.Struct, frozen=True):
    """A cell that prints the string at a field path; "" if the object has no such field."""

    path: tuple[str, ...]

    def __call__(self, obj: Object, now: float) -> str:
        value: Any = obj
        for name in self.path:
            value = value.get(name) or {}
        return value or ""


def at(*path: str) -> Cell:
    """Returns a cell that prints the string at a field path."""
    return TextAt(path)


AGE_COLUMN = Column("Age", AGE, lambda obj, now: since(obj["metadata"].get("creationTimestamp"), now))


CREATED_AT_COLUMN = Column(
    "Created At", AGE, lambda obj, now: obj["metadata"].get("creationTimestamp") or UNKNOWN, type="date"
)
"""The column that replaces Age for kinds that upstream prints with rest.NewDefaultTableConvertor."""

_USUAL_CELLS = {"Name": at("metadata", "name"), "Age": AGE_COLUMN.cell}
_USUAL_DESCRIPTIONS = {"Name": NAME, "Age": AGE}


def fields_at(schema: Struct, *path: str) -> dict[str, Any]:
    """Returns the fields of the struct at a field path in a schema, by field name."""
    for name in path:
        node = schema.fields[name].node
        assert isinstance(node, Struct), f"{name} is not a struct"
        schema = node
    return schema.fields


def since(stamp: str | None, now: float) -> str:
    """Returns the time since a timestamp as kubectl prints ages, such as 5m30s.

    `now`: seconds since the epoch. Returns `<unknown>` without a timestamp, and `<invalid>` for a time that
    is two or more seconds in the future.
    """
    return age(now - seconds_of(stamp)) if stamp else UNKNOWN


DURATION_SECONDS_MAX = ((1 << 63) - 1) // 10**9
"""The longest duration in Go, in seconds: 292 years. Longer durations are printed like this duration."""


def age(seconds: float) -> str:
    """Returns a duration in seconds as kubectl prints ages, such as 5m30s; at most DURATION_SECONDS_MAX.

    A negative duration of less than two seconds gives 0s, because clocks may differ. Longer negative
    durations give `<invalid>`.
    """
    whole = min(int(seconds), DURATION_SECONDS_MAX)
    if whole < -1:
        return INVALID
    whole = max(whole, 0)
    minutes, hours, days = whole // 60, whole // 3600, whole // 86400
    if minutes < 2:
        return f"{whole}s"
    if minutes < 10:
        return _two(minutes, "m", whole % 60, "s")
    if hours < 3:
        return f"{minutes}m"
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if days < 2:
        return f"{hours}h"
    if days < 8:
        return _two(days, "d", hours % 24, "h")
    years = days // 365
    if years < 2:
        return f"{days}d"
    return _two(years, "y", days % 365, "d") if years < 8 else f"{years}y"


def _two(large: int, unit: str, small: int, small_unit: str) -> str:
    """Returns a duration in two time units, such as 3h5m; omits the smaller unit if its number is zero."""
    return f"{large}{unit}{small}{small_unit}" if small else f"{large}{unit}"
