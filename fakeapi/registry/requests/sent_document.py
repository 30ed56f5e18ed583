"""SentDocument: the empty lists and maps, and the texts of quantities, that a client sent.

Canonical objects have none of them. In Go, an empty list differs from a missing list. Error messages print an
empty list as [] and a missing list as null. Some rules of Kubernetes refuse only empty lists. For
managedFields, an atomic list also changes if an empty list in its items becomes a missing list. An ephemeral
container must not have resources, not even empty maps.
"""

from typing import Any, NamedTuple

import msgspec

from fakeapi.machinery.golang import json_decoding
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.schema.nodes import List, ListType, Map, Node, Struct
from fakeapi.registry.requests.sent_amounts import amount_names, with_sent_amounts

_EMPTY = lazy_pattern(rb'\[\s*\]|"ephemeralContainers"')
_EPHEMERAL_CONTAINERS, _EPHEMERAL_CONTAINER = "ephemeralContainers", "EphemeralContainer"


class SentDocument(msgspec.Struct):
    """The document of a write, if it may have values to restore, or its kind has quantities in atomic lists.

    - `body`: the JSON text of a POST or PUT; empty if the text is not kept, and after `value` is decoded.
    - `value`: the decoded document; None if the document is not kept.
    - `has_empty`: whether the document has an empty list, or ephemeral containers.
    """

    body: bytes = b""
    value: Any = None
    has_empty: bool = False

    def keep_body(self, body: bytes, schema: Struct) -> None:
        """Keeps the JSON text of a POST or PUT, if one of the methods needs the text.

        `schema`: the type of the object.
        """
        self.has_empty = _EMPTY.search(body) is not None
        if self.has_empty or any(f'"{name}"'.encode() in body for name in amount_names(schema)):
            self.body = body

    def keep(self, value: Any, schema: Struct) -> None:
        """Keeps the decoded result of a patch or an apply, if one of the methods needs the result.

        `schema`: the type of the result.
        """
        self.has_empty, has_amounts = _contents(value, amount_names(schema))
        self.value = value if self.has_empty or has_amounts else None

    def restored(self, obj: Object, schema: Struct) -> Object:
        """Returns `obj` with the empty lists of the document, for the strategy of its kind.

        Ephemeral containers also get their empty maps. Restores a value only at a path that both the document
        and `obj` have. The stored form leaves out empty lists of fields with `omitempty`
        (`registry.stored.form`). `schema`: the type of `obj`.
        """
        return self._with_empty(obj, schema, _EVERYWHERE)

    def restored_in_atomic_lists(
        self, obj: Object, schema: Struct, rebuilt: frozenset[tuple[str, str]]
    ) -> Object:
        """Returns `obj` with the empty lists inside the atomic lists of the document, for managedFields.

        Kubernetes compares atomic lists by reflect.DeepEqual, for which an empty list differs from a missing
        list (sigs.k8s.io/structured-merge-diff `value/listreflect.go`). Elsewhere, both are equal. Also
        restores the texts of quantities in atomic lists, see `sent_amounts`.

        `rebuilt`: the lists of `Conversion.rebuilt_lists`, which stay missing.
        """
        filled = self._with_empty(obj, schema, _Places(inside=False, rebuilt=rebuilt))
        if not amount_names(schema) or self._decoded() is None:
            return filled
        restored: Object = with_sent_amounts(filled, self._decoded(), schema)
        return restored

    def _with_empty(self, obj: Object, schema: Struct, places: "_Places") -> Object:
        if not self.has_empty:
            return obj
        filled: Object = _filled(obj, self._decoded(), schema, places)
        return filled

    def _decoded(self) -> Any:
        if self.body:
            self.value, self.body = json_decoding.decode_lenient(self.body), b""
        return self.value


def _contents(value: Any, names: frozenset[str]) -> tuple[bool, bool]:
    """Returns whether a JSON value may have values to restore, and whether it contains a field of `names`."""
    values, has_empty, has_name = [value], False, False
    for inner in values:
        if isinstance(inner, dict):
            has_name = has_name or not names.isdisjoint(inner)
            has_empty = has_empty or _EPHEMERAL_CONTAINERS in inner
            values += inner.values()
        elif isinstance(inner, list):
            has_empty = has_empty or not inner
            values += inner
    return has_empty, has_name


class _Places(NamedTuple):
    """Defines where to add empty lists and maps.

    - `inside`: whether to add empty lists at this level.
    - `maps`: whether to add empty maps at this level, as inside an ephemeral container.
    - `rebuilt`: the lists that stay missing.
    """

    inside: bool = True
    maps: bool = False
    rebuilt: frozenset[tuple[str, str]] = frozenset()


_EVERYWHERE = _Places()


def _filled(obj: Any, sent: Any, node: Node, places: _Places) -> Any:
    """Returns a value with the empty lists and maps of `sent`."""
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
    if type_name == _EPHEMERAL_CONTAINER:
        places = places._replace(maps=places.inside)
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
        elif value == {} and places.maps and isinstance(field.node, Map):
            result[name] = {}
    return result
