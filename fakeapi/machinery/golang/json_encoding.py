"""Encodes JSON like Go's json.Marshal: compact, with HTML's special characters escaped."""

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
    """Encodes JSON like Go's json.Marshal: compact, with `<`, `>`, `&` and line separators escaped."""
    return escape_html(encode(value))


def escape_html(text: bytes) -> bytes:
    """Escapes `<`, `>`, `&` and line separators in JSON text, like Go's json.Marshal."""
    for character, escape in _HTML:
        if character in text:
            text = text.replace(character, escape)
    return text


def is_as_go_writes(body: bytes, value: Any) -> bool:
    """Whether `body` equals Go's encoding of `value`, apart from spacing; `body` must decode to `value`."""
    return is_respaced(body, go_encode(value))


def is_respaced(body: bytes, compact: bytes) -> bool:
    """Whether `body` is the JSON text `compact`, with the spacing of Go or of Python's json module.

    `compact` must be an encoding of the value that `body` decodes to. The comparison also removes spaces
    inside strings. The result then differs from `compact`, so bodies with other strings are never accepted.
    """
    text = body.strip(_SPACE)
    if len(text) == len(compact):
        return text == compact
    return text.replace(b'": ', b'":').replace(b", ", b",") == compact
