"""JSON as Go's encoding/json reads it: what it accepts, what it calls an error, which keys were repeated.

Follows Go's encoding/json scanner and sigs.k8s.io/json, whose words Kubernetes puts into its answers.
"""

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fakeapi.machinery.codec import JsonError, decode, encode
from fakeapi.machinery.golang.strconv import quote

MAX_STRICT_ERRORS = 100
"""Further strict errors are dropped silently, as sigs.k8s.io/json does."""

MAX_DEPTH = 10_000
"""Deeper nesting is a syntax error in Go."""

GO_UTF8 = "fakeapi.go"
"""The `errors` argument with which bytes.decode reads bad UTF-8 as Go does: U+FFFD for each bad byte."""

_INTEGER_DIGITS = 300
"""Longer integers may be beyond float64; Python refuses to read those of more than 4,300 digits."""

_SPACE = b" \t\r\n"
_REPLACEMENT = "\ufffd"
_STRING = re.compile(
    rb'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+',
)
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_SPACES = re.compile(rb"[ \t\r\n]*+")
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LITERALS = {ord("t"): b"true", ord("f"): b"false", ord("n"): b"null"}
_HTML = (
    (b"<", b"\\u003c"),
    (b">", b"\\u003e"),
    (b"&", b"\\u0026"),
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
)


class RepeatedKeys(dict[str, Any]):
    """An object that named a key more than once; as a dict, the last value of each key.

    `pairs` are all its members in the order of the document. Go decodes each of them in turn, so what is
    wrong inside a value that is overwritten later is reported as well.
    """

    __slots__ = ("pairs",)

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


def members(value: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    """The members of an object of `decode_marking_duplicates` in document order, repeated ones included."""
    return value.pairs if isinstance(value, RepeatedKeys) else value.items()


def go_encode(value: Any) -> bytes:
    """`value` as Go's json.Marshal writes it: compact, with `<`, `>`, `&` and line separators escaped."""
    return escape_html(encode(value))


def escape_html(text: bytes) -> bytes:
    """JSON as Go's json.Marshal writes it: with `<`, `>`, `&` and line separators escaped."""
    for character, escape in _HTML:
        if character in text:
            text = text.replace(character, escape)
    return text


def decode_lenient(body: bytes) -> Any:
    """The value of any JSON that Go accepts, bad UTF-8 and lone surrogates replaced by U+FFFD.

    Of repeated keys the last wins. Raises JsonError with Go's words. Two things are refused here that Go
    accepts: nesting deeper than the Python decoders go (about a thousand levels) and numbers beyond float64.
    """
    try:
        return decode(body)
    except JsonError:
        return _decode_suspect(body, None)


def decode_marking_duplicates(body: bytes) -> Any:
    """As `decode_lenient`, but objects with repeated keys are `RepeatedKeys`."""
    try:
        value = decode(body)
    except JsonError:
        return _decode_suspect(body, _marked)
    # a dict cannot write a key twice: a body that equals its re-encoding repeats none
    return value if _is_respaced(body, encode(value)) else _decode_slowly(body, _marked)


def is_as_go_writes(body: bytes, value: Any) -> bool:
    """Whether `body`, which decodes to `value`, is Go's encoding of it but for spaces."""
    return _is_respaced(body, go_encode(value))


def duplicates(body: bytes) -> list[str]:
    """The strict errors of a body read without a type: `duplicate field "metadata.labels.a"`.

    In the order of the second occurrences, each text once, at most MAX_STRICT_ERRORS. Raises JsonError.
    """
    return reported(repeated(decode_marking_duplicates(body), None))


def reported(errors: Iterable[str]) -> list[str]:
    """Strict errors as sigs.k8s.io/json hands them out: each once, the first MAX_STRICT_ERRORS."""
    found: dict[str, None] = {}
    for error in errors:
        found[error] = None
        if len(found) == MAX_STRICT_ERRORS:
            break
    return list(found)


def repeated(value: Any, path: str | None) -> Iterator[str]:
    """`duplicate field ...` for each repetition in a value of `decode_marking_duplicates`.

    `path` is where the value is; None at the root, where no dot precedes a key.
    """
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from repeated(item, f"{path or ''}[{index}]")
    elif isinstance(value, dict):
        seen = set()
        for key, item in members(value):
            child = key if path is None else f"{path}.{key}"
            if key in seen:
                yield f"duplicate field {quote(child)}"
            seen.add(key)
            yield from repeated(item, child)


def json_kind(value: Any) -> str:
    """The word by which Go's UnmarshalTypeError names a JSON value."""
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case str():
            return "string"
        case dict():
            return "object"
        case list():
            return "array"
        case _:
            return "number"


def decode_as_text(body: bytes) -> Any:
    """JSON with every scalar as its own text (bytes), null as None; keys are decoded.

    For comparisons that Go makes on text, where 1 and 1.0 differ. `body` must have been decoded before.
    """
    return _text_tree(body + b" ", _past_spaces(body, 0))[0]


def json_syntax_error(body: bytes) -> str:
    """Go's words for the first thing wrong with `body`; empty if it is JSON.

    Linear in the size of the body. The end of the input counts as one more space, as it does in Go.
    """
    try:
        _scan(body + b" ")
    except _SyntaxFoundError as error:
        return str(error)
    return ""


def _marked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    return value if len(value) == len(pairs) else RepeatedKeys(pairs)


def _is_respaced(body: bytes, compact: bytes) -> bool:
    """Whether `body` is the JSON text `compact`, in the spacing of Go or in that of Python's json module.

    `compact` is an encoding of what `body` decodes to. Taking out spaces, even those inside strings, moves no
    quote and no bracket, and a string that lost one would differ: so equal texts have the same tokens.
    """
    text = body.strip(_SPACE)
    if len(text) == len(compact):
        return text == compact
    return text.replace(b'": ', b'":').replace(b", ", b",") == compact


def _replace_one_byte(error: UnicodeError) -> tuple[str, int]:
    """Go replaces every byte of a bad sequence; Python's own handler replaces the sequence."""
    assert isinstance(error, UnicodeDecodeError)
    return _REPLACEMENT, error.start + 1


codecs.register_error(GO_UTF8, _replace_one_byte)


def _decode_suspect(body: bytes, hook: Any) -> Any:
    """Decodes what the quick decoder refused: it may not be JSON at all."""
    problem = json_syntax_error(body)
    if problem:
        raise JsonError(problem)
    return _decode_slowly(body, hook)


def _decode_slowly(body: bytes, hook: Any) -> Any:
    try:
        text = body.decode("utf-8", GO_UTF8)
        value = json.loads(text, object_pairs_hook=hook, parse_float=_float, parse_int=_integer)
    except RecursionError as error:
        raise JsonError(f"invalid character {_quoted(body[-1])} exceeded max depth") from error
    return _without_surrogates(value) if _SURROGATE_ESCAPE.search(body) else value


def _integer(text: str) -> int:
    if len(text) > _INTEGER_DIGITS:
        _float(text)
    return int(text)


def _float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise JsonError(f"json: cannot unmarshal number {text} into Go value of type float64")
    return number


def _without_surrogates(value: Any) -> Any:
    match value:
        case str():
            return _SURROGATE.sub(_REPLACEMENT, value)
        case list():
            return [_without_surrogates(item) for item in value]
        case dict():
            pairs = [(_without_surrogates(key), _without_surrogates(item)) for key, item in members(value)]
            return _marked(pairs) if isinstance(value, RepeatedKeys) else dict(pairs)
        case _:
            return value


class _SyntaxFoundError(Exception):
    pass


def _quoted(byte: int) -> str:
    """One byte as Go quotes it: as the character of that code, in single quotes."""
    if byte == ord("'"):
        return "'\\''"
    if byte == ord('"'):
        return "'\"'"
    return "'" + quote(chr(byte))[1:-1] + "'"


def _wrong(text: bytes, at: int, where: str) -> _SyntaxFoundError:
    return _SyntaxFoundError(f"invalid character {_quoted(text[at])} {where}")


def _past_spaces(text: bytes, at: int) -> int:
    """The next character that is no space. Raises at the end of the text."""
    match = _SPACES.match(text, at)
    end = match.end() if match else at
    if end == len(text):
        raise _SyntaxFoundError("unexpected end of JSON input")
    return end


def _scan(text: bytes) -> None:
    """Go's state machine, a token at a time. `text` ends in a space."""
    open_brackets = bytearray()
    at = _past_spaces(text, 0)
    while True:
        byte = text[at]
        if byte in b"{[":
            open_brackets.append(byte)
            if len(open_brackets) > MAX_DEPTH:
                raise _wrong(text, at, "exceeded max depth")
            at = _past_spaces(text, at + 1)
            if text[at] != _closing(byte):
                at = _past_key(text, at) if byte == ord("{") else at
                continue
        else:
            at = _past_scalar(text, at)
        next_value = _past_closings(text, at, open_brackets)
        if next_value is None:
            return
        at = next_value


def _closing(bracket: int) -> int:
    return bracket + 2  # in ASCII both closing brackets follow their opening ones by two


def _past_closings(text: bytes, at: int, open_brackets: bytearray) -> int | None:
    """Where the next value begins, after a value that ended before `at`; None at the end of the text."""
    while open_brackets:
        at = _past_spaces(text, at)
        bracket = open_brackets[-1]
        if text[at] == _closing(bracket):
            open_brackets.pop()
            at += 1
        elif text[at] == ord(","):
            at = _past_spaces(text, at + 1)
            return _past_key(text, at) if bracket == ord("{") else at
        else:
            kind = "object key:value pair" if bracket == ord("{") else "array element"
            raise _wrong(text, at, f"after {kind}")
    match = _SPACES.match(text, at)
    if match and match.end() < len(text):
        raise _wrong(text, match.end(), "after top-level value")
    return None


def _past_key(text: bytes, at: int) -> int:
    if text[at] != ord('"'):
        raise _wrong(text, at, "looking for beginning of object key string")
    at = _past_spaces(text, _past_string(text, at))
    if text[at] != ord(":"):
        raise _wrong(text, at, "after object key")
    return _past_spaces(text, at + 1)


def _past_scalar(text: bytes, at: int) -> int:
    byte = text[at]
    if byte == ord('"'):
        return _past_string(text, at)
    if byte in _LITERALS:
        return _past_literal(text, at, _LITERALS[byte])
    if byte == ord("-") or ord("0") <= byte <= ord("9"):
        return _past_number(text, at)
    raise _wrong(text, at, "looking for beginning of value")


def _past_literal(text: bytes, at: int, literal: bytes) -> int:
    for offset, expected in enumerate(literal):
        if text[at + offset] != expected:
            raise _wrong(text, at + offset, f"in literal {literal.decode()} (expecting {_quoted(expected)})")
    return at + len(literal)


def _past_number(text: bytes, at: int) -> int:
    match = _NUMBER.match(text, at)
    if match is None:
        raise _wrong(text, at + 1, "in numeric literal")
    end = match.end()
    if text[end] == ord(".") and match[1] is None and match[2] is None:
        raise _wrong(text, end + 1, "after decimal point in numeric literal")
    if text[end] in b"eE" and match[2] is None:
        signed = text[end + 1] in b"+-"
        raise _wrong(text, end + 1 + signed, "in exponent of numeric literal")
    return end


def _past_string(text: bytes, at: int) -> int:
    match = _STRING.match(text, at)
    end = match.end() if match else at
    if end == len(text):
        raise _SyntaxFoundError("unexpected end of JSON input")
    if text[end] == ord('"'):
        return end + 1
    if text[end] != ord("\\"):
        raise _wrong(text, end, "in string literal")
    if text[end + 1] != ord("u"):
        raise _wrong(text, end + 1, "in string escape code")
    digit = end + 2
    while text[digit] in b"0123456789abcdefABCDEF":
        digit += 1
    raise _wrong(text, digit, "in \\u hexadecimal character escape")


def _text_tree(text: bytes, at: int) -> tuple[Any, int]:
    """The value at `at`, and where it ends. `text` is known to be JSON."""
    byte = text[at]
    if byte not in b"{[":
        end = _past_scalar(text, at)
        return (None if byte == ord("n") else text[at:end]), end
    items: list[Any] = []
    keys: list[str] = []
    at = _past_spaces(text, at + 1)
    while text[at] != _closing(byte):
        if byte == ord("{"):
            end = _past_string(text, at)
            keys.append(decode_lenient(text[at:end]))
            at = _past_spaces(text, _past_spaces(text, end) + 1)
        item, at = _text_tree(text, at)
        items.append(item)
        at = _past_spaces(text, at)
        if text[at] == ord(","):
            at = _past_spaces(text, at + 1)
    return (dict(zip(keys, items, strict=True)) if byte == ord("{") else items), at + 1
