"""Applies the defaults of a schema to custom objects.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema/defaulting`.
"""

from typing import Any

from fakeapi.machinery.cel import allowance
from fakeapi.machinery.structural.pruning import one
from fakeapi.machinery.structural.schema import Schema, copied

DEFAULTS_MAX = 64 * 1024 * 1024
"""Maximum size of all defaults of one object in bytes.

A short request body may get many defaults, because each list item gets its own copy.
"""

_VALUE_BYTES = 64
"""Size in bytes that is counted for each JSON value in a default, in addition to its text."""

_BYTES_PER_UNIT = 256
"""Bytes of defaults that count as one unit of an `Allowance`, the CPU budget of a request.

A default with fewer bytes costs nothing.
"""


class DefaultsTooLarge(ValueError):
    """Raised if the defaults of an object take more than DEFAULTS_MAX bytes."""


def default(obj: Any, schema: Schema | None) -> None:
    """Applies the defaults of a schema to an object in place, at any depth.

    Adds missing members, and replaces nulls where the schema is not nullable. Call `nulls.prune_nulls` first,
    which removes nulls without a default. Raises DefaultsTooLarge if the defaults exceed DEFAULTS_MAX bytes.
    Raises AllowanceSpent if the current `Allowance` is used up.
    """
    _Filling().fill(obj, schema)


class _Filling:
    """Applies defaults to one object and counts their bytes."""

    def __init__(self) -> None:
        self._left = DEFAULTS_MAX
        self._sizes: dict[int, int] = {}
        self._allowance = allowance.current()

    def fill(self, obj: Any, schema: Schema | None) -> None:
        if schema is None:
            return
        match obj:
            case dict():
                for name, below in schema.properties.items():
                    if below.default is not None and (name not in obj or _is_refused_null(obj[name], below)):
                        obj[name] = self._copy(below, name)
                others = one(schema.additional_properties)
                for name, member in obj.items():
                    below_ = schema.properties.get(name)
                    if below_ is None and _is_refused_null(member, others):
                        obj[name] = self._copy(others)
                    if isinstance(obj[name], dict | list):
                        self.fill(obj[name], below_ or others)
            case list():
                items = one(schema.items)
                for index, item in enumerate(obj):
                    if items is not None and _is_refused_null(item, items):
                        obj[index] = self._copy(items)
                    if isinstance(obj[index], dict | list):
                        self.fill(obj[index], items)

    def _copy(self, schema: Schema | None, name: str = "") -> Any:
        """Counts the size of a schema's default and returns a copy of the default.

        Raises DefaultsTooLarge if the defaults exceed DEFAULTS_MAX bytes. Raises AllowanceSpent if the
        current `Allowance` is used up.
        """
        value = schema.default if schema is not None else None
        size = self._sizes.get(id(schema))
        if size is None:
            size = self._sizes[id(schema)] = _size(value) + len(name)
        self._left -= size
        if self._left < 0:
            raise DefaultsTooLarge(f"the defaults of the object take more than {DEFAULTS_MAX} bytes")
        if self._allowance is not None and size >= _BYTES_PER_UNIT:
            self._allowance.pay(size // _BYTES_PER_UNIT)
        return copied(value)


def _size(value: Any) -> int:
    """Returns the counted size of a default.

    The size is the number of characters of all texts, plus _VALUE_BYTES for each JSON value.
    """
    match value:
        case str():
            return _VALUE_BYTES + len(value)
        case dict():
            return _VALUE_BYTES + sum(len(key) + _size(member) for key, member in value.items())
        case list():
            return _VALUE_BYTES + sum(map(_size, value))
        case _:
            return _VALUE_BYTES


def _is_refused_null(value: Any, schema: Schema | None) -> bool:
    return value is None and schema is not None and not schema.nullable
