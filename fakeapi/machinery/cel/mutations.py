"""Expressions that make objects: `Object.spec{replicas: 2}` and `JSONPatch{op: 'remove', path: '/x'}`.

Follows k8s.io/apiserver `pkg/cel/mutation`. Such objects have no types but their names, so they are evaluated
as maps of their fields.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from fakeapi.machinery.cel.environment import OBJECT
from fakeapi.machinery.cel.syntax import Node, StructLiteral, children

JSON_PATCH = "JSONPatch"
REMEMBERED = 256
"""Expressions whose maps are remembered."""

_TOKENS = re.compile(
    r"""(?P<text>[rRbB]{0,2}(?:'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\""""
    r"""|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))"""
    r"|(?P<comment>//[^\n]*)"
    r"|(?P<name>[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*)"
    r"|(?P<quoted>`[^`]*`)"
    r"|(?P<space>\s+)"
    r"|(?P<mark>.)",
    re.DOTALL,
)
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_SILENT = ("space", "comment")


@lru_cache(REMEMBERED)
def as_maps(text: str) -> str:
    """The expression with a map in place of each object that it makes; it has to be one that compiles."""
    lexemes = [(match.lastgroup or "", match[0]) for match in _TOKENS.finditer(text)]
    writer = _Writer()
    after = ""
    following = []
    for kind, lexeme in reversed(lexemes):
        following.append(after)
        after = after if kind in _SILENT else lexeme
    for (kind, lexeme), follows in zip(lexemes, reversed(following), strict=True):
        writer.write(kind, lexeme, follows)
    return "".join(writer.found)


class _Writer:
    """Writes one lexeme after the other."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._open: list[tuple[str, bool]] = []  # what closes each bracket, and whether it is an object's
        self._begins_object = False
        self._expects_field = False

    def write(self, kind: str, lexeme: str, follows: str) -> None:
        if kind == "name" and follows == "{" and _is_made(lexeme):
            self._begins_object = True
            return
        if self._expects_field and kind in ("name", "quoted") and follows == ":":
            lexeme = f'"{lexeme.strip("`")}"'
        self.found.append(lexeme)
        if kind in _SILENT or lexeme == "?":
            return
        self._expects_field = False
        if kind != "mark":
            return
        if lexeme in _CLOSING:
            self._open.append((_CLOSING[lexeme], self._begins_object))
            self._expects_field, self._begins_object = self._begins_object, False
        elif self._open and lexeme == self._open[-1][0]:
            self._open.pop()
        elif lexeme == ",":
            self._expects_field = bool(self._open) and self._open[-1][1]


def _is_made(name: str) -> bool:
    parts = [part.strip() for part in name.split(".")]
    return parts == [JSON_PATCH] or parts[0] == OBJECT


def misnamed(root: Node) -> list[str]:
    """What is wrong with the types of objects that an expression makes: each is named by the path to it."""
    return [problem for each in _outermost(root) for problem in _misnamed(each, each.name)]


def _misnamed(made: StructLiteral, path: str) -> Iterator[str]:
    if made.name == JSON_PATCH:
        for entry in made.entries:
            for each in _outermost(entry.value):
                yield from _misnamed(each, each.name)
        return
    if made.name != path:
        why = "which matches field name path from root Object type"
        yield f'unexpected type name "{made.name}", expected "{path}", {why}'
    for entry in made.entries:
        for each in _outermost(entry.value):
            yield from _misnamed(each, f"{path}.{entry.field}")


def _outermost(node: Node) -> Iterator[StructLiteral]:
    """The objects that an expression makes, without those within them."""
    if isinstance(node, StructLiteral):
        yield node
        return
    for child in children(node):
        yield from _outermost(child)
