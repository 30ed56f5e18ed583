"""CEL environments: the variables, types and functions that CEL expressions may use."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from fakeapi.machinery.cel.declarations import Functions, functions_of
from fakeapi.machinery.cel.sizes import Size
from fakeapi.machinery.cel.types import BOOL, BYTES, DOUBLE, DYN, INT, STRING, TYPE, UINT, Type, read, type_of

Fields = dict[str, Type]

OBJECT = "Object"
"""Name of the CEL type of objects that mutating admission policies construct."""

_NAMED_TYPES = {
    **{name: read(name) for name in ("bool", "bytes", "double", "int", "string", "uint")},
    "list": read("list(dyn)"),
    "map": read("map(dyn, dyn)"),
    "null_type": read("null"),
    "type": TYPE,
    "optional_type": read("optional(dyn)"),
}
_ADDRESS_TYPES = {name: read(name) for name in ("net.IP", "net.CIDR")}

_DURATION_FIELDS = {"seconds": INT, "nanos": INT}
_MESSAGES: dict[str, tuple[Type, Fields]] = {
    "Any": (read("any"), {"type_url": STRING, "value": BYTES}),
    "Duration": (read("duration"), _DURATION_FIELDS),
    "ListValue": (read("list(dyn)"), {"values": read("list(dyn)")}),
    "Struct": (read("map(string, dyn)"), {"fields": read("map(string, dyn)")}),
    "Timestamp": (read("timestamp"), _DURATION_FIELDS),
    "Value": (read("dyn"), {"string_value": STRING, "bool_value": BOOL, "number_value": DOUBLE}),
}
_WRAPPED = {
    "BoolValue": BOOL,
    "BytesValue": BYTES,
    "DoubleValue": DOUBLE,
    "FloatValue": DOUBLE,
    "Int32Value": INT,
    "Int64Value": INT,
    "StringValue": STRING,
    "UInt32Value": UINT,
    "UInt64Value": UINT,
}
_MESSAGES |= {name: (Type("wrapper", "", (of,)), {"value": of}) for name, of in _WRAPPED.items()}
_PREFIX = "google.protobuf."


class Extent(msgspec.Struct, frozen=True):
    """Limits on the size of a variable's value: at most `most` characters, elements or entries.

    `fields`: the limits of struct fields.
    `keys`, `elements`: the limits of map keys and of map values or list elements.
    `any_field`: whether fields that are not in `fields` have the limits of `elements`.
    """

    most: int = 0
    fields: dict[str, "Extent"] = msgspec.field(default_factory=dict)
    keys: "Extent | None" = None
    elements: "Extent | None" = None
    any_field: bool = False


Extents = dict[str, Extent]
"""Size limits of variables, by variable name."""


def extent(extents: Extents, path: tuple[str, ...]) -> Size | None:
    """Returns the size range of the value at a path; None if the path has no size limits.

    A path is the name of a variable, followed by field names, `@keys`, `@values` or `@items`.

    `extents`: the size limits of the variables
    """
    current = extents.get(path[0]) if path else None
    for name in path[1:]:
        if current is None:
            return None
        if name in {"@items", "@values"}:
            current = current.elements
        elif name == "@keys":
            current = current.keys
        elif name in current.fields:
            current = current.fields[name]
        else:
            current = current.elements if current.any_field else None
    return None if current is None else Size(0, current.most)


class _AnyFields(dict[str, Type]):
    """A mapping in which every field name exists and has the type dyn."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)

    def get(self, name: str, default: object = None) -> Type:
        return DYN


_ANY_FIELDS = _AnyFields()


def _is_object(name: str) -> bool:
    return name == OBJECT or name.startswith(f"{OBJECT}.")


@dataclass(frozen=True)
class Environment:
    """The declarations for type-checking CEL expressions; immutable.

    - `variables`: types of variables by name; names may contain dots.
    - `libraries`: names of CEL libraries, from `declarations.LIBRARIES`.
    - `structs`: the fields of struct types, by type name. Selecting a field of an undeclared struct is an
      error.
    - `extents`: the maximum sizes of variables, for estimating cost.
    - `constructible`: whether expressions may construct the types in `structs`.
    - `objects`: whether expressions may construct the types `Object` and any `Object.a.b`, with any fields.
    - `forgets_unknown_calls`: whether a call of an undeclared function has no type. If so, the expression
      around the call has a second error.
    """

    variables: dict[str, Type]
    libraries: frozenset[str]
    structs: dict[str, Fields] = field(default_factory=dict)
    extents: Extents = field(default_factory=dict)
    constructible: bool = True
    objects: bool = False
    forgets_unknown_calls: bool = False

    @cached_property
    def functions(self) -> Functions:
        return functions_of(self.libraries)

    @cached_property
    def names(self) -> dict[str, Type]:
        """Types of all variables and type names, by qualified name. The type of a type name is `type(T)`."""
        types = {name: type_of(of) for name, of in _NAMED_TYPES.items()}
        if "addresses" in self.libraries:
            types |= {name: type_of(of) for name, of in _ADDRESS_TYPES.items()}
        types |= {_PREFIX + name: type_of(of) for name, (of, _) in _MESSAGES.items()}
        for name in self.structs:
            of = Type("struct", name)
            types[name] = type_of(of) if self.constructible else of
        return types | self.variables

    def lookup(self, name: str) -> Type | None:
        """Returns the CEL type of an identifier by its qualified name; None if it is undeclared."""
        if self.objects and _is_object(name):
            return type_of(Type("struct", name))
        return self.names.get(name)

    def fields(self, struct: str) -> Mapping[str, Type] | None:
        """Returns field types by field name for a struct or protobuf message; None if it is undeclared."""
        if self.objects and _is_object(struct):
            return _ANY_FIELDS
        if struct in self.structs:
            return self.structs[struct]
        message = _MESSAGES.get(struct.removeprefix(_PREFIX))
        return message[1] if message and struct.startswith(_PREFIX) else None
