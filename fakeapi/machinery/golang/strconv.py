"""Quotes strings like Go, and formats values for field errors."""

from typing import Any

_SHORT = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    '"': '\\"',
    "\\": "\\\\",
}


def quote(text: str) -> str:
    """Quotes a text like Go's strconv.Quote and `%q`."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def render(value: Any) -> str:
    """Formats the bad value of a field error, like `field.Error` of k8s.io/apimachinery.

    Strings are quoted, numbers and booleans are as in Go's `%v`, and None is `"null"`. Other values are
    approximately in Go syntax, because the text in Go also depends on types and addresses.
    """
    match value:
        case str():
            return quote(value)
        case True:
            return "true"
        case False:
            return "false"
        case None:
            return '"null"'
        case int() | float():
            return str(value)
        case list():
            return "[]interface {}{" + ", ".join(render(item) for item in value) + "}"
        case dict():
            members = (f"{quote(key)}:{render(item)}" for key, item in value.items())
            return "map[string]interface {}{" + ", ".join(members) + "}"
        case _:
            return str(value)
