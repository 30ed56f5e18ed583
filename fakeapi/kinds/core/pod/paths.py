"""Paths into pods, such as `containers[].resources.claims`.

`@containers` stands for the three lists of containers, `@statuses` for the three lists of container statuses.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from fakeapi.machinery.json_types import Object

_LISTS = {
    "@containers": ("containers[]", "initContainers[]", "ephemeralContainers[]"),
    "@statuses": ("containerStatuses[]", "initContainerStatuses[]", "ephemeralContainerStatuses[]"),
}


@cache
def expanded(path: str) -> tuple[tuple[str, ...], ...]:
    """Expands `@containers` and `@statuses`; returns the resulting paths, split into their parts."""
    for short, names in _LISTS.items():
        if short in path:
            return tuple(part for name in names for part in expanded(path.replace(short, name)))
    return (tuple(path.split(".")),)


def holders(obj: Object, path: str) -> Iterator[tuple[Object, str]]:
    """Yields the objects that may have the last member of the path, each with the name of this member."""
    for parts in expanded(path):
        for holder in _inside(obj, parts[:-1]):
            yield holder, parts[-1]


def is_set(obj: Object | None, path: str) -> bool:
    """Whether the path has a value anywhere; empty lists and texts do not count."""
    return obj is not None and any(
        holder.get(name) not in (None, [], "") for holder, name in holders(obj, path)
    )


def drop(obj: Object, path: str) -> None:
    """Removes the values at the path, in place."""
    for holder, name in holders(obj, path):
        holder.pop(name, None)


def _inside(value: Any, parts: tuple[str, ...]) -> Iterator[Object]:
    if not isinstance(value, dict):
        return
    if not parts:
        yield value
        return
    name, rest = parts[0], parts[1:]
    if not name.endswith("[]"):
        yield from _inside(value.get(name), rest)
        return
    for item in value.get(name[:-2]) or ():
        yield from _inside(item, rest)
