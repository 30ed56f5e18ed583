"""Decodes JSON with scalars as literals, for the `test` operation of a JSON patch.

evanphx/json-patch compares scalars as text, so 1 and 1.0 are not equal.
"""

from typing import Any

from fakeapi.machinery.codec import RawJson
from fakeapi.machinery.golang.json_decoding import decode_lenient
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.golang.json_syntax import closing_bracket, past_scalar, past_spaces, past_string


def decode_literals(body: bytes) -> Any:
    """Decodes JSON, but keeps each scalar as its JSON text in bytes. null becomes None; keys are decoded.

    `body` must be valid JSON.
    """
    return _value_at(body + b" ", past_spaces(body, 0))[0]


def literals_of(value: Any) -> Any:
    """Replaces each scalar in a JSON value by its JSON text in bytes, as Go encodes it; None stays None."""
    if isinstance(value, dict):
        return {key: literals_of(item) for key, item in value.items()}
    if isinstance(value, list):
        return [literals_of(item) for item in value]
    return None if value is None else go_encode(value)


def matches_literals(value: Any, literals: Any) -> bool:
    """Whether a JSON value equals a result of `decode_literals`.

    Compares the scalars of `value`, in Go's JSON encoding, with the texts in `literals`.
    """
    if isinstance(value, dict):
        return (
            isinstance(literals, dict)
            and len(value) == len(literals)
            and all(key in literals and matches_literals(item, literals[key]) for key, item in value.items())
        )
    if isinstance(value, list):
        return (
            isinstance(literals, list)
            and len(value) == len(literals)
            and all(matches_literals(item, other) for item, other in zip(value, literals, strict=True))
        )
    if isinstance(value, RawJson):
        return bool(decode_literals(value.json) == literals)
    if value is None:
        return literals is None
    return isinstance(literals, bytes) and go_encode(value) == literals


def _value_at(text: bytes, at: int) -> tuple[Any, int]:
    """Decodes the JSON value at an offset like `decode_literals`; returns (value, offset of its end).

    `text` must be valid JSON.
    """
    byte = text[at]
    if byte not in b"{[":
        end = past_scalar(text, at)
        return (None if byte == ord("n") else text[at:end]), end
    items: list[Any] = []
    keys: list[str] = []
    at = past_spaces(text, at + 1)
    while text[at] != closing_bracket(byte):
        if byte == ord("{"):
            end = past_string(text, at)
            keys.append(decode_lenient(text[at:end]))
            at = past_spaces(text, past_spaces(text, end) + 1)
        item, at = _value_at(text, at)
        items.append(item)
        at = past_spaces(text, at)
        if text[at] == ord(","):
            at = past_spaces(text, at + 1)
    return (dict(zip(keys, items, strict=True)) if byte == ord("{") else items), at + 1
