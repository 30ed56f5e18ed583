"""Finds Go's error message for malformed protobuf.

Follows the Unmarshal functions that gogo-protobuf generates for k8s.io/api, `generated.pb.go`. These
functions stop at the first error in byte order.

The module is imported only for bytes that `fakeapi.machinery.schema.protobuf` cannot decode.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from fakeapi.machinery.schema.go_names import go_name
from fakeapi.machinery.schema.nodes import AnyValue, List, Map, Node, Scalar, ScalarKind, Struct
from fakeapi.machinery.schema.protobuf_wire import BYTES, FIXED64, VARINT, WireError, signed, varint

_END_GROUP = 4
_END = "unexpected EOF"
_NEGATIVE = "proto: negative length found during unmarshaling"

_Inner = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class _Member:
    """A field of a protobuf message.

    - `wire_types`: the allowed protobuf wire types.
    - `inner`: a function that checks the content of the field; None if any bytes are valid.
    - `is_map`: whether the field is a map.
    """

    name: str
    wire_types: tuple[int, ...] = (BYTES,)
    inner: _Inner | None = None
    entry: _Inner | None = None
    """A function that checks the values of a map; None if the values are not messages."""
    is_map: bool = False


@dataclass(frozen=True, slots=True)
class _Message:
    name: str
    members: dict[int, _Member] = field(default_factory=dict)

    def check(self, data: bytes) -> None:
        """Raises WireError with Go's message for the first error in the fields of a message."""
        at = 0
        while at < len(data):
            start = at
            wire, at = varint(data, at)
            number, wire_type = signed(wire >> 3, 32), wire & 7
            if wire_type == _END_GROUP:
                raise WireError(f"proto: {self.name}: wiretype end group for non-group")
            if number <= 0:
                raise WireError(f"proto: {self.name}: illegal tag {number} (wire type {wire})")
            member = self.members.get(number)
            at = _skipped(data, start) if member is None else _member_end(data, at, member, wire_type)


def envelope_error(data: bytes) -> str:
    """Returns Go's message for the first error in an envelope (runtime.Unknown); "" without errors."""
    return _first_error(data, _ENVELOPE)


def object_error(data: bytes, schema: Struct) -> str:
    """Returns Go's message for the first error in the protobuf of an object; "" without errors."""
    return _first_error(data, _message(schema))


def _first_error(data: bytes, message: _Message) -> str:
    try:
        message.check(data)
    except WireError as error:
        return str(error)
    return ""


def _member_end(data: bytes, at: int, member: _Member, wire_type: int) -> int:
    """Checks the content of a field at the offset `at`, and returns its end offset.

    Raises WireError if the content is malformed. `wire_type`: the protobuf wire type in the message.
    """
    if wire_type not in member.wire_types:
        raise WireError(f"proto: wrong wireType = {wire_type} for field {member.name}")
    if wire_type == VARINT:
        return varint(data, at)[1]
    if wire_type == FIXED64:
        if at + 8 > len(data):
            raise WireError(_END)
        return at + 8
    at, end = _bounds(data, at)
    if member.is_map:
        _check_entry(data, at, end, member.entry)
    elif member.inner is not None:
        member.inner(data[at:end])
    return end


def _bounds(data: bytes, at: int) -> tuple[int, int]:
    """Returns the (start, end) offsets of the content of a length-delimited field.

    Raises WireError if the length is negative or goes beyond the end of `data`.
    """
    length, at = varint(data, at)
    if signed(length) < 0 or signed(at + length) < 0:
        raise WireError(_NEGATIVE)
    if at + length > len(data):
        raise WireError(_END)
    return at, at + length


def _check_entry(data: bytes, at: int, end: int, inner: _Inner | None) -> None:
    """Checks a map entry from offset `at` to `end`; like Go, ignores the wire types of key and value.

    Raises WireError if the entry is malformed.

    `inner`: checks the value of the entry; None if the value is not a message
    """
    while at < end:
        start = at
        wire, at = varint(data, at)
        number = signed(wire >> 3, 32)
        if number not in (1, 2):
            at = _skipped(data, start)
            if at > end:
                raise WireError(_END)
            continue
        at, stop = _bounds(data, at)
        if number == 2 and inner is not None:
            inner(data[at:stop])
        at = stop


def _skipped(data: bytes, at: int) -> int:
    """Returns the end offset of an unknown field; for a group, the end of the whole group.

    Raises WireError if the field is malformed.
    """
    depth = 0
    while at < len(data):
        wire, at = varint(data, at)
        match wire & 7:
            case 0:
                at = varint(data, at)[1]
            case 1:
                at += 8
            case 2:
                length, at = varint(data, at)
                if signed(length) < 0:
                    raise WireError(_NEGATIVE)
                at += length
            case 3:
                depth += 1
            case 4:
                if depth == 0:
                    raise WireError("proto: unexpected end of group")
                depth -= 1
            case 5:
                at += 4
            case unknown:
                raise WireError(f"proto: illegal wireType {unknown}")
        if depth == 0:
            if at > len(data):
                raise WireError(_END)
            return at
    raise WireError(_END)


def _message(schema: Struct) -> _Message:
    """Returns the checker for messages of a type. Checkers of nested structs are created on first use."""
    message = _Message(_short(schema.go_type))
    inlined: dict[int, _Message] = {}
    for member in schema.fields.values():
        if not member.protobuf_path:
            continue
        *outer, number = member.protobuf_path
        place = message
        for step in outer[:1]:  # the schema has no names for messages that JSON inlines
            place = inlined.setdefault(step, _Message(""))
            message.members.setdefault(step, _Member("", inner=place.check))
        if len(outer) < 2:
            place.members[number] = _member(go_name(member.name, schema), member.node)
    return message


def _member(name: str, node: Node) -> _Member:
    match node:
        case List(wrapped=True, items=items):
            wrapper = _Message(_short(node.go_type), {1: _member("Items", items)})
            return _Member(name, inner=wrapper.check)
        case List(items=items):
            inner = _member(name, items)
            packed = inner.wire_types == (VARINT,)
            return _Member(name, (VARINT, BYTES) if packed else inner.wire_types, inner.inner)
        case Map(values=values):
            return _Member(name, entry=_member(name, values).inner, is_map=True)
        case Struct():
            return _Member(name, inner=lambda data: _message(node).check(data))
        case AnyValue(choice=None):
            return _Member(name, inner=_Message(_short(node.go_type), {1: _Member("Raw")}).check)
        case Scalar(kind=ScalarKind.INTEGER | ScalarKind.BOOLEAN):
            return _Member(name, (VARINT,))
        case Scalar(kind=ScalarKind.NUMBER):
            return _Member(name, (FIXED64,))
        case Scalar() if node.kind in _OPAQUE:
            return _Member(name, inner=_OPAQUE[node.kind].check)
    return _Member(name)


def _short(go_type: str) -> str:
    return go_type.rpartition(".")[2]


_TIMESTAMP = _Message("Timestamp", {1: _Member("Seconds", (VARINT,)), 2: _Member("Nanos", (VARINT,))})
_OPAQUE = {
    ScalarKind.TIME: _TIMESTAMP,
    ScalarKind.MICRO_TIME: _TIMESTAMP,
    ScalarKind.QUANTITY: _Message("Quantity", {1: _Member("String_")}),
    ScalarKind.INT_OR_STRING: _Message(
        "IntOrString",
        {1: _Member("Type", (VARINT,)), 2: _Member("IntVal", (VARINT,)), 3: _Member("StrVal")},
    ),
}
_TYPE_META = _Message("TypeMeta", {1: _Member("APIVersion"), 2: _Member("Kind")})
_ENVELOPE = _Message(
    "Unknown",
    {
        1: _Member("TypeMeta", inner=_TYPE_META.check),
        2: _Member("Raw"),
        3: _Member("ContentEncoding"),
        4: _Member("ContentType"),
    },
)
