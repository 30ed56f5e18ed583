"""Decodes the protobuf message `cel.expr.ParsedExpr`, the result of cel-expr-python's parser.

fakeapi has its own decoder, so that it does not depend on a protobuf runtime.
"""

import struct
from collections.abc import Callable

from fakeapi.machinery.cel.syntax import (
    Call,
    Comprehension,
    Constant,
    Entry,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Node,
    Parsed,
    Select,
    StructLiteral,
)
from fakeapi.machinery.schema.protobuf_wire import Fields, fields_of, packed, signed


def read_parsed(serialized: bytes) -> Parsed:
    """Decodes a `google.protobuf.Any` with a ParsedExpr, as cel-expr-python serializes it.

    Raises ValueError for an unknown kind of expression or constant.
    """
    message = fields_of(_message(fields_of(serialized), 2))
    source = fields_of(_message(message, 3))
    positions = (fields_of(_as_bytes(entry)) for entry in source.get(4, ()))
    return Parsed(
        _node(_message(message, 2)),
        {_number(position, 1): _number(position, 2) for position in positions},
    )


def _as_bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("a number where a message is expected")  # noqa: TRY004 - one error type for malformed data
    return value


def _message(fields: Fields, number: int) -> bytes:
    return _as_bytes(fields[number][-1]) if number in fields else b""


def _number(fields: Fields, number: int) -> int:
    value = fields[number][-1] if number in fields else 0
    if not isinstance(value, int):
        raise ValueError("a message where a number is expected")  # noqa: TRY004 - see _as_bytes
    return value


def _text(fields: Fields, number: int) -> str:
    # Escapes in an expression may produce surrogates, which strict UTF-8 cannot decode.
    return _message(fields, number).decode("utf-8", "surrogatepass")


def _node(data: bytes) -> Node:
    fields = fields_of(data)
    identity = _number(fields, 2)
    for number, read in _KINDS.items():
        if number in fields:
            return read(identity, fields_of(_message(fields, number)))
    raise ValueError("an expression of no kind")


def _literal(identity: int, fields: Fields) -> Node:
    for number, (kind, read) in _CONSTANTS.items():
        if number in fields:
            return Literal(identity, kind, read(fields))
    raise ValueError("a constant of no kind")


_CONSTANTS: dict[int, tuple[str, Callable[[Fields], Constant]]] = {
    1: ("null", lambda fields: None),
    2: ("bool", lambda fields: bool(_number(fields, 2))),
    3: ("int", lambda fields: signed(_number(fields, 3))),
    4: ("uint", lambda fields: _number(fields, 4)),
    5: ("double", lambda fields: float(struct.unpack("<d", _message(fields, 5))[0])),
    6: ("string", lambda fields: _text(fields, 6)),
    7: ("bytes", lambda fields: _message(fields, 7)),
}


def _select(identity: int, fields: Fields) -> Node:
    return Select(identity, _node(_message(fields, 1)), _text(fields, 2), bool(_number(fields, 3)))


def _call(identity: int, fields: Fields) -> Node:
    target = _node(_message(fields, 1)) if 1 in fields else None
    return Call(identity, _text(fields, 2), target, _nodes(fields, 3))


def _nodes(fields: Fields, number: int) -> list[Node]:
    return [_node(_as_bytes(message)) for message in fields.get(number, ())]


def _list(identity: int, fields: Fields) -> Node:
    return ListLiteral(identity, _nodes(fields, 1), frozenset(packed(fields.get(2, []))))


def _struct(identity: int, fields: Fields) -> Node:
    entries = [_entry(fields_of(_as_bytes(message))) for message in fields.get(2, ())]
    name = _text(fields, 1)
    return StructLiteral(identity, name, entries) if name else MapLiteral(identity, entries)


def _entry(fields: Fields) -> Entry:
    key = _node(_message(fields, 3)) if 3 in fields else None
    return Entry(
        _number(fields, 1), key, _text(fields, 2), _node(_message(fields, 4)), bool(_number(fields, 5))
    )


def _comprehension(identity: int, fields: Fields) -> Node:
    return Comprehension(
        identity,
        variable=_text(fields, 1),
        second=_text(fields, 8),
        range=_node(_message(fields, 2)),
        accumulator=_text(fields, 3),
        initial=_node(_message(fields, 4)),
        condition=_node(_message(fields, 5)),
        step=_node(_message(fields, 6)),
        result=_node(_message(fields, 7)),
    )


_KINDS: dict[int, Callable[[int, Fields], Node]] = {
    3: _literal,
    4: lambda identity, fields: Ident(identity, _text(fields, 1)),
    5: _select,
    6: _call,
    7: _list,
    8: _struct,
    9: _comprehension,
}
