"""Decodes JSON values to canonical objects, by the schema of their type.

A *canonical* object equals Go's encoding of the input after decoding to the Go type:

- Unknown fields are absent, and the other fields are in the order of the type.
- A zero value is absent if the field has `omitempty`, otherwise present.
- Times and quantities have their canonical text.

Follows k8s.io/apimachinery `pkg/runtime/serializer/json` on sigs.k8s.io/json: names are case-sensitive,
`null` leaves a field unchanged, and the first error in document order is reported.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from fakeapi.machinery.golang import times
from fakeapi.machinery.golang.base64_decoding import canonical_base64
from fakeapi.machinery.golang.duplicate_keys import RepeatedKeys, members
from fakeapi.machinery.meta import quantity
from fakeapi.machinery.schema import quick_decoding
from fakeapi.machinery.schema.decode_errors import JSON_TEXT, DecodeErrors, MapKey, Path
from fakeapi.machinery.schema.duplicate_fields import merge_duplicates
from fakeapi.machinery.schema.empty_values import drops_zero
from fakeapi.machinery.schema.nodes import (
    AnyValue,
    Field,
    List,
    Map,
    Node,
    Scalar,
    ScalarKind,
    Struct,
    kept_on_node,
)


class DecodeError(ValueError):
    """Raised if a JSON value cannot be decoded: wrong type or invalid text. The message is Go's."""


Walk: TypeAlias = Callable[[Any, Path, str, DecodeErrors], Any]
"""A function that decodes a value: (value, path, name of the struct, errors) -> canonical value.

The struct contains the value.
"""


def decode(value: Any, node: Struct, errors: DecodeErrors | None = None) -> tuple[dict[str, Any], list[str]]:
    """Decodes a JSON object; returns (canonical object, strict errors).

    Raises DecodeError if a value has a wrong type or invalid text.

    Strict errors report unknown and repeated fields in document order. The result may share parts with
    `value`, so do not change `value` afterwards. Keeps an empty list of managedFields, because the list tells
    the server to remove all entries.

    - `value`: a JSON object, or None for an empty object. Decode it with
      `json_decoding.decode_marking_duplicates` to report repeated fields.
    - `errors`: collects the errors; a subclass may have other messages. None for `DecodeErrors`.
    """
    if node.reader is not None:
        return node.reader(value)
    errors = errors or DecodeErrors()
    result = _quick(node)(value, type(errors)())
    if result is None:
        result = walker(node)({} if value is None else value, (), "", errors)
    if errors.error is not None:
        raise DecodeError(errors.error)
    if errors.repeats:
        result = walker(node)(merge_duplicates(value, node), (), "", DecodeErrors())
    if isinstance(value, dict):
        meta = value.get("metadata")
        if isinstance(meta, dict) and meta.get("managedFields") == []:
            result["metadata"]["managedFields"] = []
    return result, errors.strict


@kept_on_node
def _quick(node: Struct) -> Callable[[Any, DecodeErrors], Any]:
    """Returns a fast decoder for objects of a type, which is compiled after some objects have been decoded.

    The decoder returns None for objects that the decoder from `walker` must decode instead.
    """
    seen = 0
    reader: quick_decoding.Reader | None = None

    def read(value: Any, errors: DecodeErrors) -> Any:
        nonlocal seen, reader
        if type(value) is not dict:  # `value` may be RepeatedKeys, a subclass of dict.
            return None
        if reader is None:
            seen += 1
            if seen <= quick_decoding.MADE_AFTER:
                return None
            reader = quick_decoding.reader_of(node, SEMANTICS)
        return reader(value, errors)

    return read


@kept_on_node
def walker(node: Node) -> Walk:
    """Compiles the decoder of a schema node: (value, path, name of the struct, errors) -> value."""
    match node:
        case Scalar():
            return _scalar(node)
        case List():
            return _list(node)
        case Map():
            return _map(node)
        case Struct():
            return _struct(node)
        case AnyValue(choice=choice) if choice is not None:
            return _choice(node.go_type, choice)
        case AnyValue():
            return lambda value, path, owner, errors: errors.of_any_shape(value)


def _choice(go: str, choice: Callable[[], Struct]) -> Walk:
    """Returns a function that checks the value of a type such as JSONSchemaPropsOrBool, and keeps the value.

    Follows the functions UnmarshalJSON of k8s.io/apiextensions-apiserver `pkg/apis/apiextensions/v1`. These
    functions ignore unknown and repeated fields. For a type with a list as the other choice, a value that is
    neither an object nor a list becomes None.
    """
    several: Node | None = None
    if go.endswith("OrArray"):
        several = List(choice(), "[]v1.JSONSchemaProps")
    elif go.endswith("OrStringArray"):
        several = List(Scalar(ScalarKind.STRING, "string"), "[]string")

    def walk(value: Any, path: Path, owner: str, errors: DecodeErrors) -> Any:
        at, name = errors.context(path, owner)
        own = DecodeErrors()
        if isinstance(value, dict):
            walker(choice())(value, at, name, own)
        elif several is not None:
            if not isinstance(value, list):
                return None
            walker(several)(value, at, name, own)
        elif type(value) is not bool:
            own.wrong("boolean or JSON schema expected")
        if own.error is not None:
            errors.wrong(own.error)
        return errors.of_any_shape(value)

    return walk


def _scalar(node: Scalar) -> Walk:
    match node.kind:
        case ScalarKind.STRING:
            return _exact(str, node.go_type, "string")
        case ScalarKind.BOOLEAN:
            return _exact(bool, node.go_type, "bool")
        case ScalarKind.INTEGER:
            return _integer(node)
        case ScalarKind.NUMBER:
            return _number(node.go_type)
        case ScalarKind.TIME:
            return _text(times.canonical, node.go_type)
        case ScalarKind.MICRO_TIME:
            return _text(times.canonical_micro, node.go_type)
        case ScalarKind.QUANTITY:
            return _quantity
        case ScalarKind.BYTES:
            return _text(canonical_base64, node.go_type, node.go_type)
        case ScalarKind.INT_OR_STRING:
            return _int_or_string(node.go_type)


def _exact(kind: type, go: str, basic: str) -> Walk:
    def walk(value: Any, path: Path, owner: str, errors: DecodeErrors) -> Any:
        if type(value) is kind:
            return value
        errors.mismatch(value, path, owner, go, basic)
        return kind()

    return walk


def _integer(node: Scalar) -> Walk:
    least, most = -(1 << node.bits - 1), (1 << node.bits - 1) - 1
    go = f"int{node.bits}"

    def walk(value: Any, path: Path, owner: str, errors: DecodeErrors) -> Any:
        if type(value) is int and least <= value <= most:
            return value
        taken_for = errors.integer(value, node.bits)
        if taken_for is None:
            errors.mismatch(value, path, owner, go, go)
        return taken_for or 0

    return walk


def _number(go: str) -> Walk:
    def walk(value: Any, path: Path, owner: str, errors: DecodeErrors) -> Any:
        if type(value) in (int, float):
            return value
        errors.mismatch(value, path, owner, go, "float64")
        return 0

    return walk


def _text(canonical: Callable[[str], str | None], go: str, expected: str = "string") -> Walk:
    """Returns a function that decodes text. `expected`: the Go type in the error for another JSON type."""

    def walk(value: Any, path: Path, owner: str, errors: DecodeErrors) -> Any:
        if type(value) is not str:
            errors.mismatch(value, path, owner, expected, JSON_TEXT)
            return None
        try:
            return canonical(value)
        except ValueError as error:
            errors.wrong(str(error))
            return None

    return walk


def _quantity(value: Any, path: Path, owner: str, errors: DecodeErrors) -> Any:
    try:
        return quantity.canonical(value if isinstance(value, str) else _literal(value))
    except ValueError as error:
        errors.wrong(str(error))
        return "0"


def _literal(value: Any) -> str:
    return str(value) if type(value) in (int, float) else "{}"


def _int_or_string(go: str) -> Walk:
    def walk(value: Any, path: Path, owner: str, errors: DecodeErrors) -> Any:
        if type(value) in (int, str):
            return value
        errors.mismatch(value, path, owner, go)
        return 0

    return walk


def _list(node: List) -> Walk:
    inner = _of_items(node.items)
    go = node.go_type

    def walk(value: Any, path: Path, owner: str, errors: DecodeErrors) -> Any:
        if type(value) is not list:
            errors.mismatch(value, path, owner, go)
            return []
        return [inner(item, (path, index), owner, errors) for index, item in enumerate(value)]

    return walk


def _map(node: Map) -> Walk:
    inner = _of_items(node.values)
    go = node.go_type

    def walk(value: Any, path: Path, owner: str, errors: DecodeErrors) -> Any:
        if not isinstance(value, dict):
            errors.mismatch(value, path, owner, go)
            return {}
        if type(value) is RepeatedKeys:
            for key in repeated_keys(value):
                errors.duplicate((path, MapKey(key)))
        return {key: inner(value[key], (path, MapKey(key)), owner, errors) for key in sorted(value)}

    return walk


def repeated_keys(value: RepeatedKeys) -> list[str]:
    """Returns the repeated keys of an object, each once."""
    return [key for key, times in Counter(key for key, _ in value.pairs).items() if times > 1]


def _of_items(node: Node) -> Walk:
    """Compiles the decoder of list items or map values. `null` becomes the zero value of the Go type."""
    inner = _lazily(node)

    def walk(value: Any, path: Path, owner: str, errors: DecodeErrors) -> Any:
        return zero(node) if value is None else inner(value, path, owner, errors)

    return walk


def _lazily(node: Node) -> Walk:
    """Returns the decoder of a schema node.

    The decoder of a struct is compiled on first use, because a struct may contain itself.
    """
    if not isinstance(node, Struct):
        return walker(node)
    compiled: list[Walk] = []

    def walk(value: Any, path: Path, owner: str, errors: DecodeErrors) -> Any:
        if not compiled:
            compiled.append(walker(node))
        return compiled[0](value, path, owner, errors)

    return walk


_ZEROS = {
    ScalarKind.STRING: "",
    ScalarKind.INTEGER: 0,
    ScalarKind.NUMBER: 0,
    ScalarKind.BOOLEAN: False,
    ScalarKind.QUANTITY: "0",
    ScalarKind.INT_OR_STRING: 0,
}


def zero(node: Node) -> Any:
    """Returns the JSON of a Go type's zero value; None for lists, maps, times and values without a schema."""
    match node:
        case Scalar():
            return _ZEROS.get(node.kind)
        case Struct():
            return walker(node)({}, (), "", DecodeErrors())
        case _:
            return None


_EXACT = {ScalarKind.STRING: str, ScalarKind.BOOLEAN: bool}


SEMANTICS = quick_decoding.Semantics(_lazily, zero, drops_zero)


class _Entry(NamedTuple):
    """The data about one field that the decoder of a struct needs.

    - `exact`: the Python type of values that need no decoding; None if all values are decoded.
    - `drops_zero`: whether a zero value is omitted.
    - `inner`: the decoder of the values.
    - `rank`: the position of the field in the struct.
    """

    exact: type | None
    drops_zero: bool
    inner: Walk
    rank: int


def _entry(field: Field, rank: int) -> _Entry:
    exact = _EXACT.get(field.node.kind) if isinstance(field.node, Scalar) else None
    return _Entry(exact, drops_zero(field), _lazily(field.node), rank)


def _struct(node: Struct) -> Walk:
    name = node.go_type.rpartition(".")[2]
    go = node.go_type
    entries = {field.name: _entry(field, rank) for rank, field in enumerate(node.fields.values())}
    order = list(entries)
    present = [
        (field.name, None if field.pointer else field.node)
        for field in node.fields.values()
        if not field.omitempty or (not field.pointer and not drops_zero(field))
    ]

    def walk(value: Any, path: Path, owner: str, errors: DecodeErrors) -> Any:
        if not isinstance(value, dict):
            errors.mismatch(value, path, owner, go)
            return {}
        fields: dict[str, Any] = {}
        seen: set[str] | None = set() if type(value) is RepeatedKeys else None
        last = -1
        ordered = True
        for key, item in value.items() if seen is None else members(value):
            entry = entries.get(key)
            if entry is None:
                errors.unknown((path, key))
                continue
            if seen is not None:
                if key in seen:
                    errors.duplicate((path, key))
                seen.add(key)
            if item is None:
                continue
            exact, drops_zero, inner, rank = entry
            result = item if type(item) is exact else inner(item, (path, key), name, errors)
            if drops_zero and not result:
                continue
            fields[key] = result
            ordered = ordered and rank > last
            last = rank
        for key, absent in present:
            if key not in fields:
                fields[key] = None if absent is None else zero(absent)
                ordered = False
        if ordered:
            return fields
        return {key: fields[key] for key in order if key in fields}

    return walk
