"""SentDocument: the empty lists that a client sent, which canonical objects do not have.

In Go, an empty list differs from a missing list. Error messages print the first as [] and the second as null,
and some rules of Kubernetes refuse only the first.
"""

import re
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.golang import json_decoding
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import List, Map, Node, Struct

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
        value = json_decoding.decode_lenient(self.body) if self.body else self.value
        return obj if value is None else _with_empty_lists(obj, value, schema)


def _with_empty_lists(obj: Any, sent: Any, node: Node) -> Any:
    match node:
        case Struct() if isinstance(obj, dict) and isinstance(sent, dict):
            return _struct(obj, sent, node)
        case List() if isinstance(obj, list) and isinstance(sent, list) and len(obj) == len(sent):
            return [_with_empty_lists(item, other, node.items) for item, other in zip(obj, sent, strict=True)]
        case Map() if isinstance(obj, dict) and isinstance(sent, dict):
            return {name: _with_empty_lists(item, sent.get(name), node.values) for name, item in obj.items()}
        case _:
            return obj


def _struct(obj: Object, sent: Object, node: Struct) -> Object:
    result = dict(obj)
    for name, value in sent.items():
        field = node.fields.get(name)
        if field is None or name == "managedFields":
            continue
        if name in result:
            result[name] = _with_empty_lists(result[name], value, field.node)
        elif value == [] and isinstance(field.node, List):
            result[name] = []
    return result
