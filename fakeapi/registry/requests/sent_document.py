"""SentDocument: the empty lists and the texts of quantities that a client sent.

Canonical objects have neither. In Go, an empty list differs from a missing list. Error messages print the
first as [] and the second as null, and some rules of Kubernetes refuse only the first. For managedFields,
atomic lists with such items differ.
"""

import re
from typing import Any, NamedTuple

import msgspec

from fakeapi.machinery.golang import json_decoding
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import List, ListType, Map, Node, Struct
from fakeapi.registry.requests.sent_amounts import amount_names, with_sent_amounts

_EMPTY_LIST = re.compile(rb"\[\s*\]")


def loses_texts(body: bytes, schema: Struct) -> bool:
    """Whether a JSON body has an empty list, or fields with quantities in atomic lists of its type."""
    names = amount_names(schema)
    return _EMPTY_LIST.search(body) is not None or any(f'"{name}"'.encode() in body for name in names)


class SentDocument(msgspec.Struct):
    """The document of a write, if it has an empty list, or its kind has quantities in atomic lists.

    - `body`: the JSON text of a POST or PUT; empty if it is not kept, and after `value` is decoded
    - `value`: the decoded document; None if it is not kept
    """

    body: bytes = b""
    value: Any = None

    def keep(self, value: Any, schema: Struct) -> None:
        """Keeps the decoded result of a patch or an apply, if one of the methods needs it.

        `schema`: the type of the result
        """
        self.value = value if _loses_texts(value, amount_names(schema)) else None

    def restored(self, obj: Object, schema: Struct) -> Object:
        """Returns `obj` with the empty lists of the document, for the strategy of its kind.

        Restores a list only at a path that both the document and `obj` have. The stored form leaves out empty
        lists of fields with `omitempty` (`registry.stored.form`). `schema`: the type of `obj`.
        """
        return self._with_lists(obj, schema, _EVERYWHERE)

    def restored_in_atomic_lists(
        self, obj: Object, schema: Struct, rebuilt: frozenset[tuple[str, str]]
    ) -> Object:
        """Returns `obj` with the empty lists inside the atomic lists of the document, for managedFields.

        Kubernetes compares atomic lists by reflect.DeepEqual, for which an empty list differs from a missing
        list (sigs.k8s.io/structured-merge-diff `value/listreflect.go`). Elsewhere, both are equal. Also
        restores the texts of quantities there, see `sent_amounts`.

        `rebuilt`: the lists of `Conversion.rebuilt_lists`, which stay missing
        """
        filled = self._with_lists(obj, schema, _Places(inside=False, rebuilt=rebuilt))
        if self.value is None or not amount_names(schema):
            return filled
        restored: Object = with_sent_amounts(filled, self.value, schema)
        return restored

    def _with_lists(self, obj: Object, schema: Struct, places: "_Places") -> Object:
        if self.body:
            self.value, self.body = json_decoding.decode_lenient(self.body), b""
        if self.value is None:
            return obj
        filled: Object = _filled(obj, self.value, schema, places)
        return filled


def _loses_texts(value: Any, names: frozenset[str]) -> bool:
    values = [value]
    for inner in values:
        if isinstance(inner, dict):
            if not names.isdisjoint(inner):
                return True
            values += inner.values()
        elif isinstance(inner, list):
            if not inner:
                return True
            values += inner
    return False


class _Places(NamedTuple):
    """Defines where to add empty lists. `inside`: at this level. `rebuilt`: the lists that stay missing."""

    inside: bool = True
    rebuilt: frozenset[tuple[str, str]] = frozenset()


_EVERYWHERE = _Places()


def _filled(obj: Any, sent: Any, node: Node, places: _Places) -> Any:
    """Returns a value with the empty lists of `sent`."""
    match node:
        case Struct() if isinstance(obj, dict) and isinstance(sent, dict):
            return _struct(obj, sent, node, places)
        case List() if isinstance(obj, list) and isinstance(sent, list) and len(obj) == len(sent):
            if node.list_type is ListType.ATOMIC:
                places = places._replace(inside=True)
            return [_filled(item, other, node.items, places) for item, other in zip(obj, sent, strict=True)]
        case Map() if isinstance(obj, dict) and isinstance(sent, dict):
            return {name: _filled(item, sent.get(name), node.values, places) for name, item in obj.items()}
        case _:
            return obj


def _struct(obj: Object, sent: Object, node: Struct, places: _Places) -> Object:
    result, type_name = dict(obj), node.full_name.rpartition(".")[2]
    for name, value in sent.items():
        field = node.fields.get(name)
        if field is None or name == "managedFields":
            continue
        if value == [] and (type_name, name) in places.rebuilt:
            result.pop(name, None)
        elif name in result:
            result[name] = _filled(result[name], value, field.node, places)
        elif value == [] and places.inside and isinstance(field.node, List):
            result[name] = []
    return result
