"""Finds, drops and clears fields of objects by paths such as `spec.volumes[].image`.

A path consists of names with dots between them. These names have a special meaning:

- `name[]`: each item of a list
- `name{}`: each value of a map
- `@containers`, `@statuses`: the three lists of containers or of container statuses of a pod
- `@requests`: the exact requests and the subrequests of a ResourceClaim
"""

from collections.abc import Callable, Iterator
from functools import cache
from operator import is_
from typing import Any, NamedTuple

from fakeapi.machinery.json_types import Object

_ALTERNATIVES = {
    "@containers": ("containers[]", "initContainers[]", "ephemeralContainers[]"),
    "@statuses": ("containerStatuses[]", "initContainerStatuses[]", "ephemeralContainerStatuses[]"),
    "@requests": ("requests[].exactly", "requests[].firstAvailable[]"),
}


class Step(NamedTuple):
    """A name of a path.

    `shape`: `[]` for a list whose items the path enters, `{}` for a map whose values the path enters, or ``
    """

    name: str
    shape: str


@cache
def steps_of(path: str) -> tuple[tuple[tuple[Step, ...], str], ...]:
    """Returns (steps to the holders of the field, name of the field), for each path that the path stands for.

    A path with an `@` name stands for several paths.
    """
    for short, names in _ALTERNATIVES.items():
        if short in path:
            return tuple(part for name in names for part in steps_of(path.replace(short, name)))
    *parents, field = path.split(".")
    return ((tuple(map(_step, parents)), field),)


def holders(obj: Object, path: str) -> Iterator[tuple[Object, str]]:
    """Yields each struct at the path without its last field, and the name of the last field.

    The struct may lack this field.
    """
    for steps, field in steps_of(path):
        for holder in _inside(obj, steps):
            yield holder, field


def is_set(obj: Object, path: str) -> bool:
    """Whether a field at the path has a value other than null. Empty values count as set."""
    return any(holder.get(name) is not None for holder, name in holders(obj, path))


def drop(obj: Object, path: str) -> None:
    """Removes the fields at the path, in place."""
    for holder, name in holders(obj, path):
        holder.pop(name, None)


def without(obj: Object, path: str) -> Object:
    """Returns a copy of the object without the fields at the path, or the object itself if it has none.

    The copy shares all values that do not contain such a field with the object.
    """
    return _replaced(obj, path, _without_field)


def with_null(obj: Object, path: str) -> Object:
    """Returns a copy of the object whose fields at the path are null, or the object itself if all are null.

    Does not add missing fields. The copy shares all values that do not contain such a field with the object.
    """
    return _replaced(obj, path, _with_null_field)


def _step(part: str) -> Step:
    return Step(part[:-2], part[-2:]) if part.endswith(("[]", "{}")) else Step(part, "")


def _inside(value: Any, steps: tuple[Step, ...]) -> Iterator[Object]:
    if not isinstance(value, dict):
        return
    if not steps:
        yield value
        return
    (name, shape), rest = steps[0], steps[1:]
    held = value.get(name)
    if held is None:
        return
    if not shape:
        yield from _inside(held, rest)
        return
    for item in held if shape == "[]" else held.values():
        yield from _inside(item, rest)


def _without_field(holder: Object, field: str) -> Object:
    if field not in holder:
        return holder
    return {name: value for name, value in holder.items() if name != field}


def _with_null_field(holder: Object, field: str) -> Object:
    return holder if holder.get(field) is None else {**holder, field: None}


def _replaced(obj: Object, path: str, replace: Callable[[Object, str], Object]) -> Object:
    """Returns a copy of the object in which `replace` has replaced the holders of the field at the path."""
    for steps, field in steps_of(path):
        obj = _replaced_inside(obj, steps, field, replace)
    return obj


def _replaced_inside(
    value: Any, steps: tuple[Step, ...], field: str, replace: Callable[[Object, str], Object]
) -> Any:
    if not isinstance(value, dict):
        return value
    if not steps:
        return replace(value, field)
    (name, shape), rest = steps[0], steps[1:]
    before = value.get(name)
    if before is None:
        return value
    after: Any
    if shape == "[]":
        after = [_replaced_inside(item, rest, field, replace) for item in before]
        is_same = all(map(is_, after, before))
    elif shape == "{}":
        after = {key: _replaced_inside(item, rest, field, replace) for key, item in before.items()}
        is_same = all(map(is_, after.values(), before.values()))
    else:
        after = _replaced_inside(before, rest, field, replace)
        is_same = after is before
    return value if is_same else {**value, name: after}
