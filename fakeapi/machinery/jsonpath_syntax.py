"""Parses JSONPath expressions with one action, like Parser of k8s.io/client-go `util/jsonpath`."""

import re
import sys
from typing import TypeAlias

import msgspec

from fakeapi.machinery.lazy_pattern import lazy_pattern

LENGTH_MAX = 16 * 1024
"""Maximum length of a JSONPath in characters; longer paths are rejected."""


class JsonPathError(ValueError):
    """A JSONPath is not valid or exceeds a limit, or a step does not fit the type of a value.

    The message is client-go's, except for limits.
    """


class FieldStep(msgspec.Struct, frozen=True):
    name: str


class ArrayStep(msgspec.Struct, frozen=True):
    """An array step `[start:end:step]`; if `end_is_next` is True, a step with a single index, `[start]`."""

    start: int | None
    end: int | None
    step: int | None
    end_is_next: bool


class FilterStep(msgspec.Struct, frozen=True):
    """A filter step `[?(left operator right)]`; the operator is `exists` for `[?(left)]`."""

    left: "tuple[Step, ...]"
    operator: str
    right: "tuple[Step, ...]"


class WildcardStep(msgspec.Struct, frozen=True):
    pass


class RecursiveStep(msgspec.Struct, frozen=True):
    pass


class UnionStep(msgspec.Struct, frozen=True):
    branches: "tuple[tuple[Step, ...], ...]"


class LiteralStep(msgspec.Struct, frozen=True):
    """A literal step. The result has a number or boolean once for each value, but a quoted text only once.

    `is_text`: whether the literal is in quotes.
    """

    value: str | int | float | bool
    is_text: bool = False


class IdentifierStep(msgspec.Struct, frozen=True):
    name: str


Step: TypeAlias = (
    FieldStep
    | ArrayStep
    | FilterStep
    | WildcardStep
    | RecursiveStep
    | UnionStep
    | LiteralStep
    | IdentifierStep
)

_NAME = lazy_pattern(r"(?:\\.|[^ \t\r\n.,\[\]$@{}\\])*(?:\\\Z)?", re.DOTALL)
_BARE = lazy_pattern(r"[^ \t\r\n.,\[\]$@{}]+")
_NUMBER = lazy_pattern(r"[+-]?[\d.]*")
_KEY = lazy_pattern(r"'([^']*)'")
_SLICE = lazy_pattern(r"(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?")
_COMPARISON = lazy_pattern(r"([^!<>=]+)([!<>=]+)(.+)")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}


def parse(text: str) -> tuple[Step, ...]:
    """Parses a JSONPath without its braces, up to the first closing brace.

    Raises JsonPathError if the path is not valid or is too long.
    """
    if len(text) > LENGTH_MAX:
        raise JsonPathError(f"a path may have at most {LENGTH_MAX} characters")
    return tuple(_Parser(text + "}").steps())


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def steps(self) -> list[Step]:
        steps: list[Step] = []
        while True:
            rest = self._text[self._at : self._at + 3]
            if rest.startswith("}"):
                return steps
            if rest == "[?(":
                steps.append(self._filter())
            elif rest.startswith(".."):
                self._descend(steps)
            else:
                steps.extend(self._step(rest[:1]))

    def _step(self, first: str) -> list[Step]:
        if first in ("", "\r", "\n"):
            raise JsonPathError("unclosed action")
        if first in " @$":
            self._at += 1
            return []
        if first == "[":
            return self._array()
        if first in "\"'":
            return [self._quoted(first)]
        if first == ".":
            self._at += 1
            return [self._field()]
        if first in "+-" or first.isdecimal():
            return [self._number()]
        if first == "_" or first.isalnum():
            return [self._identifier()]
        raise JsonPathError(f"unrecognized character in action: U+{ord(first):04X} '{first}'")

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        text = match.group() if match else ""
        self._at += len(text)
        return text

    def _descend(self, steps: list[Step]) -> None:
        if steps and isinstance(steps[-1], RecursiveStep):
            raise JsonPathError("invalid multiple recursive descent")
        self._at += 2
        steps.append(RecursiveStep())
        following = self._text[self._at : self._at + 1]
        if following == "_" or following.isalnum():
            steps.append(self._field())

    def _field(self) -> Step:
        name = self._take(_NAME)
        return WildcardStep() if name == "*" else FieldStep(name.replace("\\", ""))

    def _number(self) -> Step:
        text = self._take(_NUMBER)
        try:
            return LiteralStep(float(text) if "." in text else int(text))
        except ValueError:
            raise JsonPathError(f"cannot parse number {text}") from None

    def _identifier(self) -> Step:
        name = self._take(_BARE)
        if name in ("true", "false"):
            return LiteralStep(name == "true")
        return IdentifierStep(name)

    def _array(self) -> list[Step]:
        end = self._text.find("]", self._at)
        line = self._text.find("\n", self._at)
        if end < 0 or 0 <= line < end:
            raise JsonPathError("unterminated array")
        inside = self._text[self._at + 1 : end]
        self._at = end + 1
        if inside == "*":
            inside = ":"
        parts = inside.split(",")
        if len(parts) > 1:
            return [UnionStep(tuple(parse(f"[{part.strip(' ')}]") for part in parts))]
        key = _KEY.fullmatch(inside)
        if key:
            return list(parse(f".{key[1]}"))
        return [_slice(inside)]

    def _filter(self) -> Step:
        self._at += 3
        begin, quote = self._at, ""
        ended = False
        while True:
            character = self._text[self._at : self._at + 1]
            self._at += 1
            if character in ("", "\n"):
                raise JsonPathError("unterminated filter")
            if character in "\"'":
                if not quote:
                    quote = character
                elif character == quote and self._text[self._at - 2] != "\\":
                    ended = True
            elif character == ")" and ended == bool(quote):
                break
        inside = self._text[begin : self._at - 1]
        if self._text[self._at : self._at + 1] != "]":
            raise JsonPathError("unclosed array expect ]")
        self._at += 1
        comparison = _COMPARISON.fullmatch(inside)
        if comparison is None:
            return FilterStep(parse(inside), "exists", ())
        return FilterStep(parse(comparison[1]), comparison[2], parse(comparison[3]))

    def _quoted(self, quote: str) -> Step:
        begin = self._at + 1
        end = begin
        while True:
            character = self._text[end : end + 1]
            if character in ("", "\n"):
                raise JsonPathError("unterminated quoted string")
            if character == quote and self._text[end - 1] != "\\":
                break
            end += 1
        self._at = end + 1
        return LiteralStep(_unquoted(self._text[begin:end], quote), is_text=True)


def _slice(inside: str) -> Step:
    match = _SLICE.fullmatch(inside)
    if not match:
        raise JsonPathError(f"invalid array index {inside}")
    first, second, third = match.groups()
    start = _index(first) if first else None
    if second is None:
        return ArrayStep(start, (start or 0) + 1, _index(third[1:]) if third else None, end_is_next=True)
    end = _index(second[1:]) if second != ":" else None
    step = _index(third[1:]) if third and third != ":" else None
    return ArrayStep(start, end, step, end_is_next=False)


def _index(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise JsonPathError(f"array index {text} is not a number") from None


def _unquoted(text: str, quote: str) -> str:
    if "\\" not in text:
        return text

    def character(match: re.Match[str]) -> str:
        letter = match[1]
        if letter in _ESCAPES:
            return _ESCAPES[letter]
        if letter == quote:
            return quote
        if letter[:1] in ("x", "u", "U") and len(letter) > 1 and int(letter[1:], 16) <= sys.maxunicode:
            return chr(int(letter[1:], 16))
        raise JsonPathError(f"unquote string {quote}{text}{quote} error invalid syntax")

    return _ESCAPE.sub(character, text)


_ESCAPE = lazy_pattern(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.|\Z)", re.DOTALL)
