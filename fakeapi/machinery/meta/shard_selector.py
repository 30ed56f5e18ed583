"""Parses shard selectors, which select objects by the hash of their uid or namespace.

Example of a shard selector:

    shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') || shardRange(...)

Follows k8s.io/apimachinery `pkg/sharding` and k8s.io/apiserver `pkg/sharding` from 1.36 on. Upstream parses
the text as CEL. This parser reads only calls, `||`, names with dots, strings, numbers and parentheses. For
other text, the error messages of this parser differ from upstream's messages.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import msgspec

SELECTOR_MAX: Final = 64 * 1024
"""Maximum length of a shard selector in characters; longer selectors are parse errors."""

_FIELDS: Final = {"object.metadata.uid": "uid", "object.metadata.namespace": "namespace"}
_LAST: Final = "0x10000000000000000"
_DIGITS: Final = 16
_OFFSET, _PRIME, _MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
_token = re.compile(
    r"""\s*(?:(?P<name>[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*)|(?P<text>'[^'\\\n]*'|"[^"\\\n]*")|"""
    r"""(?P<number>-?[0-9]\w*)|(?P<sign>\|\||[(),]))"""
)


class Range(msgspec.Struct, frozen=True):
    """A range of hashes. `start` is included, `end` is excluded; both are hexadecimal texts like `0x80…`."""

    start: str
    end: str


@dataclass(frozen=True)
class ShardSelector:
    """A parsed shard selector: selects objects whose hash of `field` is in one of the ranges."""

    field: str
    ranges: tuple[Range, ...]

    def __str__(self) -> str:
        return " || ".join(f"shardRange({self.field}, '{span.start}', '{span.end}')" for span in self.ranges)

    def matches(self, metadata: dict[str, Any]) -> bool:
        """Whether the selector matches an object with this metadata."""
        digest = hash_of(metadata.get(_FIELDS[self.field]) or "")
        return any(start <= digest < end for start, end in self._numbers)

    @cached_property
    def _numbers(self) -> tuple[tuple[int, int], ...]:
        return tuple((int(span.start, 16), int(span.end, 16)) for span in self.ranges)


def hash_of(text: str) -> int:
    """Returns the 64-bit FNV-1a hash of a text."""
    digest = _OFFSET
    for byte in text.encode():
        digest = (digest ^ byte) * _PRIME & _MASK
    return digest


def parse(text: str) -> ShardSelector:
    """Parses a shard selector.

    Raises ValueError with kube-apiserver's message if the selector is not valid.
    """
    text = text.strip()
    if not text:
        raise ValueError("empty shard selector is not allowed; omit the parameter for unfiltered lists")
    if len(text) > SELECTOR_MAX:
        raise ValueError("CEL parse error: the expression is too long")
    ranges = list(_ranges(_Tokens(text)))
    first = ranges[0][0]
    for field, _ in ranges:
        if field != first:
            raise ValueError(f'all shard ranges must use the same field, got "{first}" and "{field}"')
    return ShardSelector(first, tuple(shard_range for _, shard_range in ranges))


class _Tokens:
    """The tokens of a shard selector: (kind, text) in order; ("", "") at the end."""

    def __init__(self, text: str) -> None:
        self._words: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            match = _token.match(text, at)
            if match is None:
                raise _unparsable(text[at:].strip()[:1])
            self._words.append((match.lastgroup or "", match[match.lastgroup or 0]))
            at = match.end()
        self._at = 0

    def peek(self) -> tuple[str, str]:
        return self._words[self._at] if self._at < len(self._words) else ("", "")

    def take(self) -> tuple[str, str]:
        word = self.peek()
        self._at += 1
        return word

    def expect(self, sign: str) -> None:
        if (word := self.take()[1]) != sign:
            raise _unparsable(word)


def _unparsable(word: str) -> ValueError:
    return ValueError(f"CEL parse error: Syntax error: mismatched input '{word or '<EOF>'}'")


def _ranges(tokens: _Tokens) -> Iterator[tuple[str, Range]]:
    """Parses a shard selector; yields (field, range) for each shardRange call.

    Raises ValueError with kube-apiserver's message if the selector is not valid.
    """
    depth = 0
    while True:
        while tokens.peek()[1] == "(":
            tokens.take()
            depth += 1
        yield _range(tokens)
        while depth and tokens.peek()[1] == ")":
            tokens.take()
            depth -= 1
        if tokens.peek() == ("", ""):
            break
        tokens.expect("||")
    if depth:
        raise _unparsable("")


def _range(tokens: _Tokens) -> tuple[str, Range]:
    kind, name = tokens.take()
    if kind != "name":
        if kind in ("text", "number"):
            raise ValueError("unexpected expression kind 4; expected shardRange() call or || operator")
        raise _unparsable(name)
    if tokens.peek()[1] != "(":
        number = 5 if "." in name else 3
        raise ValueError(f"unexpected expression kind {number}; expected shardRange() call or || operator")
    arguments = _arguments(tokens)
    if name != "shardRange":
        raise ValueError(f'unsupported function "{name}"; only shardRange() and || are allowed')
    if len(arguments) != 3:
        raise ValueError(f"shardRange() requires exactly 3 arguments, got {len(arguments)}")
    kind, field = arguments[0]
    if kind != "name":
        problem = "expected field path (e.g. object.metadata.uid), got expression kind 4"
        raise ValueError(f"shardRange() first argument: {problem}")
    if field not in _FIELDS:
        raise ValueError(f'unsupported field path "{field}"; supported: {", ".join(_FIELDS)}')
    start, end = _hexadecimal(arguments[1], "hexStart"), _hexadecimal(arguments[2], "hexEnd")
    if int(start, 16) >= int(end, 16):
        raise ValueError(f"shard range start {start} must be less than end {end}")
    return field, Range(start, end)


def _arguments(tokens: _Tokens) -> list[tuple[str, str]]:
    tokens.expect("(")
    arguments: list[tuple[str, str]] = []
    while tokens.peek()[1] != ")":
        if arguments:
            tokens.expect(",")
        kind, word = tokens.take()
        if kind not in ("name", "text", "number"):
            raise _unparsable(word)
        arguments.append((kind, re.sub(r"\s", "", word) if kind == "name" else word))
    tokens.take()
    return arguments


def _hexadecimal(argument: tuple[str, str], name: str) -> str:
    kind, word = argument
    if kind == "name":
        number = 5 if "." in word else 3
        raise ValueError(f"{name} must be a string literal (e.g. '0xff'), got expression kind {number}")
    if kind == "number":
        raise ValueError(f"{name} must be a string literal, got int64")
    text = word[1:-1]
    if not text.startswith("0x"):
        raise ValueError(f"{name} must have '0x' prefix, got \"{text}\"")
    digits = text[2:]
    if not digits:
        raise ValueError(f"{name}: hex value is required after '0x'")
    if len(digits.encode()) > _DIGITS + 1:
        raise ValueError(
            f'{name}: hex value too long ({len(digits.encode())} chars, max {_DIGITS + 1}): "{digits}"'
        )
    wrong = next((character for character in digits if character not in "0123456789abcdef"), None)
    if wrong is not None:
        raise ValueError(f'{name}: invalid hex character "{wrong}" in "{text}"')
    if len(digits) == _DIGITS + 1 and text != _LAST:
        raise ValueError(f"{name}: 17-digit hex value must be '{_LAST}' (2^64), got \"{text}\"")
    if len(digits) < _DIGITS:
        meant = f"0x{digits.rjust(_DIGITS, '0')}"
        problem = f'must be a 0x-prefixed 16-digit hex value, got "{text}"'
        raise ValueError(f'{name} {problem} (did you mean "{meant}"?)')
    return text
