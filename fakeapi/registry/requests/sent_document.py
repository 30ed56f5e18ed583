"""SentDocument: the empty lists that a client sent, which canonical objects do not have.

In Go, an empty list differs from a missing list. Error messages print the first as [] and the second as null,
and some rules of Kubernetes refuse only the first. For managedFields, atomic lists with such items differ.
"""

import re
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.golang import json_decoding
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import List, ListType, Map, Node, Struct

_EMPTY_LIST = re.compile(rb"\[\s*\]")


def has_empty_list(body: bytes) -> bool:
    """Whether the text of a JSON body has an empty list."""
    return _EMPTY_LIST.search(body) is not None


@dataclass(slots=True)
class SentDocument:
    """The document of a write, if it has an empty list.

    - `body`: the JSON text of a POST or PUT; empty without an empty list
    - `value`: the decoded result of a patch; None without an empty list
    """

    body: bytes = b""
    value: Any = None

    def restored(self, obj: Object, schema: Struct) -> Object:
        """Returns `obj` with the empty lists of the document, for the strategy of its kind.

        Restores a list only at a path that both the document and `obj` have. The stored form leaves out empty
        lists of fields with `omitempty` (`registry.stored.form`). `schema`: the type of `obj`.
        """
        return self._filled(obj, schema, everywhere=True)

    def restored_in_atomic_lists(self, obj: Object, schema: Struct) -> Object:
        """Returns `obj` with the empty lists inside the atomic lists of the document, for managedFields.

        Kubernetes compares atomic lists by reflect.DeepEqual, for which an empty list differs from a missing
        list (sigs.k8s.io/structured-merge-diff `value/listreflect.go`). Elsewhere, both are equal.
        """
        return self._filled(obj, schema, everywhere=False)

    def _filled(self, obj: Object, schema: Struct, *, everywhere: bool) -> Object:
        value = json_decoding.decode_lenient(self.body) if self.body else self.value
        return obj if value is None else _filled(obj, value, schema, everywhere)


def _filled(obj: Any, sent: Any, node: Node, inside: bool) -> Any:  # noqa: FBT001 - private
    """Returns a value with the empty lists of `sent`. `inside`: whether to add them at this level."""
    match node:
        case Struct() if isinstance(obj, dict) and isinstance(sent, dict):
            return _struct(obj, sent, node, inside)
        case List() if isinstance(obj, list) and isinstance(sent, list) and len(obj) == len(sent):
            inside = inside or node.list_type is ListType.ATOMIC
            return [_filled(item, other, node.items, inside) for item, other in zip(obj, sent, strict=True)]
        case Map() if isinstance(obj, dict) and isinstance(sent, dict):
            return {name: _filled(item, sent.get(name), node.values, inside) for name, item in obj.items()}
        case _:
            return obj


def _struct(obj: Object, sent: Object, node: Struct, inside: bool) -> Object:  # noqa: FBT001 - private
    result = dict(obj)
    for name, value in sent.items():
        field = node.fields.get(name)
        if field is None or name == "managedFields":
            continue
        if name in result:
            result[name] = _filled(result[name], value, field.node, inside)
        elif value == [] and inside and isinstance(field.node, List):
            result[name] = []
    return result
