"""Values of any shape as an update compares them: inside a list that is owned as a whole, by their bytes.

Follows `listReflect` of sigs.k8s.io/structured-merge-diff `value`: two lists of Go's own types are equal when
they are deeply equal, and there such a value is the JSON that it was read from, the order of its keys
included. An apply compares such a list with what came out of maps, where no order is left.
"""

from functools import cache
from typing import Any

from fakeapi.machinery import codec
from fakeapi.machinery.apply.compare import plain
from fakeapi.machinery.apply.typed import is_leaf
from fakeapi.machinery.schema import List, Map, Node, Struct


@cache
def _has_spelling(node: Node) -> bool:
    return not plain(node)


def spelled(value: Any, node: Node) -> Any:
    """The canonical `value` with the text of each such list in the list's place; it is not changed."""
    if not value or not _has_spelling(node):
        return value
    match node:
        case List() if is_leaf(node):
            return codec.encode(value).decode()
        case List():
            return [spelled(item, node.items) for item in value]
        case Map():
            return {key: spelled(item, node.values) for key, item in value.items()}
        case Struct():
            fields = node.fields
            return {
                key: spelled(item, fields[key].node) if key in fields else item for key, item in value.items()
            }
        case _:
            return value
