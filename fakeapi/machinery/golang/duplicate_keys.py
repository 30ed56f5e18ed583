"""Duplicate keys of JSON objects: how they are kept, and the strict errors that name them.

Follows sigs.k8s.io/json.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fakeapi.machinery.golang.strconv import quote

MAX_STRICT_ERRORS = 100
"""Further strict errors are dropped silently, as sigs.k8s.io/json does."""


class RepeatedKeys(dict[str, Any]):
    """An object that named a key more than once, or holds one that did; as a dict, each key's last value.

    `pairs` are all its members in the order of the document. Go decodes each of them in turn, so what is
    wrong inside a value that is overwritten later is reported as well.
    """

    __slots__ = ("pairs",)

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


def holds_repeated(value: Any) -> bool:
    """Whether an object in the value named a key more than once."""
    if type(value) is list:
        return any(map(holds_repeated, value))
    return type(value) is RepeatedKeys


def members(value: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    """The members of an object of `decode_marking_duplicates` in document order, repeated ones included."""
    return value.pairs if isinstance(value, RepeatedKeys) else value.items()


def duplicate_errors(value: Any, path: str | None) -> Iterator[str]:
    """`duplicate field ...` for each repetition in a value of `decode_marking_duplicates`.

    `path` is where the value is; None at the root, where no dot precedes a key.
    """
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
    """Strict errors as sigs.k8s.io/json hands them out: each once, the first MAX_STRICT_ERRORS."""
    found: dict[str, None] = {}
    for error in errors:
        found[error] = None
        if len(found) == MAX_STRICT_ERRORS:
            break
    return list(found)
