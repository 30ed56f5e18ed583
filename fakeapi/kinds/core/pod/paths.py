"""Paths into pods: `containers[].resources.claims`, where `@containers` stands for all three lists of
containers and `@statuses` for the statuses of all three.
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
    """The paths that one path stands for, each by its parts."""
    for short, names in _LISTS.items():
        if short in path:
            return tuple(part for name in names for part in expanded(path.replace(short, name)))
    return (tuple(path.split(".")),)


def holders(obj: Object, path: str) -> Iterator[tuple[Object, str]]:
    """The objects that can hold the last member of a path, each with the name of that member."""
    for parts in expanded(path):
        for holder in _inside(obj, parts[:-1]):
            yield holder, parts[-1]


def is_set(obj: Object | None, path: str) -> bool:
    """Whether any place of the path has a value; an empty list or text is none."""
    return obj is not None and any(
        holder.get(name) not in (None, [], "") for holder, name in holders(obj, path)
    )


def drop(obj: Object, path: str) -> None:
    """Takes away what stands at the path, in place."""
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
