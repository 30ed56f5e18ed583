"""Reports syntax errors of JSON with the messages of Go's encoding/json.

Follows the scanner of Go's encoding/json, in time linear in the size of the text.
"""

from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.lazy_pattern import lazy_pattern

MAX_DEPTH = 10_000
"""Maximum nesting depth of JSON in Go; deeper nesting is a syntax error."""

_STRING = lazy_pattern(
    rb'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+',
)
_NUMBER = lazy_pattern(rb"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_SPACES = lazy_pattern(rb"[ \t\r\n]*+")
_LITERALS = {ord("t"): b"true", ord("f"): b"false", ord("n"): b"null"}


def json_syntax_error(body: bytes) -> str:
    """Returns Go's message for the first syntax error in `body`; "" if the body is JSON.

    Like Go, treats the end of the input as a space. Takes time linear in the size of the body.
    """
    try:
        _scan(body + b" ")
    except _SyntaxFoundError as error:
        return str(error)
    return ""


class _SyntaxFoundError(Exception):
    """Reports the first syntax error in a JSON text, with Go's message."""


def _scan(text: bytes) -> None:
    """Scans JSON like Go's state machine, token by token; `text` must end with a space.

    Raises _SyntaxFoundError at the first syntax error.
    """
    open_brackets = bytearray()
    at = past_spaces(text, 0)
    while True:
        byte = text[at]
        if byte in b"{[":
            open_brackets.append(byte)
            if len(open_brackets) > MAX_DEPTH:
                raise _wrong(text, at, "exceeded max depth")
            at = past_spaces(text, at + 1)
            if text[at] != closing_bracket(byte):
                at = _past_key(text, at) if byte == ord("{") else at
                continue
        else:
            at = past_scalar(text, at)
        next_value = _past_closings(text, at, open_brackets)
        if next_value is None:
            return
        at = next_value


def _past_closings(text: bytes, at: int, open_brackets: bytearray) -> int | None:
    """Reads the closing brackets and the comma after a JSON value; returns the offset of the next value.

    `open_brackets`: the brackets that are still open; the function removes the closed brackets

    Returns None at the end of the text. Raises _SyntaxFoundError at a syntax error.
    """
    while open_brackets:
        at = past_spaces(text, at)
        bracket = open_brackets[-1]
        if text[at] == closing_bracket(bracket):
            open_brackets.pop()
            at += 1
        elif text[at] == ord(","):
            at = past_spaces(text, at + 1)
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
    at = past_spaces(text, past_string(text, at))
    if text[at] != ord(":"):
        raise _wrong(text, at, "after object key")
    return past_spaces(text, at + 1)


def past_scalar(text: bytes, at: int) -> int:
    byte = text[at]
    if byte == ord('"'):
        return past_string(text, at)
    if byte in _LITERALS:
        return _past_literal(text, at, _LITERALS[byte])
    if byte == ord("-") or ord("0") <= byte <= ord("9"):
        return _past_number(text, at)
    raise _wrong(text, at, "looking for beginning of value")


def _past_literal(text: bytes, at: int, literal: bytes) -> int:
    for offset, expected in enumerate(literal):
        if text[at + offset] != expected:
            raise _wrong(
                text, at + offset, f"in literal {literal.decode()} (expecting {quoted_byte(expected)})"
            )
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


def past_string(text: bytes, at: int) -> int:
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


def past_spaces(text: bytes, at: int) -> int:
    """Returns the offset of the next character that is not whitespace.

    Raises _SyntaxFoundError at the end of the text.
    """
    match = _SPACES.match(text, at)
    end = match.end() if match else at
    if end == len(text):
        raise _SyntaxFoundError("unexpected end of JSON input")
    return end


def closing_bracket(bracket: int) -> int:
    return bracket + 2  # in ASCII, `]` and `}` are two codes after `[` and `{`


def _wrong(text: bytes, at: int, where: str) -> _SyntaxFoundError:
    return _SyntaxFoundError(f"invalid character {quoted_byte(text[at])} {where}")


def quoted_byte(byte: int) -> str:
    """Quotes a byte like Go: the character with this code in single quotes."""
    if byte == ord("'"):
        return "'\\''"
    if byte == ord('"'):
        return "'\"'"
    return "'" + quote(chr(byte))[1:-1] + "'"
