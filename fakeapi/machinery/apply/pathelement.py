"""Path elements of field sets, in the form of FieldsV1: `f:name`, `k:{"uid":"a"}`, `v:"a"`, `i:3`.

Equal path elements have equal canonical texts, so the text is the identity. Follows
sigs.k8s.io/structured-merge-diff `fieldpath`.
"""

import json
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from math import isinf
from typing import Any, TypeAlias

from fakeapi.machinery.golang.fmt import shortest_float
from fakeapi.machinery.golang.strconv import quote

PathElement: TypeAlias = str
Rank: TypeAlias = tuple[Any, ...]

CACHED_MAX = 4096
"""Maximum number of cached sort keys of path elements; a full cache drops the least recently used key."""

BRACKETS_MAX = 100
"""Maximum number of brackets in the value or key of a path element; more raise PathElementError.

The limit bounds the nesting depth. Path elements that Kubernetes writes have at most one bracket.
"""

_INT64_DIGITS = 19
_KINDS = {"f": 0, "k": 1, "v": 2, "i": 3}
_PLAIN = str.maketrans(
    {chr(code): f"\\u{code:04x}" for code in range(0x20)}
    | {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
)
_HTML = _PLAIN | {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
_MOST_INTEGRAL = 1e21  # Go prints larger numbers, and this number, with an exponent.


class PathElementError(ValueError):
    """The text is not a path element."""


def of_field(name: str) -> PathElement:
    return "f:" + name


def of_key(members: Iterable[tuple[str, Any]]) -> PathElement:
    """Returns the path element of a map list's item, such as `k:{"uid":"a"}`.

    `members`: the key fields of the item: (name, value).
    """
    texts = [
        f"{_string(name, _PLAIN)}:{_json(value)}"
        for name, value in sorted(members, key=lambda member: member[0])
    ]
    return "k:{" + ",".join(texts) + "}"


def of_value(value: Any) -> PathElement:
    """Returns the path element of an item of a set list, such as `v:"a"`."""
    return "v:" + _json(value)


def parse(text: str) -> PathElement | None:
    """Returns the canonical text of a client's path element; None if its kind is unknown.

    Raises PathElementError if `text` is not a path element.
    """
    if len(text) < 2 or text[1] != ":":
        raise PathElementError(f"no path element: {text}")
    kind, rest = text[0], text[2:]
    if kind == "f":
        return text
    if kind not in _KINDS:
        return None
    if rest.count("[") + rest.count("{") > BRACKETS_MAX:
        raise PathElementError(f"no path element: {text}")
    try:
        value = json.loads(rest, parse_int=_integer)
    except ValueError:
        raise PathElementError(f"no path element: {text}") from None
    if kind == "k":
        if not isinstance(value, dict):
            raise PathElementError(f"no key: {text}")
        return of_key(value.items())
    if kind == "v":
        return of_value(value)
    if type(value) is not int:
        raise PathElementError(f"no index: {text}")
    return f"i:{value}"


def _integer(text: str) -> int | float:
    """Parses an integer; returns a float64 if the text is longer than 19 characters.

    Raises ValueError for an integer beyond the range of float64.
    """
    if len(text) <= _INT64_DIGITS:
        return int(text)
    number = float(text)
    if isinf(number):
        raise ValueError("value out of range")
    return number


def in_order(elements: Iterable[PathElement]) -> list[PathElement]:
    """Sorts path elements: first fields, then keys, values and indexes, each kind by content."""
    names = sorted(elements)
    return names if not names or names[-1] < "f;" else sorted(names, key=_rank)


def spell(element: PathElement) -> str:
    """Formats a path element for messages of conflicts and errors: `.name`, `[uid="a"]`, `[="a"]`, `[3]`."""
    kind, rest = element[0], element[2:]
    if kind == "f":
        return "." + rest
    value = json.loads(rest)
    if kind == "k":
        return "[" + ",".join(f"{name}={text_of(member)}" for name, member in value.items()) + "]"
    return f"[={text_of(value)}]" if kind == "v" else f"[{value}]"


def text_of(value: Any) -> str:
    """Formats a JSON value like structured-merge-diff: every number is a float64."""
    match value:
        case str():
            return quote(value)
        case list():
            return "[" + ",".join(map(text_of, value)) + "]"
        case dict():
            return "".join(f"{name}={text_of(member)}" for name, member in value.items())
        case int() | float() if not isinstance(value, bool):
            return shortest_float(float(value))
        case _:
            return _json(value)


@lru_cache(CACHED_MAX)
def _rank(element: PathElement) -> Rank:
    if element == ".":
        return (-1,)
    kind, rest = element[0], element[2:]
    if kind == "f":
        return 0, rest
    value = json.loads(rest)
    if kind == "k":
        return 1, tuple((name, _value_rank(member)) for name, member in value.items())
    return (2, _value_rank(value)) if kind == "v" else (3, value)


def _value_rank(value: Any) -> Rank:
    match value:
        case bool():
            return 2, value
        case int() | float():
            return 0, value
        case str():
            return 1, value
        case list():
            return 3, tuple(map(_value_rank, value))
        case dict():
            return 4, tuple((name, _value_rank(value[name])) for name in sorted(value))
        case _:
            return (5,)


def _json(value: Any) -> str:
    match value:
        case str():
            return _string(value, _HTML)
        case list():
            return "[" + ",".join(map(_json, value)) + "]"
        case dict():
            return (
                "{" + ",".join(f"{_string(name, _HTML)}:{_json(value[name])}" for name in sorted(value)) + "}"
            )
        case float() if value.is_integer() and abs(value) < _MOST_INTEGRAL:
            return str(int(Decimal(repr(value))))
        case _:
            return json.dumps(value)


def _string(text: str, escapes: dict[int, str]) -> str:
    return f'"{text}"' if text.isalnum() else f'"{text.translate(escapes)}"'
