"""CEL functions of strings.

Follows cel-go `ext/strings.go`. Positions count characters; replace and split behave as in Go.
"""

from collections.abc import Callable
from typing import Any

from fakeapi.machinery.cel.runtime.memory import ITEM_BYTES, check, take
from fakeapi.machinery.cel.runtime.texts import text_of
from fakeapi.machinery.cel.runtime.values import Err, Items, ListValue

_SPACES = " \t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def _out_of_range(index: int) -> Err:
    return Err(f"index out of range: {index}")


def _char_at(text: str, index: int) -> Any:
    if not 0 <= index <= len(text):
        return _out_of_range(index)
    return text[index : index + 1]


def _index_of(text: str, part: str, offset: int = 0) -> Any:
    if not part:
        return offset
    if offset < 0:
        return _out_of_range(offset)
    return text.find(part, offset)


def _last_index_of(text: str, part: str) -> Any:
    return text.rfind(part) if part else len(text)


def _last_index_of_from(text: str, part: str, offset: int) -> Any:
    if not part:
        return offset
    if offset < 0:
        return _out_of_range(offset)
    return -1 if offset >= len(text) else text.rfind(part, 0, offset + len(part))


_TEXT_BYTES = 64
"""Bytes that each string in the result of `split` counts against the memory limit."""


def _width(*texts: str) -> int:
    """Returns the maximum bytes per character of a Python string made from these texts.

    Returns 1 if all texts are ASCII, otherwise 4.
    """
    return 1 if all(text.isascii() for text in texts) else 4


def _replace(text: str, old: str, new: str, most: int = -1) -> str:
    times = text.count(old) if most < 0 else min(text.count(old), most)
    check((len(text) + times * (len(new) - len(old))) * _width(text, new))
    return text.replace(old, new, most)


def _split(text: str, separator: str, most: int = -1) -> Items:
    if most == 0:
        return Items([])
    parts_made = text.count(separator) + 1 if most < 0 else min(text.count(separator) + 1, most)
    is_shared = not separator and text.isascii()  # Python has one object for each ASCII character
    take(parts_made * (ITEM_BYTES if is_shared else ITEM_BYTES + _TEXT_BYTES) + len(text))
    if separator:
        return Items(list(text.split(separator, most - 1 if most > 0 else -1)))
    parts = list(text)
    if 0 < most < len(parts):
        parts[most - 1 :] = ["".join(parts[most - 1 :])]
    return Items(parts)


def _substring(text: str, start: int) -> Any:
    return text[start:] if 0 <= start <= len(text) else _out_of_range(start)


def _substring_between(text: str, start: int, end: int) -> Any:
    if start > end:
        return Err(f"invalid substring range. start: {start}, end: {end}")
    for index in (start, end):
        if not 0 <= index <= len(text):
            return _out_of_range(index)
    return text[start:end]


_UPPER = {code: code - 32 for code in range(ord("a"), ord("z") + 1)}
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def _join(texts: ListValue, separator: str = "") -> Any:
    take(len(texts) * ITEM_BYTES)
    parts = list(texts)
    for part in parts:
        if type(part) is not str:
            return Err(f"join: invalid input: {text_of(part)}")
    size = sum(map(len, parts)) + len(separator) * len(parts)
    check(size * _width(separator, *parts))
    return separator.join(parts)


_QUOTED = str.maketrans(
    {
        "\a": "\\a",
        "\b": "\\b",
        "\f": "\\f",
        "\n": "\\n",
        "\r": "\\r",
        "\t": "\\t",
        "\v": "\\v",
        "\\": "\\\\",
        '"': '\\"',
    }
)


def _quote(text: str) -> str:
    return f'"{text.translate(_QUOTED)}"'


OVERLOADS: dict[str, Callable[..., Any]] = {
    "string_jsonpatch_escapeKey_string": lambda text: text.replace("~", "~0").replace("/", "~1"),
    "contains_string": lambda text, part: part in text,
    "ends_with_string": lambda text, part: text.endswith(part),
    "starts_with_string": lambda text, part: text.startswith(part),
    "string_char_at_int": _char_at,
    "string_index_of_string": _index_of,
    "string_index_of_string_int": _index_of,
    "string_last_index_of_string": _last_index_of,
    "string_last_index_of_string_int": _last_index_of_from,
    "string_lower_ascii": lambda text: text.translate(_LOWER),
    "string_upper_ascii": lambda text: text.translate(_UPPER),
    "string_replace_string_string": _replace,
    "string_replace_string_string_int": _replace,
    "string_split_string": _split,
    "string_split_string_int": _split,
    "string_substring_int": _substring,
    "string_substring_int_int": _substring_between,
    "string_trim": lambda text: text.strip(_SPACES),
    "list_join": _join,
    "list_join_string": _join,
    "strings_quote": _quote,
}


def _last_index_of_any(text: str, part: str) -> Any:
    return _last_index_of(text, part) if text or not part else _out_of_range(-1)


def _index_within(text: str, part: str, offset: int = 0) -> Any:
    if part and not 0 <= offset < len(text):
        return _out_of_range(offset)
    return _index_of(text, part, offset)


def _last_index_within(text: str, part: str, offset: int) -> Any:
    if part and not 0 <= offset < len(text):
        return _out_of_range(offset)
    return _last_index_of_from(text, part, offset)


VARIANTS: dict[str, dict[str, Callable[..., Any]]] = {
    "the empty text has no last place": {"string_last_index_of_string": _last_index_of_any},
    "places are within the text": {
        "string_index_of_string": _index_within,
        "string_index_of_string_int": _index_within,
        "string_last_index_of_string_int": _last_index_within,
    },
}
