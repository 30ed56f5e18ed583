"""Columns of tables: the type of a column, the two that every kind has, and ages as kubectl prints them.

The cells of a kind stand in its own module (see `fakeapi.registry.model.definition`). Names, order and
descriptions of its columns stand in the tables of the release.

Both follow k8s.io/kubernetes `pkg/printers/internalversion`,
ages k8s.io/apimachinery `pkg/util/duration`. A column's description is the text that the release's servers
send.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

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

Cell = Callable[[Object, float], str | float | None]  # an int is a float, a bool an int


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a kind's table.

    `cell` returns the text for an object at a time in seconds since the epoch. If not `defined`, it has cells
    but no column definition. The cells of a `timeless` column do not depend on the time.
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
        """A TableColumnDefinition, for every width of output."""
        return {
            "name": self.name,
            "type": self.type,
            "format": self.format,
            "description": self.description,
            "priority": self.priority,
        }


Columns = Callable[[Struct, Quirks], tuple[Column, ...]]
"""The columns that a kind adds after its name, by the type of its objects and the quirks of the release."""


Cells = Callable[[Quirks], Mapping[str, Cell]]
"""The cells of a kind by column, where the columns are those of the release's tables. Name and age are
there already; a kind may say what else its name is.
"""


def printed_columns(
    printed: Iterable[PrintedColumn], descriptions: Mapping[str, str], cells: Mapping[str, Cell]
) -> tuple[Column, ...]:
    """The columns of a release's tables with the cells of a kind. Raises KeyError for a column without a
    cell.
    """
    found = {**_USUAL_CELLS, **cells}
    described = {**_USUAL_DESCRIPTIONS, **descriptions}
    return tuple(
        Column(
            each.name,
            described.get(each.name, ""),
            found[each.name],
            each.format,
            each.type,
            each.priority,
            timeless=isinstance(found[each.name], TextAt),
        )
        for each in printed
    )


def no_columns(schema: Struct, quirks: Quirks) -> tuple[Column, ...]:
    """For kinds that are printed by name and age."""
    return ()


def with_name_and_age(added: tuple[Column, ...], *, age: bool = True) -> tuple[Column, ...]:
    """The columns of a table: name, those that the kind adds, and age where the kind shows it."""
    named = (Column("Name", NAME, at("metadata", "name"), "name", timeless=True), *added)
    return (*named, AGE_COLUMN) if age else named


@dataclass(frozen=True, slots=True)
class TextAt:
    """A cell with the text at a path; empty where the object has none."""

    path: tuple[str, ...]

    def __call__(self, obj: Object, now: float) -> str:
        value: Any = obj
        for name in self.path:
            value = value.get(name) or {}
        return value or ""


def at(*path: str) -> Cell:
    """A cell with the string at a path."""
    return TextAt(path)


AGE_COLUMN = Column("Age", AGE, lambda obj, now: since(obj["metadata"].get("creationTimestamp"), now))


CREATED_AT_COLUMN = Column(
    "Created At", AGE, lambda obj, now: obj["metadata"].get("creationTimestamp") or UNKNOWN, type="date"
)
"""In place of the age, for kinds that the server has no printer for (rest.NewDefaultTableConvertor)."""

_USUAL_CELLS = {"Name": at("metadata", "name"), "Age": AGE_COLUMN.cell}
_USUAL_DESCRIPTIONS = {"Name": NAME, "Age": AGE}


def fields_at(schema: Struct, *path: str) -> dict[str, Any]:
    """The fields of the struct at a path, by name."""
    for name in path:
        node = schema.fields[name].node
        assert isinstance(node, Struct), f"{name} is not a struct"
        schema = node
    return schema.fields


def since(stamp: str | None, now: float) -> str:
    """The time since a timestamp, to two or three figures; `<invalid>` for a time in the future."""
    return age(now - seconds_of(stamp)) if stamp else UNKNOWN


def seconds_of(stamp: str) -> float:
    """A timestamp in seconds since the epoch."""
    return datetime.fromisoformat(stamp).timestamp()


def age(seconds: float) -> str:
    """A duration for people. Clocks may disagree by less than two seconds, which is printed as 0s."""
    whole = int(seconds)
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
    """A duration in two units, the small one only where it is not zero."""
    return f"{large}{unit}{small}{small_unit}" if small else f"{large}{unit}"
