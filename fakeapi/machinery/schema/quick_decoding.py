"""Decodes ordinary objects fast, with msgspec types that are compiled from a schema.

The result equals the result of the Python decoder in `fakeapi.machinery.schema.decoding`. That decoder also
decodes all objects with errors or unknown fields, to report them.
"""

from collections.abc import Callable
from types import GenericAlias
from typing import Annotated, Any, NamedTuple, TypeAlias

import msgspec

from fakeapi.machinery.schema.decode_errors import DecodeErrors, Path
from fakeapi.machinery.schema.nodes import Field, List, Map, Node, Scalar, ScalarKind, Struct

Walk: TypeAlias = Callable[[Any, Path, str, DecodeErrors], Any]
"""A decoder in Python, as `decoding.Walk`: (value, path, name of the struct, errors) -> canonical value."""

Reader: TypeAlias = Callable[[Any, DecodeErrors], Any]
"""A fast decoder: (value, errors) -> canonical object; None if a decoder in Python must decode the value."""

MADE_AFTER = 3
"""Number of objects of a type that are decoded in Python before a fast decoder is compiled.

Compiling a fast decoder takes as long as decoding some dozen objects in Python.
"""

_Touch: TypeAlias = Callable[[Any, DecodeErrors], None]
"""A function (value, errors) -> None: makes a value from msgspec canonical in place, and records errors."""

_EXACT = {ScalarKind.STRING: str, ScalarKind.BOOLEAN: bool}


class _Walked(NamedTuple):
    """A field that a decoder in Python decodes after msgspec has copied the raw value.

    - `walk`: the decoder.
    - `drops_zero`: whether a zero value is omitted.
    - `present`: whether an absent field gets a value.
    - `absent`: the schema node whose zero value an absent field gets; None for null.
    """

    name: str
    walk: Walk
    drops_zero: bool
    present: bool
    absent: Node | None


class Semantics(NamedTuple):
    """The functions of `decoding` that a fast decoder needs.

    - `walker`: returns the decoder of a schema node.
    - `zero`: returns the zero value of a schema node.
    - `drops_zero`: whether a field omits its zero value.
    """

    walker: Callable[[Node], Walk]
    zero: Callable[[Node], Any]
    drops_zero: Callable[[Field], bool]


def reader_of(node: Struct, semantics: Semantics) -> Reader:
    """Compiles the fast decoder of a struct type.

    `semantics`: the functions of `decoding` that the decoder needs.
    """
    kind, touch = _Compiler(semantics).struct(node)
    convert, to_builtins = msgspec.convert, msgspec.to_builtins

    def read(value: Any, errors: DecodeErrors) -> Any:
        try:
            obj = to_builtins(convert(value, kind))
        except (msgspec.ValidationError, TypeError):  # TypeError: a subclass of a JSON type
            return None
        if touch is not None:
            touch(obj, errors)
        return None if errors.error is not None or errors.strict or errors.repeats else obj

    return read


class _Compiler:
    """Compiles msgspec types, and functions that finish objects after msgspec has decoded them.

    Compiles each struct once.
    """

    def __init__(self, semantics: Semantics) -> None:
        self._semantics = semantics
        self._made: dict[int, tuple[Any, _Touch | None]] = {}
        self._in_progress: set[int] = set()

    def struct(self, node: Struct) -> tuple[Any, _Touch | None]:
        if id(node) not in self._made:
            self._in_progress.add(id(node))
            self._made[id(node)] = self._struct(node)
            self._in_progress.discard(id(node))
        return self._made[id(node)]

    def _struct(self, node: Struct) -> tuple[Any, _Touch | None]:
        members: list[tuple[str, Any, Any]] = []
        touches: list[tuple[str, _Touch]] = []
        walked: list[_Walked] = []
        for index, field in enumerate(node.fields.values()):
            drops = self._semantics.drops_zero(field)
            present = not field.omitempty or (not field.pointer and not drops)
            kind, touch = (None, None) if field.omitzero else self._of(field.node)
            if kind is None:
                absent = None if field.pointer else field.node
                walked.append(_Walked(field.name, self._semantics.walker(field.node), drops, present, absent))
                members.append((f"f{index}", Any, self._always(absent) if present else msgspec.UNSET))
                continue
            members.append((f"f{index}", *self._member(field, kind, drops=drops, present=present)))
            if touch is not None:
                touches.append((field.name, touch))
        names = {f"f{index}": name for index, name in enumerate(node.fields)}
        struct = msgspec.defstruct(
            "Object", members, rename=names, omit_defaults=True, forbid_unknown_fields=True, gc=False
        )
        return struct, _struct_touch(touches, walked, self._semantics.zero) if touches or walked else None

    def _of(self, node: Node) -> tuple[Any, _Touch | None]:
        """Returns (msgspec type of a schema node, function that finishes decoded values or None).

        Returns (None, None) if a decoder in Python must decode the values of the node.
        """
        match node:
            case Scalar() if node.kind in _EXACT:
                return _EXACT[node.kind], None
            case Scalar(kind=ScalarKind.INTEGER):
                least, most = -(1 << node.bits - 1), (1 << node.bits - 1) - 1
                return Annotated[int, msgspec.Meta(ge=least, le=most)], None
            case Struct() if node.reader is None and id(node) not in self._in_progress:
                return self.struct(node)
            case List():
                kind, touch = self._of(node.items)
                return (None, None) if kind is None else (GenericAlias(list, kind), touch and _each(touch))
            case Map():
                kind, touch = self._of(node.values)
                return (None, None) if kind is None else (GenericAlias(dict, (str, kind)), _map_touch(touch))
            case _:
                return None, None

    def _member(self, field: Field, kind: Any, *, drops: bool, present: bool) -> tuple[Any, Any]:
        """Returns (msgspec type, default) of a field.

        msgspec omits a value that equals its default. msgspec does not omit the result of a default factory,
        unless the factory is `list` or `dict`.

        `kind`: the msgspec type of the field's schema node.
        `drops`: whether a zero value is omitted.
        `present`: whether an absent field gets a zero value or null.
        """
        if drops:
            if isinstance(field.node, List | Map):
                return kind, msgspec.field(default_factory=list if isinstance(field.node, List) else dict)
            return kind, self._semantics.zero(field.node)
        if not present:
            return kind | msgspec.UnsetType, msgspec.UNSET
        if field.pointer or isinstance(field.node, List | Map):
            return kind | None, self._always(None)
        if isinstance(field.node, Struct):
            return kind, msgspec.field(default_factory=kind)
        return kind, self._always(field.node)

    def _always(self, absent: Node | None) -> Any:
        """Returns a default that msgspec does not omit: the zero value of `absent`, or null if it is None."""
        zero = self._semantics.zero
        return msgspec.field(default_factory=lambda: None if absent is None else zero(absent))


def _struct_touch(
    touches: list[tuple[str, _Touch]], walked: list[_Walked], zero: Callable[[Node], Any]
) -> _Touch:
    def touch(value: Any, errors: DecodeErrors) -> None:
        if value is None:
            return
        for name, inner in touches:
            part = value.get(name)
            if part:
                inner(part, errors)
        for name, walk, drops, present, absent in walked:
            if name not in value:
                continue
            part = value[name]
            if part is None:
                if present:
                    value[name] = None if absent is None else zero(absent)
                else:
                    del value[name]
                continue
            result = walk(part, (), "", errors)
            if drops and not result:
                del value[name]
            else:
                value[name] = result

    return touch


def _each(touch: _Touch) -> _Touch:
    def touch_items(items: Any, errors: DecodeErrors) -> None:
        for item in items:
            touch(item, errors)

    return touch_items


def _map_touch(touch: _Touch | None) -> _Touch:
    """Returns a function that sorts the keys of a map, like Go, and applies `touch` to its values.

    With None, the function leaves the values unchanged.
    """

    def touch_values(values: Any, errors: DecodeErrors) -> None:
        if len(values) > 1 and (keys := sorted(values)) != list(values):
            members = [(key, values[key]) for key in keys]
            values.clear()
            values.update(members)
        if touch is not None:
            for value in values.values():
                touch(value, errors)

    return touch_values
