"""Parses field paths such as `spec.devices.requests.name`, and changes the fields at a path.

A path applies to every element of a list. A key with dots is in brackets:
`metadata.annotations[example.com/team]`. `*` matches every key.
"""

from collections.abc import Callable
from typing import Any

from fakeapi.machinery.lazy_pattern import lazy_pattern

FieldPath = tuple[str, ...]

_STEP = lazy_pattern(r"\.?([^.\[\]]+)|\[([^\]]+)\]")
_WRAPPERS = ("items", "object")
"""The fields of lists and watch events that contain objects. A field path starts at these objects."""


def parse(text: str) -> FieldPath:
    """Splits a field path into its keys. Raises ValueError for invalid syntax."""
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
        raise ValueError("a field path must not be empty")
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
    """Replaces the values at a field path in place. Returns whether it replaced any value.

    - `value`: an object; or a list or watch event, whose objects are changed.
    - `replacement`: a function that returns the new value for an old value.
    """
    changed = _change(value, path, replacement)
    if isinstance(value, dict):
        for wrapper in _WRAPPERS:
            inner = value.get(wrapper)
            if isinstance(inner, dict | list):
                changed = (change if wrapper == "object" else _change)(inner, path, replacement) or changed
    return changed


def _change(value: Any, path: FieldPath, replacement: Callable[[Any], Any]) -> bool:
    if isinstance(value, list):
        # `any` would stop at the first change, so use `sum`.
        return sum(_change(item, path, replacement) for item in value) > 0
    if not isinstance(value, dict):
        return False
    step, rest = path[0], path[1:]
    keys = list(value) if step == "*" else [step] if step in value else []
    if rest:
        return sum(_change(value[key], rest, replacement) for key in keys) > 0
    for key in keys:
        value[key] = replacement(value[key])
    return bool(keys)
