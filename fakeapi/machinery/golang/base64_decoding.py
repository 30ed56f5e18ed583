"""Decodes standard base64 like Go's encoding/base64: ignores line breaks; errors include the position."""

import base64
import binascii

_BREAKS = str.maketrans("", "", "\r\n")
_ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_QUANTUM = 4


def decode_base64(text: str) -> bytes:
    """Decodes base64 with padding; ignores line breaks.

    Raises ValueError with Go's message if the text is not valid base64.
    """
    joined = text.translate(_BREAKS)
    problem = None if _is_plain(joined) else _problem(text)
    if problem is not None:
        raise ValueError(f"illegal base64 data at input byte {problem}")
    return binascii.a2b_base64(joined)


def canonical_base64(text: str) -> str:
    """Returns base64 as Go's encoding/json writes it: without line breaks.

    Raises ValueError with Go's message if the text is not valid base64.
    """
    return base64.b64encode(decode_base64(text)).decode()


def _is_plain(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except ValueError:
        return False
    return True


def _problem(text: str) -> int | None:
    """Returns the byte offset that Go's error reports for invalid base64; None if the text is valid."""
    characters = [
        (at, character)
        for at, character in enumerate(text.encode().decode("latin-1"))
        if character not in "\r\n"
    ]
    length = len(text.encode())
    for index, (at, character) in enumerate(characters):
        place = index % _QUANTUM
        if character in _ALPHABET:
            continue
        if character != "=" or place < 2:
            return at
        rest = characters[index + 1 :]
        if place == 2:
            if not rest:
                return length
            if rest[0][1] != "=":
                return rest[0][0] - 1
            rest = rest[1:]
        return rest[0][0] if rest else None
    left = len(characters) % _QUANTUM
    return length - left if left else None
