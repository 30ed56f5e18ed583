"""Decodes any JSON that Go's encoding/json accepts, with Go's errors.

Bad UTF-8 and lone surrogates become U+FFFD, as in Go. Text that is not JSON raises `JsonError` with the
messages of `json_syntax`. Follows Go's encoding/json and sigs.k8s.io/json.
"""

import codecs
import json
from collections.abc import Callable
from typing import Any

from fakeapi.machinery.codec import JsonError, decode, encode
from fakeapi.machinery.golang.duplicate_keys import (
    RepeatedKeys,
    duplicate_errors,
    first_strict_errors,
    holds_repeated,
    members,
)
from fakeapi.machinery.golang.json_depth import NESTING_MAX, check_depth
from fakeapi.machinery.golang.json_encoding import is_respaced
from fakeapi.machinery.golang.json_syntax import json_syntax_error, quoted_byte
from fakeapi.machinery.golang.numbers import INT64_MAX, INT64_MIN
from fakeapi.machinery.lazy_pattern import lazy_pattern

GO_UTF8 = "fakeapi.go"
"""Name of the error handler for bytes.decode that reads invalid UTF-8 like Go: U+FFFD for each bad byte."""

_INTEGER_DIGITS = 300
"""Maximum length of an integer that is parsed directly: it cannot exceed the range of float64.

Longer integers are first parsed as floats, because Python rejects integers of more than 4,300 digits.
"""

_PERHAPS_BEYOND_INT64 = lazy_pattern(rb"[0-9]{19}")
_PERHAPS_BEYOND_FLOAT64 = lazy_pattern(rb"[0-9]{309}")

_REPLACEMENT = "\ufffd"
_SURROGATE_ESCAPE = lazy_pattern(rb"\\u[dD][89a-fA-F]")
_SURROGATE = lazy_pattern("[\ud800-\udfff]")


def decode_lenient(body: bytes, *, nesting_max: int = NESTING_MAX) -> Any:
    """Decodes any JSON that Go accepts; invalid UTF-8 and lone surrogates become U+FFFD.

    If a key is repeated, the last value counts. Raises JsonError with Go's message if the body is not JSON.
    Also raises JsonError for nesting deeper than `nesting_max`, for fractions and exponents beyond float64,
    and for very long integers.
    """
    check_depth(body, nesting_max)
    try:
        return decode(body)
    except JsonError:
        return _decode_suspect(body, None)


def decode_marking_duplicates(body: bytes) -> Any:
    """Decodes JSON like `decode_lenient`, but returns objects with repeated keys as `RepeatedKeys`."""
    return decode_noting_form(body)[0]


def decode_noting_form(body: bytes) -> tuple[Any, bool]:
    """Decodes JSON like `decode_marking_duplicates`; returns (value, whether the body is canonical).

    Canonical JSON is the output of `codec.encode`, with or without a final newline.
    """
    check_depth(body)
    try:
        value = decode(body)
    except JsonError:
        return _decode_suspect(body, _marked), False
    # A dict has no repeated keys, so a body that equals its re-encoding has none.
    text = encode(value)
    if body.startswith(text) and body[len(text) :] in (b"", b"\n"):
        return value, True
    return value if is_respaced(body, text) else _decode_slowly(body, _marked), False


def decode_untyped(body: bytes) -> Any:
    """Decodes JSON as Go decodes it to `any`: integers beyond int64 become floats.

    Raises JsonError if the body is not JSON, or contains a number beyond float64.
    """
    value = decode_lenient(body)
    return _decode_slowly(body, None, _untyped) if _PERHAPS_BEYOND_INT64.search(body) else value


def check_untyped(body: bytes) -> None:
    """Raises JsonError if JSON has an integer beyond float64, which Go cannot decode to `any`.

    `body` must be valid JSON.
    """
    if _PERHAPS_BEYOND_FLOAT64.search(body):
        _decode_slowly(body, None)


def duplicate_errors_of(body: bytes) -> list[str]:
    """Returns the strict errors of a JSON body for repeated keys: `duplicate field "metadata.labels.a"`.

    The errors are in document order, without repetitions. There are at most MAX_STRICT_ERRORS. Raises
    JsonError if the body is not JSON.
    """
    return first_strict_errors(duplicate_errors(decode_marking_duplicates(body), None))


def json_kind(value: Any) -> str:
    """Returns the kind of a JSON value as in Go's UnmarshalTypeError, such as `object` or `number`."""
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


def _decode_suspect(body: bytes, hook: Any) -> Any:
    """Decodes a body that the fast decoder rejected; `hook` is json's `object_pairs_hook`.

    Raises JsonError if the body is not JSON.
    """
    problem = json_syntax_error(body)
    if problem:
        raise JsonError(problem)
    return _decode_slowly(body, hook)


def _decode_slowly(body: bytes, hook: Any, integer: Callable[[str], int | float] | None = None) -> Any:
    try:
        text = body.decode("utf-8", GO_UTF8)
        value = json.loads(text, object_pairs_hook=hook, parse_float=_float, parse_int=integer or _integer)
    except RecursionError as error:
        raise JsonError(f"invalid character {quoted_byte(body[-1])} exceeded max depth") from error
    return _without_surrogates(value) if _SURROGATE_ESCAPE.search(body) else value


def _marked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) == len(pairs) and not any(map(holds_repeated, value.values())):
        return value
    return RepeatedKeys(pairs)


def _integer(text: str) -> int:
    if len(text) > _INTEGER_DIGITS:
        _float(text)
    return int(text)


def _untyped(text: str) -> int | float:
    number = _integer(text)
    return number if INT64_MIN <= number <= INT64_MAX else float(number)


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


def _replace_one_byte(error: UnicodeError) -> tuple[str, int]:
    """Replaces only the first byte of an invalid UTF-8 sequence.

    Python's own handler replaces all bytes of the sequence.
    """
    assert isinstance(error, UnicodeDecodeError)
    return _REPLACEMENT, error.start + 1


codecs.register_error(GO_UTF8, _replace_one_byte)
