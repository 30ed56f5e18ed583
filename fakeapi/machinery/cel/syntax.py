"""The syntax tree of a CEL expression after the expansion of macros.

Follows the messages of cel.expr `syntax.proto`. Every syntax node has an id. The type checker returns
mappings with these ids as keys.
"""

from collections.abc import Iterator
from typing import TypeAlias

import msgspec

Constant: TypeAlias = bool | int | float | str | bytes | None


class Literal(msgspec.Struct):
    """A constant. `kind` is its CEL type: Python ints represent both CEL ints and uints."""

    id: int
    kind: str
    value: Constant


class Ident(msgspec.Struct):
    id: int
    name: str


class Select(msgspec.Struct):
    """A selection `operand.field`; if `test_only` is True, the macro call `has(operand.field)`."""

    id: int
    operand: "Node"
    field: str
    test_only: bool


class Call(msgspec.Struct):
    id: int
    function: str
    target: "Node | None"
    arguments: list["Node"]


class ListLiteral(msgspec.Struct):
    """A list literal.

    `optional`: the indices of elements written `?x`. The list leaves out these elements if they are empty
    optionals.
    """

    id: int
    elements: list["Node"]
    optional: frozenset[int]


class Entry(msgspec.Struct):
    """An entry of a map literal, with `key`, or of a struct literal, with `field`.

    `optional`: whether the entry is written `?key`. The literal leaves out this entry if its value is an
    empty optional.
    """

    id: int
    key: "Node | None"
    field: str
    value: "Node"
    optional: bool


class MapLiteral(msgspec.Struct):
    id: int
    entries: list[Entry]


class StructLiteral(msgspec.Struct):
    id: int
    name: str
    entries: list[Entry]


class Comprehension(msgspec.Struct):
    """A loop over `range` that computes `accumulator`.

    `second`: the name of the second loop variable; "" if the loop has only one variable.
    """

    id: int
    variable: str
    second: str
    range: "Node"
    accumulator: str
    initial: "Node"
    condition: "Node"
    step: "Node"
    result: "Node"


Node: TypeAlias = Literal | Ident | Select | Call | ListLiteral | MapLiteral | StructLiteral | Comprehension


class Parsed(msgspec.Struct, frozen=True):
    """The syntax tree of an expression.

    `offsets`: the position of each syntax node in the text, in code points, by node id.
    """

    root: Node
    offsets: dict[int, int]


def children(node: Node) -> list[Node]:
    """Returns the children of a syntax node, in source order."""
    match node:
        case Select(operand=operand):
            return [operand]
        case Call(target=target, arguments=arguments):
            return arguments if target is None else [target, *arguments]
        case ListLiteral(elements=elements):
            return elements
        case MapLiteral(entries=entries) | StructLiteral(entries=entries):
            return [part for entry in entries for part in (entry.key, entry.value) if part is not None]
        case Comprehension():
            return [node.range, node.initial, node.condition, node.step, node.result]
        case _:
            return []


def walk(node: Node) -> Iterator[Node]:
    """Yields the syntax node and all nodes within it, each before its children."""
    yield node
    for child in children(node):
        yield from walk(child)


def qualified_name(node: Node) -> str:
    """Returns the dotted name of an identifier or of selections from an identifier, such as `a.b.c`.

    Returns "" for other nodes, including `has()` calls.
    """
    fields: list[str] = []
    while isinstance(node, Select) and not node.test_only:
        fields.append(node.field)
        node = node.operand
    return ".".join([node.name, *reversed(fields)]) if isinstance(node, Ident) else ""
