"""Encodes JSON as Go's json.Marshal does: compact, with HTML's special characters escaped."""

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
    """Encodes `value` as Go's json.Marshal does: compact, with `<`, `>`, `&` and line separators escaped."""
    return escape_html(encode(value))


def escape_html(text: bytes) -> bytes:
    """Escapes `<`, `>`, `&` and line separators in JSON text, as Go's json.Marshal does."""
    for character, escape in _HTML:
        if character in text:
            text = text.replace(character, escape)
    return text


def is_as_go_writes(body: bytes, value: Any) -> bool:
    """Whether `body`, which decodes to `value`, is Go's encoding of it, apart from spaces."""
    return is_respaced(body, go_encode(value))


def is_respaced(body: bytes, compact: bytes) -> bool:
    """Whether `body` is the JSON text `compact`, with the spacing of Go or of Python's json module.

    `compact` is an encoding of the value that `body` decodes to. Removing spaces, even inside strings, moves
    no quote and no bracket, and a string that lost a space would differ. So equal texts have the same tokens.
    """
    text = body.strip(_SPACE)
    if len(text) == len(compact):
        return text == compact
    return text.replace(b'": ', b'":').replace(b", ", b",") == compact
