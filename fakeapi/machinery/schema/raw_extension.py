"""What drivers give, to the byte: the texts behind the values of any shape in an object.

Kubernetes keeps a runtime.RawExtension as the bytes that it was sent, and compares bytes where it compares
objects. Here such a value is a plain one where its bytes are those of `codec.encode`, else a `codec.RawJson`.
Follows k8s.io/apimachinery `pkg/runtime/extension.go`: it is read as it stands, and encoding/json writes it
compact, with HTML's characters escaped. FieldsV1 is of any shape too, and has none of this.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from fakeapi.machinery import codec
from fakeapi.machinery.codec import JsonError, RawJson
from fakeapi.machinery.golang.json_encoding import escape_html
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import AnyValue, List, Map, Node, Struct, kept_on_node

RAW = "runtime.RawExtension"


def kept(text: bytes, value: Any) -> Any:
    """`value`, written as `text`: as it is, or with its text where that is needed and can be read again."""
    if text == codec.encode(value):
        return value
    try:
        return RawJson(text, value) if codec.decode(text) == value else value
    except JsonError:
        return value


def compact(value: Any) -> Any:
    """A value as encoding/json writes its text, for a patch to be applied to."""
    return kept(escape_html(codec.compact(value.json)), value.value) if isinstance(value, RawJson) else value


def marshalled(value: Any) -> Any:
    """A value as it is read from what encoding/json wrote: the result of a patch, or YAML made JSON."""
    plain = codec.encode(value)
    text = escape_html(plain)
    return value if text == plain else RawJson(text, codec.decode(text))


def opened(value: Any) -> Any:
    """A value whose members or items can be changed, each with its own text; any other as it is."""
    if isinstance(value, RawJson) and isinstance(value.value, dict):
        return {name: kept(text, value.value[name]) for name, text in codec.members(value.json).items()}
    if isinstance(value, RawJson) and isinstance(value.value, list):
        return [kept(*pair) for pair in zip(codec.items(value.json), value.value, strict=True)]
    return value


def as_written(obj: Object, body: bytes, schema: Struct) -> Object:
    """A canonical object, as decoded from the JSON of `body`, with the texts that its values have there."""
    try:
        written: Object = _written(obj, body, schema) if _has_any(obj, schema) else obj
    except JsonError:  # a body that only the lenient decoder reads
        return obj
    return written


def mapped(value: Any, node: Node, change: Callable[[Any], Any]) -> Any:
    """An object with `change` made to each of its values of any shape; shares what has none."""
    if value is None:
        return value
    match node:
        case Struct():
            found = {
                name: mapped(value[name], inner, change)
                for name, inner in _leading(node).items()
                if value.get(name) is not None
            }
            return {**value, **found} if found else value
        case List():
            return [mapped(item, node.items, change) for item in value]
        case Map():
            return {key: mapped(item, node.values, change) for key, item in value.items()}
        case _:
            return change(value)


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
    """The fields of a type that are values of any shape, or have some below them."""
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
