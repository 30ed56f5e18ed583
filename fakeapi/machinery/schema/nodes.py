"""Schema nodes: they describe types for decoding, defaulting, patching and server-side apply.

`fakeapi.releases` creates nodes from its tables; this module does not depend on releases. Nodes include the
rules of Go's encoding/json: `omitempty` and `pointer` decide how a zero value is encoded. `go_type` is the
name of the Go type in messages.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import wraps
from typing import Any, TypeAlias, TypeVar, cast

Walks: TypeAlias = dict[Any, Any]
"""A cache of data compiled from a schema node: function -> its result; see `kept_on_node`."""


class ListType(Enum):
    """The value of x-kubernetes-list-type: how server-side apply merges a list."""

    ATOMIC = "atomic"
    SET = "set"
    MAP = "map"


class ScalarKind(Enum):
    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    BYTES = "bytes"  # base64 text on the wire
    TIME = "time"  # metav1.Time: RFC 3339, seconds
    MICRO_TIME = "microtime"  # metav1.MicroTime: RFC 3339, microseconds
    QUANTITY = "quantity"
    INT_OR_STRING = "int-or-string"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar type.

    `go_type`: the name of the Go type in messages, such as "string", "int64" or "v1.Time".
    `bits`: the size of an integer in bits.
    """

    kind: ScalarKind
    go_type: str
    bits: int = 64
    walks: Walks = field(default_factory=dict, init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class AnyValue:
    """A type for any JSON value, such as runtime.RawExtension.

    Values are kept as received. In server-side apply, they are owned as a whole.

    `choice`: returns the struct type, for a type whose values are structs or something else, such as
    JSONSchemaPropsOrBool. None for other types.
    """

    go_type: str
    choice: "Callable[[], Struct] | None" = field(default=None, repr=False, compare=False)
    walks: Walks = field(default_factory=dict, init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Untyped(AnyValue):
    """A type for any JSON value, for server-side apply; its members and items have their own field owners.

    `shapes`: returns two types: for values that are objects, and for values that are lists.
    """

    shapes: "Callable[[], tuple[Struct | Map, List]]" = field(kw_only=True, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class List:
    """A list type.

    - `keys`: the names of the key fields of items; only for ListType.MAP.
    - `key_defaults`: the defaults of key fields: (name, value).
    - `keys_may_be_absent`: whether an item may omit keys without a default, if it has at least one key.
    - `patch_merge`: whether a strategic merge patch merges the list instead of replacing it.
    - `patch_merge_key`: the key for merging items in a strategic merge patch; None for a list of scalars.
    - `wrapped`: whether the list is a message in protobuf, with the items in field 1.
    """

    items: "Node"
    go_type: str
    list_type: ListType = ListType.ATOMIC
    keys: tuple[str, ...] = ()
    key_defaults: tuple[tuple[str, Any], ...] = ()
    keys_may_be_absent: bool = False
    patch_merge: bool = False
    patch_merge_key: str | None = None
    wrapped: bool = False
    walks: Walks = field(default_factory=dict, init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Map:
    """A map type with arbitrary string keys.

    `atomic`: whether the map is owned as a whole in server-side apply.
    """

    values: "Node"
    go_type: str
    atomic: bool = False
    walks: Walks = field(default_factory=dict, init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a struct.

    - `omitempty`, `omitzero`: the options of the JSON tag in Go.
    - `pointer`: whether the Go type of the field is a pointer.
    - `default`: the default in the schema; None without a default.
    - `protobuf_path`: the field numbers of the messages that JSON inlines, then the number of the field
      itself; empty if the field is not in protobuf.
    - `patch_replace`: whether a strategic merge patch replaces the field as a whole.
    """

    name: str
    node: "Node"
    required: bool = False
    omitempty: bool = True
    omitzero: bool = False
    pointer: bool = False
    default: Any = None
    patch_replace: bool = False
    protobuf_path: tuple[int, ...] = ()


@dataclass(slots=True, eq=False, weakref_slot=True)
class Struct:
    """A struct type; the fields are in the order of the Go type, which is the order in JSON.

    Fields are added after construction, so that a type may contain itself.

    - `atomic`: whether the struct is owned as a whole in server-side apply.
    - `full_name`: the name with its package, such as `resource/v1beta2.Device`; empty for a type that is not
      from the tables of a release.
    - `reader`: decodes custom objects; they have no Go type. If None, a decoder is compiled from the fields.
    - `others`: for server-side apply, the type of members that are not fields; None if they are not allowed.
    """

    go_type: str
    fields: dict[str, Field] = field(default_factory=dict)
    atomic: bool = False
    full_name: str = ""
    reader: "Callable[[Any], tuple[dict[str, Any], list[str]]] | None" = field(default=None, repr=False)
    others: "Node | None" = None
    walks: Walks = field(default_factory=dict, init=False, repr=False, compare=False)


Node: TypeAlias = Scalar | AnyValue | List | Map | Struct


def nodes_within(node: Node, skips: Callable[[Node], bool] = lambda _: False) -> Iterator[Node]:
    """Yields a type and all types of its members and items, each once. Ignores `Struct.others`.

    `skips`: returns whether to omit a type and the types within it.
    """
    nodes, known = [node], {id(node)}
    for inner in nodes:
        if skips(inner):
            continue
        yield inner
        below: list[Node] = []
        match inner:
            case List():
                below = [inner.items]
            case Map():
                below = [inner.values]
            case Struct():
                below = [field.node for field in inner.fields.values()]
            case _:
                pass
        for child in below:
            if id(child) not in known:
                known.add(id(child))
                nodes.append(child)


_Node = TypeVar("_Node", bound=Node)
_Compiled = TypeVar("_Compiled")


def kept_on_node(build: Callable[[_Node], _Compiled]) -> Callable[[_Node], _Compiled]:
    """Decorator: calls `build` only once for each schema node, and keeps the result on the node.

    The results are freed together with the schema. `build` must not return None.
    """

    def get(node: _Node) -> _Compiled:
        compiled = node.walks.get(build)
        if compiled is None:
            compiled = node.walks[build] = build(node)
        return cast("_Compiled", compiled)

    return wraps(build)(get)
