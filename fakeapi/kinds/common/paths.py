"""Finds, drops and clears fields of objects by paths such as `spec.volumes[].image`.

A path consists of names with dots between them. These names have a special meaning:

- `name[]`: each item of a list
- `name{}`: each value of a map
- `@containers`, `@statuses`: the three lists of containers or of container statuses of a pod
- `@requests`: the exact requests and the subrequests of a ResourceClaim
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from fakeapi.machinery.json_types import Object

_ALTERNATIVES = {
    "@containers": ("containers[]", "initContainers[]", "ephemeralContainers[]"),
    "@statuses": ("containerStatuses[]", "initContainerStatuses[]", "ephemeralContainerStatuses[]"),
    "@requests": ("requests[].exactly", "requests[].firstAvailable[]"),
}


@cache
def expanded(path: str) -> tuple[tuple[str, ...], ...]:
    """Replaces an `@` name in a path by each list for which it stands. Returns the paths, split at dots."""
    for short, names in _ALTERNATIVES.items():
        if short in path:
            return tuple(part for name in names for part in expanded(path.replace(short, name)))
    return (tuple(path.split(".")),)


def holders(obj: Object, path: str) -> Iterator[tuple[Object, str]]:
    """Yields each struct at the path without its last field, and the name of the last field.

    The struct may lack this field.
    """
    for parts in expanded(path):
        for holder in _inside(obj, parts[:-1]):
            yield holder, parts[-1]


def is_set(obj: Object, path: str) -> bool:
    """Whether a field at the path has a value other than null. Empty values count as set."""
    return any(holder.get(name) is not None for holder, name in holders(obj, path))


def drop(obj: Object, path: str) -> None:
    """Removes the fields at the path, in place."""
    for holder, name in holders(obj, path):
        holder.pop(name, None)


def set_to_null(obj: Object, path: str) -> None:
    """Sets the fields at the path to null, in place, even fields that are missing."""
    for holder, name in holders(obj, path):
        holder[name] = None


def _inside(value: Any, parts: tuple[str, ...]) -> Iterator[Object]:
    if not isinstance(value, dict):
        return
    if not parts:
        yield value
        return
    name, rest = parts[0], parts[1:]
    if name.endswith("[]"):
        for item in value.get(name[:-2]) or ():
            yield from _inside(item, rest)
    elif name.endswith("{}"):
        for item in (value.get(name[:-2]) or {}).values():
            yield from _inside(item, rest)
    else:
        yield from _inside(value.get(name), rest)
