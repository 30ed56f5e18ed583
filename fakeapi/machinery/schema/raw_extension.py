"""runtime.RawExtension: keeps the exact bytes of opaque parameters.

Kubernetes keeps a runtime.RawExtension as the bytes that it was sent, and compares bytes where it compares
objects. Here such a value is a plain one where its bytes are those of `codec.encode`, else a `codec.RawJson`.
Follows k8s.io/apimachinery `pkg/runtime/extension.go`: it is read as it stands, and encoding/json writes it
compact, with HTML's characters escaped. FieldsV1 is of any shape too, and has none of this.
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
    """A value with its text: a RawJson where `text` differs from `codec.encode`, else the value itself."""
    if text == codec.encode(value):
        return value
    try:
        return RawJson(text, value) if codec.decode(text) == value else value
    except JsonError:
        return value


def compact(value: Any) -> Any:
    """A value with its text compacted and HTML-escaped as encoding/json does before a patch is applied."""
    return kept(escape_html(codec.compact(value.json)), value.value) if isinstance(value, RawJson) else value


def marshalled(value: Any) -> Any:
    """A value with the text that encoding/json writes for it: the result of a patch, or of YAML made JSON."""
    plain = codec.encode(value)
    text = escape_html(plain)
    return value if text == plain else RawJson(text, codec.decode(text))


def opened(value: Any) -> Any:
    """Opens a RawJson by one level: a dict or list whose members keep their texts. Others as they are."""
    if isinstance(value, RawJson) and isinstance(value.value, dict):
        return {name: kept(text, value.value[name]) for name, text in codec.members(value.json).items()}
    if isinstance(value, RawJson) and isinstance(value.value, list):
        return [kept(*pair) for pair in zip(codec.items(value.json), value.value, strict=True)]
    return value


def as_written(obj: Object, body: bytes, schema: Struct) -> Object:
    """Puts the raw JSON that `body` has for RawExtensions back into the canonical object decoded from it.

    Where the body is as `codec.encode` writes it, the object holds each text already.
    """
    if not _has_any(obj, schema):
        return obj
    try:
        written: Object = _written(obj, body, schema)
    except JsonError:  # a body that only the lenient decoder reads
        return obj
    return written


def mapped(value: Any, node: Node, change: Callable[[Any], Any]) -> Any:
    """Applies `change` to each runtime.RawExtension of an object. Parts in which nothing changes are shared,
    as is the whole object.
    """
    return value if value is None else _mapper(node)(value, change)


_Mapper: TypeAlias = Callable[[Any, Callable[[Any], Any]], Any]
"""(value, change) -> `mapped` for values of one type, which are not None."""


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
        found = [item if item is None else inner(item, change) for item in value]
        return value if all(map(is_, found, value)) else found

    return of_list


def _map_mapper(values: Node) -> _Mapper:
    def of_map(value: Any, change: Callable[[Any], Any]) -> Any:
        inner = _mapper(values)
        found = {key: item if item is None else inner(item, change) for key, item in value.items()}
        return value if all(map(is_, found.values(), value.values())) else found

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
    """`value` with the texts of `text`, which it was decoded from."""
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
    """The fields of a type that are runtime.RawExtension or contain one."""
    found = {field.name: field.node for field in node.fields.values() if _leads(field.node, frozenset())}
    return MappingProxyType(found)


def _leads(node: Node, above: frozenset[int]) -> bool:
    """`above` are the structs that lead here: a type may hold itself."""
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
