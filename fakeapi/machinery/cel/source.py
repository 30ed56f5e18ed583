"""Limits on the text of CEL expressions, and error messages that quote the line of an error.

Follows cel-go `common/errors.go`, `common/error.go` and `parser`.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate

import msgspec

from fakeapi.machinery.cel.nesting import NESTING_MAX, TOKEN, nesting_of
from fakeapi.machinery.cel.syntax import Parsed, StructLiteral, walk
from fakeapi.machinery.lazy_pattern import lazy_pattern

CODE_POINTS_MAX = 100_000
"""Maximum number of code points of an expression, checked before parsing as in cel-go.

API validation may allow fewer in some releases.
"""

FAULTS_MAX = 100
"""Maximum number of errors that are reported one by one; further errors are only counted."""

DETAIL_MAX = 128 * 1024
"""Maximum number of characters in all error messages of an expression; further errors are only counted.

cel-go has no such limit: a hundred errors in a line of 10 KiB produce 1.5 MB. A ResourceClaim may contain
hundreds of expressions with lines of this length.
"""

SNIPPET_MAX = 16_384
"""Maximum length in characters of a line that errors quote; longer lines are not quoted."""


class Wording(msgspec.Struct, frozen=True):
    """Differences between releases in the syntax errors of CEL expressions.

    - `empty_column`: the column in the error for an empty expression.
    - `line_starts_before`: whether an error at the start of a line is reported at the end of the previous
      line.
    - `lexes_quoted_fields`: whether the lexer accepts names in backquotes. If so, a later check rejects
      them.
    """

    empty_column: int
    line_starts_before: bool
    lexes_quoted_fields: bool


_Place = tuple[int, int]
"""A position in an expression: (line number from 1, column number from 0)."""

_NOWHERE = (-1, -1)


def beyond_limits(text: str) -> str:
    """Returns the error for an expression that is too long or nested too deeply; otherwise ""."""
    if len(text) > CODE_POINTS_MAX:
        size = f"size: {len(text)}, limit {CODE_POINTS_MAX}"
        return f"ERROR: <input>:-1:0: expression code point size exceeds limit: {size}"
    if len(text) > NESTING_MAX and nesting_of(text).grammar > NESTING_MAX:
        return f"ERROR: <input>:-1:0: expression recursion limit exceeded: {NESTING_MAX}"
    return ""


def too_many_operations(text: str) -> str:
    """Returns the error for a valid expression whose operations are nested too deeply; otherwise ""."""
    if nesting_of(text).operations > NESTING_MAX:
        return "ERROR: <input>:-1:0: max recursion depth exceeded"
    return ""


def quoted_faults(text: str, wording: Wording) -> str:
    """Returns the errors for backquotes in an expression; "" if it has none. No release allows backquotes."""
    if "`" not in text:
        return ""
    places = [token.start() for token in TOKEN.finditer(text) if token[0] == "`"]
    if wording.lexes_quoted_fields:
        return shown([(place, "unsupported syntax: '`'") for place in places[::2]], text, wording)
    return shown(
        [(place, "Syntax error: token recognition error at: '`'") for place in places], text, wording
    )


def go_offsets(parsed: Parsed, text: str) -> dict[int, int]:
    """Returns cel-go's text offset of each syntax node, by node id.

    cel-go reports a struct literal at its brace `{`. Other offsets are the same as in cel-expr-python.
    """
    offsets = parsed.offsets
    braces = {
        node.id: text.find("{", offsets[node.id])
        for node in walk(parsed.root)
        if isinstance(node, StructLiteral) and node.id in offsets
    }
    return offsets | braces if braces else offsets


def shown(faults: list[tuple[int | None, str]], text: str, wording: Wording) -> str:
    """Formats errors in source order; each error quotes its line.

    `faults`: (offset, message); the offset is None if it is unknown.
    """
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    placed = [(_place(offset, starts, wording), message) for offset, message in faults[:FAULTS_MAX]]
    texts = (_pointed(place, message, lines) for place, message in sorted(placed, key=_place_of))
    return _truncated(texts, len(faults))


def _truncated(texts: Iterable[str], count: int) -> str:
    """Joins error messages up to DETAIL_MAX characters; always includes the first message.

    A last line says how many errors are left out.

    `count`: the number of all errors.
    """
    kept: list[str] = []
    size = 0
    for text in texts:
        size += len(text)
        if kept and size > DETAIL_MAX:
            break
        kept.append(text)
    if count > len(kept):
        kept.append(f"{count - len(kept)} more errors were truncated")
    return "\n".join(kept)


def _place_of(placed: tuple[_Place, str]) -> _Place:
    return placed[0]


def _place(offset: int | None, starts: list[int], wording: Wording) -> _Place:
    """Returns the line and column of an offset; `starts` contains the offset of each line's start."""
    if offset is None:
        return _NOWHERE
    find = bisect_left if wording.line_starts_before else bisect_right
    line = max(find(starts, offset), 1)
    return line, offset - starts[line - 1]


def _pointed(place: _Place, message: str, lines: list[str]) -> str:
    line, column = place
    head = f"ERROR: <input>:{line}:{column + 1}: {message}"
    if line < 0 or len(lines[line - 1]) > SNIPPET_MAX:
        return head
    snippet = lines[line - 1].replace("\t", " ")
    before = "".join("." if character.isascii() else "\uff0e" for character in snippet[:column])
    mark = "^" if snippet[column : column + 1].isascii() else "\uff3e"
    return f"{head}\n | {snippet}\n | {before}{mark}"


def in_go_words(message: str, text: str, wording: Wording) -> str:
    """Converts syntax errors of cel-expr-python to the messages of cel-go."""
    if not text:
        message = message.replace("<input>:1:1:", f"<input>:1:{wording.empty_column}:", 1)
    message = _NIL_TREE.sub("", message)
    lines = [_line_in_go_words(line) for line in message.split("\n")]
    message = "\n".join(lines)
    if len(message) > DETAIL_MAX:
        faults = message.split("\nERROR: ")
        message = _truncated((faults[0], *(f"ERROR: {fault}" for fault in faults[1:])), len(faults))
    return _with_last_line(message, text) if text.endswith("\n") else message


def _line_in_go_words(line: str) -> str:
    """Converts an error line to cel-go's message; returns lines that quote the expression unchanged."""
    if line.startswith("ERROR: "):
        for theirs, words in _GO_WORDS:
            line = theirs.sub(words, line)
    return line


def _with_last_line(message: str, text: str) -> str:
    """Adds a quoted empty line below each error in the empty last line of the expression.

    cel-go quotes an empty last line; cel-expr-python does not.
    """
    head = rf"^ERROR: <input>:{text.count(chr(10)) + 1}:1: .*$(?!\n \|)"
    return re.sub(head, lambda match: f"{match[0]}\n | \n | ^", message, flags=re.MULTILINE)


_NIL_TREE = lazy_pattern(r"\nERROR: <input>:\d+:0: <<nil>> parsetree")
_GO_WORDS = tuple(
    (re.compile(theirs), words)
    for theirs, words in (
        (r"\\u003F", "?"),
        (r"^(ERROR: <input>:\d+:\d+: Syntax error: token recognition error at: '.*)\\n(?='$)", "\\1\n"),
        (
            r"no viable alternative at input '.(true|false|null)'",
            r"mismatched input '\1' expecting IDENTIFIER",
        ),
        (r"has\(\) argument must be a field selection", "invalid argument to has() macro"),
        (r"cel\.bind\(\) variable name must be .*", "cel.bind() variable names must be simple identifiers"),
        (
            r"\b(?!opt)\w+\(\) (?:first |second )?variable name must be a simple identifier",
            "argument must be a simple name",
        ),
    )
)
