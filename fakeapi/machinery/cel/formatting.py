"""Checks calls of the CEL function `format` on a string literal, as in `"…".format([…])`.

Follows cel-go `ext/formatting.go`.
"""

import re

from fakeapi.machinery.cel.checker import Fault
from fakeapi.machinery.cel.syntax import Call, ListLiteral, Literal, MapLiteral, Node
from fakeapi.machinery.cel.types import Type
from fakeapi.machinery.lazy_pattern import lazy_pattern

_CLAUSE = lazy_pattern(r"%(?:\.(?P<precision>[0-9]*))?(?P<letter>.?)", re.DOTALL)

_PRINTABLE = frozenset((
    "bool", "bytes", "double", "duration", "int", "list",
    "map", "null", "string", "timestamp", "type", "uint",
))  # fmt: skip
_PRINTABLE_TEXT = "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
_ACCEPTED = {
    "s": (_PRINTABLE, f"string clause can only be used on {_PRINTABLE_TEXT}"),
    "d": (frozenset(("int", "uint")), "decimal clause can only be used on integers"),
    "f": (frozenset(("double", "string")), "fixed-point clause can only be used on doubles"),
    "e": (frozenset(("double", "string")), "scientific clause can only be used on doubles"),
    "b": (frozenset(("int", "uint", "bool")), "only integers and bools can be formatted as binary"),
    "x": (
        frozenset(("int", "uint", "string", "bytes")),
        "only integers, byte buffers, and strings can be formatted as hex",
    ),
    "o": (frozenset(("int", "uint")), "octal clause can only be used on integers"),
}


def format_fault(call: Call, types: dict[int, Type]) -> Fault | None:
    """Returns the first error that the compiler finds in a `format` call; None if it finds no error.

    `types`: the types of the syntax nodes, by node id
    """
    target = call.target
    if call.function != "format" or not isinstance(target, Literal) or not isinstance(target.value, str):
        return None
    if len(call.arguments) != 1 or not isinstance(call.arguments[0], ListLiteral):
        return None
    arguments = call.arguments[0].elements
    used = 0
    text, at = target.value, 0
    while (at := text.find("%", at)) >= 0:
        if text.startswith("%%", at):
            at += 2
            continue
        if at + 1 == len(text):
            return Fault(call.id, "unexpected end of string")
        if used >= len(arguments):
            return Fault(call.id, f"index {used} out of range")
        clause = _CLAUSE.match(text, at)
        assert clause is not None
        wrong = _clause_fault(clause) or _argument_fault(clause["letter"].lower(), arguments[used], types)
        if wrong is not None:
            return wrong if isinstance(wrong, Fault) else Fault(call.id, wrong)
        at = clause.end()
        used += 1
    if used < len(arguments):
        return Fault(
            call.id,
            f"too many arguments supplied to string.format (expected {used}, got {len(arguments)})",
        )
    return None


def _clause_fault(clause: re.Match[str]) -> str | None:
    prefix = "could not parse formatting clause: "
    letter = clause["letter"]
    if not letter:
        return f"{prefix}error while parsing precision: could not find end of precision specifier"
    if clause["precision"] == "":
        reason = 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax'
        return f"{prefix}error while parsing precision: {reason}"
    if letter not in {*_ACCEPTED, "X"}:
        return f'{prefix}unrecognized formatting clause "{letter}"'
    return None


def _argument_fault(letter: str, argument: Node, types: dict[int, Type]) -> Fault | None:
    kinds, words = _ACCEPTED[letter]
    for node in _parts(argument) if letter == "s" else [argument]:
        of = types[node.id]
        if of.kind != "dyn" and of.kind not in kinds:
            name = of.declared().partition("(")[0]
            return Fault(node.id, f"error during formatting: {words}, was given {name}")
    return None


def _parts(node: Node) -> list[Node]:
    """Returns the syntax node and, for a list or map literal, all nodes within it."""
    if isinstance(node, ListLiteral):
        return [node, *(part for element in node.elements for part in _parts(element))]
    if isinstance(node, MapLiteral):
        below = (inner for entry in node.entries for inner in (entry.key, entry.value) if inner is not None)
        return [node, *(part for inner in below for part in _parts(inner))]
    return [node]
