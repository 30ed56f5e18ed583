"""Schema nodes: the types that decoding, defaulting, patching and server-side apply follow.

One description serves decoding, defaults, strategic merge, field sets and server-side apply. Nodes are
made by `fakeapi.releases` from its tables; nothing here knows a release.

The wire semantics of Go's encoding/json are part of the description: `omitempty` and `pointer` decide
what a zero value looks like on the wire, `go_type` names the Go type in messages.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import wraps
from typing import Any, TypeAlias, TypeVar, cast

Walks: TypeAlias = dict[Any, Any]
"""Results of compiling a node, by the function that compiled it; see `kept_on_node`."""


class ListType(Enum):
    """x-kubernetes-list-type: how server-side apply merges a list."""

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
    """`go_type` is the type's Go name as messages print it: "string", "int64", "v1.Time"; `bits` the width of
    an integer.
    """

    kind: ScalarKind
    go_type: str
    bits: int = 64
    walks: Walks = field(default_factory=dict, init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class AnyValue:
    """runtime.RawExtension, FieldsV1 or JSON of any shape: kept as it came. Owned as a whole.

    `choice` is the type that a value is of where it is an object, for a type that is that or something else,
    such as JSONSchemaPropsOrBool.
    """

    go_type: str
    choice: "Callable[[], Struct] | None" = field(default=None, repr=False, compare=False)
    walks: Walks = field(default_factory=dict, init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Untyped(AnyValue):
    """A value without a schema, whose parts have field owners of their own.

    The members of an object by `shapes()[0]`, the items of a list by `shapes()[1]`; a scalar is one field.
    Only server-side apply tells it from AnyValue.
    """

    shapes: "Callable[[], tuple[Struct | Map, List]]" = field(kw_only=True, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class List:
    """`keys` for ListType.MAP. `patch_merge_key` None and `patch_merge` False: strategic merge replaces.

    `keys_may_be_absent`: an item may leave out keys that have no default, if it has one of them.
    `wrapped`: in protobuf the list is a message of its own, with the items in its field 1.
    """

    items: "Node"
    go_type: str
    list_type: ListType = ListType.ATOMIC
    keys: tuple[str, ...] = ()
    key_defaults: tuple[tuple[str, Any], ...] = ()
    keys_may_be_absent: bool = False
    patch_merge: bool = False
    patch_merge_key: str | None = None
    patch_retain_keys: bool = False
    wrapped: bool = False
    walks: Walks = field(default_factory=dict, init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Map:
    """A map with free string keys."""

    values: "Node"
    go_type: str
    atomic: bool = False
    walks: Walks = field(default_factory=dict, init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Field:
    """One member of a struct. `default` is the schema's own, None where it has none.

    `protobuf_path` holds field numbers: its own comes last, after those of the messages that JSON inlines.
    It is empty where protobuf does not have the field. A strategic merge
    patch sets a member with `patch_replace` as a whole.
    """

    name: str
    node: "Node"
    required: bool = False
    omitempty: bool = True
    omitzero: bool = False
    pointer: bool = False
    default: Any = None
    patch_retain_keys: bool = False
    patch_replace: bool = False
    protobuf_path: tuple[int, ...] = ()


@dataclass(slots=True, eq=False, weakref_slot=True)
class Struct:
    """Fields in the order of the Go type, which is the order on the wire.

    Filled after construction, so that a type may hold itself. `full_name` has the group of the package too,
    `resource/v1beta2.Device`; empty for a type that is not from a release's table. `reader` decodes objects
    that have no Go type, those of a CustomResourceDefinition, in place of the walk along the fields.
    `others` is the type of members that are no fields, for server-side apply; None where there may be none.
    """

    go_type: str
    fields: dict[str, Field] = field(default_factory=dict)
    atomic: bool = False
    full_name: str = ""
    reader: "Callable[[Any], tuple[dict[str, Any], list[str]]] | None" = field(default=None, repr=False)
    others: "Node | None" = None
    walks: Walks = field(default_factory=dict, init=False, repr=False, compare=False)


Node: TypeAlias = Scalar | AnyValue | List | Map | Struct

_Node = TypeVar("_Node", bound=Node)
_Compiled = TypeVar("_Compiled")


def kept_on_node(build: Callable[[_Node], _Compiled]) -> Callable[[_Node], _Compiled]:
    """Decorator: calls `build` once for each node and keeps the result on that node.

    So the compiled functions of a schema are freed together with it. `build` must not return None.
    """

    def get(node: _Node) -> _Compiled:
        made = node.walks.get(build)
        if made is None:
            made = node.walks[build] = build(node)
        return cast("_Compiled", made)

    return wraps(build)(get)
