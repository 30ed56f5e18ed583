"""Makes the devices and counter sets of a node from templates with placeholders.

A template is a device or counter set in the layout of resource.k8s.io/v1, with placeholders in its strings.

- `{node}`: the name of the node.
- `{i}`: the number of the physical device, from 0. A name with `{i}` makes one object for each physical
  device.
- `for: {j: 7}` or `for: {j: [0, 2, 4]}`: makes one object for each value of `{j}`.
- `{i+1}`: a number plus 1. `{i:02x}` and `{i:02d}`: format a number.
- `{int: "{i}"}`: an attribute whose string becomes a number.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import msgspec

from fakeapi.devices.model import DEVICES_MAX, NODE_BYTES_MAX, DeviceError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern

FOR = "for"
_PLACEHOLDER = lazy_pattern(r"\{([a-z][a-z0-9]{0,19})(?:\+([0-9]{1,6}))?(?::(0?[1-9]?)([dx]))?\}")


def expand(templates: Sequence[Object], count: int, node: str) -> tuple[Object, ...]:
    """Makes the objects of a node from templates.

    - `count`: the number of physical devices.
    - `node`: the name of the node.

    Raises DeviceError for more than DEVICES_MAX objects, for more than NODE_BYTES_MAX bytes, for an invalid
    `for`, and if two objects have the same name.
    """
    objects: list[Object] = []
    size = 0
    for template in templates:
        body = {name: value for name, value in template.items() if name != FOR}
        for values in _loops(template, count):
            objects.append(_filled(body, {"node": node, **values}))
            size += len(msgspec.json.encode(objects[-1]))
            if len(objects) > DEVICES_MAX:
                raise DeviceError(f"more than {DEVICES_MAX} devices on one node")
            if size > NODE_BYTES_MAX:
                raise DeviceError(f"the devices of one node have more than {NODE_BYTES_MAX} bytes")
    names = [obj["name"] for obj in objects]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DeviceError(f"two devices have the name {twice!r}: put {{i}} into the name")
    return tuple(objects)


def filled_text(text: str, node: str) -> str:
    """Replaces the placeholder {node} in a text."""
    return str(_filled(text, {"node": node}))


def _loops(template: Object, count: int) -> Iterator[Mapping[str, Any]]:
    """Yields the values of the placeholders `{i}` and `for`, one mapping for each object of a template."""
    loops: dict[str, Sequence[Any]] = {}
    if "{i" in template["name"]:
        loops["i"] = range(count)
    for name, values in (template.get(FOR) or {}).items():
        loops[name] = _values(name, values)
    for chosen in product(*loops.values()):
        yield dict(zip(loops, chosen, strict=True))


def _values(name: str, values: Any) -> Sequence[Any]:
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9]{0,19}", name) or name == "node":
        raise DeviceError(f"for: {name!r} is not the name of a placeholder")
    if isinstance(values, int) and not isinstance(values, bool) and 0 < values <= DEVICES_MAX:
        return range(values)
    is_list = isinstance(values, list) and 0 < len(values) <= DEVICES_MAX
    if is_list and all(isinstance(value, str | int) for value in values):
        return list(values)
    expected = f"a number from 1 to {DEVICES_MAX}, or a list of texts or numbers"
    raise DeviceError(f"for: {name}: {expected} is expected")


def _filled(value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        return _PLACEHOLDER.sub(lambda match: _formatted(match, values), value)
    if isinstance(value, dict):
        filled = {_filled(name, values): _filled(item, values) for name, item in value.items()}
        number = filled.get("int")
        if isinstance(number, str) and number.isdecimal() and number.isascii():
            filled["int"] = int(number)
        return filled
    if isinstance(value, list):
        return [_filled(item, values) for item in value]
    return value


def _formatted(match: "re.Match[str]", values: Mapping[str, Any]) -> str:
    """Returns the text for a placeholder. Leaves an unknown placeholder unchanged.

    Also leaves a placeholder unchanged if its value is text and the placeholder has a `+` or a format.
    """
    name, more, width, kind = match.groups()
    value = values.get(name)
    if isinstance(value, int):
        return format(value + int(more or 0), f"{width or ''}{kind or 'd'}")
    return match[0] if value is None or more or kind else str(value)
