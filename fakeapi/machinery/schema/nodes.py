"""Schema nodes: the types that decoding, defaulting, patching and server-side apply follow.

One description serves decoding, defaults, strategic merge, field sets and server-side apply.
`fakeapi.releases` makes nodes from its tables; this module knows no releases.

The description includes the wire semantics of Go's encoding/json: `omitempty` and `pointer` decide how a zero
value is written, and `go_type` is the name of the Go type in messages.
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
    """A scalar type.

    `go_type` is its Go name in messages, such as "string", "int64" or "v1.Time". `bits` is the width of an
    integer.
    """

    kind: ScalarKind
    go_type: str
    bits: int = 64
    walks: Walks = field(default_factory=dict, init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class AnyValue:
    """runtime.RawExtension, FieldsV1 or JSON of any shape: kept as received, and owned as a whole.

    Some types are an object of one type or something else, such as JSONSchemaPropsOrBool. `choice` returns
    the type of that object.
    """

    go_type: str
    choice: "Callable[[], Struct] | None" = field(default=None, repr=False, compare=False)
    walks: Walks = field(default_factory=dict, init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Untyped(AnyValue):
    """A value without a schema, whose parts have field owners of their own.

    `shapes()` returns the types of the value if it is an object and if it is a list. A scalar is one field.
    Only server-side apply distinguishes it from AnyValue.
    """

    shapes: "Callable[[], tuple[Struct | Map, List]]" = field(kw_only=True, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class List:
    """A list.

    - `keys`: the keys of items for ListType.MAP; `key_defaults` are the defaults of keys.
    - `keys_may_be_absent`: an item may omit keys without a default if it has at least one key.
    - `patch_merge`, `patch_merge_key`: how strategic merge merges the list; by default it replaces it.
    - `wrapped`: in protobuf the list is a message, with the items in its field 1.
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
    """A map with arbitrary string keys."""

    values: "Node"
    go_type: str
    atomic: bool = False
    walks: Walks = field(default_factory=dict, init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a struct.

    - `default`: the default in the schema; None if there is none.
    - `protobuf_path`: field numbers, first of the messages that JSON inlines, then of the field itself; empty
      if protobuf does not have the field.
    - `patch_replace`: a strategic merge patch replaces the member as a whole.
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
    """A struct; its fields are in the order of the Go type, which is the order in JSON.

    Its fields are added after construction, so that a type may contain itself.

    - `full_name`: the name with the group of the package, `resource/v1beta2.Device`; empty for a type that is
      not from a release's table.
    - `reader`: decodes objects of a CustomResourceDefinition, which have no Go type, in place of a decoder
      made from the fields.
    - `others`: for server-side apply, the type of members that are not fields; None if these are not allowed.
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
    """Decorates `build`, so that it is called once for each node and its result is kept on the node.

    So the compiled functions of a schema are freed together with it. `build` must not return None.
    """

    def get(node: _Node) -> _Compiled:
        compiled = node.walks.get(build)
        if compiled is None:
            compiled = node.walks[build] = build(node)
        return cast("_Compiled", compiled)

    return wraps(build)(get)
