"""Encodes JSON as Go's json.Marshal does: compact, with HTML's characters escaped."""

from typing import Any

from fakeapi.machinery.codec import encode

_SPACE = b" \t\r\n"
_HTML = (
    (b"<", b"\\u003c"),
    (b">", b"\\u003e"),
    (b"&", b"\\u0026"),
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
)


def go_encode(value: Any) -> bytes:
    """`value` as Go's json.Marshal writes it: compact, with `<`, `>`, `&` and line separators escaped."""
    return escape_html(encode(value))


def escape_html(text: bytes) -> bytes:
    """JSON as Go's json.Marshal writes it: with `<`, `>`, `&` and line separators escaped."""
    for character, escape in _HTML:
        if character in text:
            text = text.replace(character, escape)
    return text


def is_as_go_writes(body: bytes, value: Any) -> bool:
    """Whether `body`, which decodes to `value`, is Go's encoding of it but for spaces."""
    return is_respaced(body, go_encode(value))


def is_respaced(body: bytes, compact: bytes) -> bool:
    """Whether `body` is the JSON text `compact`, in the spacing of Go or in that of Python's json module.

    `compact` is an encoding of what `body` decodes to. Taking out spaces, even those inside strings, moves no
    quote and no bracket, and a string that lost one would differ: so equal texts have the same tokens.
    """
    text = body.strip(_SPACE)
    if len(text) == len(compact):
        return text == compact
    return text.replace(b'": ', b'":').replace(b", ", b",") == compact
