"""Keeps duplicate keys of JSON objects, and reports them as errors of strict field validation.

Follows sigs.k8s.io/json.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fakeapi.machinery.golang.strconv import quote

MAX_STRICT_ERRORS = 100
"""Maximum number of strict errors per request body. Like sigs.k8s.io/json, omits further errors silently."""


class RepeatedKeys(dict[str, Any]):
    """A JSON object that repeats a key, or contains another object with a repeated key.

    As a dict, it has the last value of each key. `pairs` has all members in document order, because Go
    decodes all of them. So Go also reports errors in values that a repeated key overwrites.
    """

    __slots__ = ("pairs",)

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


def holds_repeated(value: Any) -> bool:
    """Whether a JSON value is or contains an object that repeats a key."""
    if type(value) is list:
        return any(map(holds_repeated, value))
    return type(value) is RepeatedKeys


def members(value: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    """Returns the members of an object in document order, including repeated keys of a `RepeatedKeys`."""
    return value.pairs if isinstance(value, RepeatedKeys) else value.items()


def duplicate_errors(value: Any, path: str | None) -> Iterator[str]:
    """Yields `duplicate field ...` for each repeated key in the result of `decode_marking_duplicates`.

    `path` is the field path of the value; None for the root.
    """
    if not holds_repeated(value):
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from duplicate_errors(item, f"{path or ''}[{index}]")
    elif isinstance(value, dict):
        seen = set()
        for key, item in members(value):
            child = key if path is None else f"{path}.{key}"
            if key in seen:
                yield f"duplicate field {quote(child)}"
            seen.add(key)
            yield from duplicate_errors(item, child)


def first_strict_errors(errors: Iterable[str]) -> list[str]:
    """Returns the first MAX_STRICT_ERRORS different errors, like sigs.k8s.io/json."""
    unique: dict[str, None] = {}
    for error in errors:
        unique[error] = None
        if len(unique) == MAX_STRICT_ERRORS:
            break
    return list(unique)
