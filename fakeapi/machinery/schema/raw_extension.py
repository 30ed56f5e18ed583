"""Keeps the exact bytes of runtime.RawExtension values, such as opaque parameters.

Kubernetes stores a runtime.RawExtension as the bytes that the client sent, and compares objects by these
bytes. fakeapi represents the value as a `codec.RawJson`, or as a plain JSON value if `codec.encode` returns
the same bytes. Follows k8s.io/apimachinery `pkg/runtime/extension.go`: decoding keeps the bytes, and Go's
encoding/json compacts them and escapes HTML's special characters. FieldsV1 does not keep its bytes.
"""

from collections.abc import Callable, Mapping
from operator import is_
from types import MappingProxyType
from typing import Any, TypeAlias

from fakeapi.machinery import codec
from fakeapi.machinery.codec import JsonError, RawJson
from fakeapi.machinery.golang.json_encoding import escape_html
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import AnyValue, List, Map, Node, Struct, kept_on_node

RAW = "runtime.RawExtension"


def kept(text: bytes, value: Any) -> Any:
    """Returns a RawJson with `text`, or the value itself if `codec.encode` returns the same text.

    Also returns the value itself if `text` does not decode to this value.
    """
    if text == codec.encode(value):
        return value
    try:
        return RawJson(text, value) if codec.decode(text) == value else value
    except JsonError:
        return value


def compact(value: Any) -> Any:
    """Compacts the text of a RawJson and escapes HTML characters, like Go before it applies a patch.

    Returns other values unchanged.
    """
    return kept(escape_html(codec.compact(value.json)), value.value) if isinstance(value, RawJson) else value


def marshalled(value: Any) -> Any:
    """Returns Go's JSON of a value as a RawJson, or the value itself if `codec.encode` returns the same JSON.

    Use this function for results of patches and for values from YAML.
    """
    plain = codec.encode(value)
    text = escape_html(plain)
    return value if text == plain else RawJson(text, codec.decode(text))


def opened(value: Any) -> Any:
    """Decodes the outermost level of a RawJson; the members or items inside keep their exact text.

    Returns other values unchanged.
    """
    if isinstance(value, RawJson) and isinstance(value.value, dict):
        return {name: kept(text, value.value[name]) for name, text in codec.members(value.json).items()}
    if isinstance(value, RawJson) and isinstance(value.value, list):
        return [kept(*pair) for pair in zip(codec.items(value.json), value.value, strict=True)]
    return value


def as_written(obj: Object, body: bytes, schema: Struct) -> Object:
    """Returns a canonical object with the exact texts of its RawExtensions.

    `body` is the JSON that `obj` was decoded from. You need not call this if `codec.encode` wrote the body.
    """
    if not _has_any(obj, schema):
        return obj
    try:
        written: Object = _written(obj, body, schema)
    except JsonError:  # Only the lenient decoder can read this body.
        return obj
    return written


def mapped(value: Any, node: Node, change: Callable[[Any], Any]) -> Any:
    """Applies `change` to each runtime.RawExtension in a value with the schema `node`; returns the result.

    The result shares unchanged parts with `value`; it is `value` itself if nothing changes.
    """
    return value if value is None else _mapper(node)(value, change)


_Mapper: TypeAlias = Callable[[Any, Callable[[Any], Any]], Any]
"""A function that does the same as `mapped` for one type: (value, change) -> result. `value` is not None."""


@kept_on_node
def _mapper(node: Node) -> _Mapper:
    match node:
        case Struct():
            return _struct_mapper(node)
        case List():
            return _list_mapper(node.items)
        case Map():
            return _map_mapper(node.values)
        case _:
            return lambda value, change: change(value)


def _struct_mapper(node: Struct) -> _Mapper:
    leading = [*_leading(node).items()]

    def of_struct(value: Any, change: Callable[[Any], Any]) -> Any:
        changed = value
        for name, inner in leading:
            part = value.get(name)
            if part is not None and (new := _mapper(inner)(part, change)) is not part:
                if changed is value:
                    changed = dict(value)
                changed[name] = new
        return changed

    return of_struct


def _list_mapper(items: Node) -> _Mapper:
    def of_list(value: Any, change: Callable[[Any], Any]) -> Any:
        inner = _mapper(items)
        changed = [item if item is None else inner(item, change) for item in value]
        return value if all(map(is_, changed, value)) else changed

    return of_list


def _map_mapper(values: Node) -> _Mapper:
    def of_map(value: Any, change: Callable[[Any], Any]) -> Any:
        inner = _mapper(values)
        changed = {key: item if item is None else inner(item, change) for key, item in value.items()}
        return value if all(map(is_, changed.values(), value.values())) else changed

    return of_map


def _has_any(value: Any, node: Node) -> bool:
    if value is None:
        return False
    match node:
        case Struct():
            return any(_has_any(value.get(name), inner) for name, inner in _leading(node).items())
        case List():
            return any(_has_any(item, node.items) for item in value)
        case Map():
            return any(_has_any(item, node.values) for item in value.values())
        case _:
            return True


def _written(value: Any, text: bytes, node: Node) -> Any:
    """Returns `value` with the exact texts of its RawExtensions; `text` is the JSON of the value."""
    if value is None:
        return value
    match node:
        case Struct():
            members = codec.members(text)
            return value | {
                name: _written(value[name], members[name], inner)
                for name, inner in _leading(node).items()
                if name in members and name in value
            }
        case Map():
            members = codec.members(text)
            return value | {
                name: _written(value[name], members[name], node.values) for name in value if name in members
            }
        case List() if len(items := codec.items(text)) == len(value):
            return [_written(item, items[index], node.items) for index, item in enumerate(value)]
        case AnyValue():
            return kept(text, value)
        case _:
            return value


@kept_on_node
def _leading(node: Struct) -> Mapping[str, Node]:
    """Returns the fields of a struct that are or contain a runtime.RawExtension: name -> schema node."""
    fields = {field.name: field.node for field in node.fields.values() if _leads(field.node, frozenset())}
    return MappingProxyType(fields)


def _leads(node: Node, above: frozenset[int]) -> bool:
    """Whether a schema node is or contains a runtime.RawExtension.

    `above`: the ids of the structs that contain the node. The function skips these structs, because a type
    may contain itself.
    """
    match node:
        case AnyValue():
            return node.go_type == RAW
        case List():
            return _leads(node.items, above)
        case Map():
            return _leads(node.values, above)
        case Struct() if id(node) not in above:
            return any(_leads(field.node, above | {id(node)}) for field in node.fields.values())
        case _:
            return False
