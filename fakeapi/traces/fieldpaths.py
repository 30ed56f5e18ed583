"""Paths to fields of Kubernetes objects, as people write them in options.

`spec.devices.requests.name`: lists are passed through, to each of their elements. A key with dots in it
stands in brackets: `metadata.annotations[example.com/team]`. `*` is every key.
"""

import re
from collections.abc import Callable
from typing import Any

FieldPath = tuple[str, ...]

_STEP = re.compile(r"\.?([^.\[\]]+)|\[([^\]]+)\]")
_WRAPPERS = ("items", "object")
"""Fields of lists and of watch events in which the objects are that a path speaks of."""


def parse(text: str) -> FieldPath:
    """Raises ValueError."""
    steps: list[str] = []
    place = 0
    while place < len(text):
        match = _STEP.match(text, place)
        if match is None or (text[place] == ".") != bool(place and match[1]):
            raise ValueError(
                f"{text!r} is not a field path such as spec.controller or metadata.labels[a.b/c]"
            )
        steps.append(match[1] or match[2])
        place = match.end()
    if not steps:
        raise ValueError("a field path names a field")
    return tuple(steps)


def render(path: FieldPath) -> str:
    text = ""
    for step in path:
        if "." in step or "[" in step:
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def change(value: Any, path: FieldPath, replacement: Callable[[Any], Any]) -> bool:
    """Replaces, in place, what the path leads to; in lists and watch events, of every object in them."""
    changed = _change(value, path, replacement)
    if isinstance(value, dict):
        for wrapper in _WRAPPERS:
            inner = value.get(wrapper)
            if isinstance(inner, dict | list):
                changed = (change if wrapper == "object" else _change)(inner, path, replacement) or changed
    return changed


def _change(value: Any, path: FieldPath, replacement: Callable[[Any], Any]) -> bool:
    if isinstance(value, list):
        # Summed, not `any`: every one is to be changed.
        return sum(_change(each, path, replacement) for each in value) > 0
    if not isinstance(value, dict):
        return False
    step, rest = path[0], path[1:]
    keys = list(value) if step == "*" else [step] if step in value else []
    if rest:
        return sum(_change(value[key], rest, replacement) for key in keys) > 0
    for key in keys:
        value[key] = replacement(value[key])
    return bool(keys)
