"""Condition: the argument `until` of `wait_for`, which is a text or a function."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.jsonpath import JsonPath, parse_path
from fakeapi.machinery.jsonpath_syntax import JsonPathError
from fakeapi.machinery.suggestions import did_you_mean
from fakeapi.testing.hidden_frames import hides_expected_errors

__tracebackhide__ = hides_expected_errors

Until: TypeAlias = str | Callable[[Object], object] | None
"""The condition to wait for.

- None: the object exists.
- "Ready": the object's condition Ready is True. "Ready=False": the condition has the status False.
- ".status.allocation": the JSONPath selects a value that is not empty.
- ".status.phase=Running": the JSONPath selects the value Running.
- A function that returns a true value for the object. LookupError and AssertionError mean "not yet".
"""


_FIELDS = ("spec", "status", "data")
"""Fields of many objects. A condition type that begins with such a name is a JSONPath without its dot."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition to wait for.

    - `text`: the condition as text, for error messages.
    - `note`: returns a line for the message of a time-out, such as the conditions that the object has; "" for
      nothing.
    """

    text: str
    is_true: Callable[[Object], bool]
    note: Callable[[Object], str] = lambda obj: ""


def condition_of(until: Until) -> Condition:
    """Parses a condition. Raises ValueError for an invalid text, and TypeError for another type."""
    if until is None:
        return Condition("it to exist", lambda obj: True)
    if callable(until):
        name = getattr(until, "__name__", repr(until))
        words = "the function to be true" if name == "<lambda>" else f"{name} to be true"
        return Condition(words, lambda obj: _holds(until, obj))
    if not isinstance(until, str):
        raise TypeError(f"until is a condition such as 'Ready', a JSONPath or a function, not {until!r:.100}")
    text = until.removeprefix("condition=").removeprefix("jsonpath=").strip()
    if text.startswith((".", "{", "$", "[")):
        return _path_condition(text)
    name, _, status = text.partition("=")
    if not name.replace("/", "").replace(".", "").replace("-", "").isalnum():
        raise ValueError(
            f"until: {until!r} is neither the type of a condition nor a JSONPath such as .status"
        )
    return Condition(
        f"the condition {name}={status or 'True'}",
        lambda obj: _has(obj, name, status or "True"),
        lambda obj: _missing(obj, name),
    )


def _path_condition(text: str) -> Condition:
    from fakeapi.faults.rules import path_text  # noqa: PLC0415 - loaded only when used

    path, value = _split(text)
    try:
        parsed = parse_path(path_text(path))
    except JsonPathError as error:
        raise ValueError(f"until: {text!r} is not a JSONPath: {error}") from None
    if value is None:
        return Condition(f"a value at {path}", lambda obj: any(map(_is_there, _values(parsed, obj))))
    return Condition(
        f"{path} = {value}", lambda obj: any(_equals(each, value) for each in _values(parsed, obj))
    )


def _split(text: str) -> tuple[str, str | None]:
    """Splits "PATH=VALUE" at the first = outside of brackets; the value is None without a =."""
    depth = 0
    for position, letter in enumerate(text):
        depth += (letter in "[(") - (letter in "])")
        if letter == "=" and not depth:
            return text[:position].strip(), text[position + 1 :].strip().strip("\"'")
    return text, None


def _holds(function: Callable[[Object], object], obj: Object) -> bool:
    try:
        return bool(function(obj))
    except (LookupError, AssertionError):
        return False


def _has(obj: Object, name: str, status: str) -> bool:
    return any(
        each.get("type") == name and each.get("status", "").lower() == status.lower()
        for each in _conditions(obj)
    )


def _missing(obj: Object, name: str) -> str:
    """Returns a line with the conditions of an object if it lacks the condition `name`; otherwise ""."""
    types = [str(each.get("type")) for each in _conditions(obj)]
    if name in types:
        return ""
    others = f"; it has {', '.join(types)}" if types else " and no other condition"
    if name.partition(".")[0] in {*obj, *_FIELDS}:
        return f"the object has no condition {name}{others}; a JSONPath begins with a dot: .{name}"
    return f"the object has no condition {name}{others}{did_you_mean(name, types)}"


def _conditions(obj: Object) -> list[Object]:
    return (obj.get("status") or {}).get("conditions") or []


def _values(path: JsonPath, obj: Object) -> list[Any]:
    try:
        return path.find(obj)
    except JsonPathError:
        return []


def _is_there(value: Any) -> bool:
    return value is not None and value not in ("", [], {})


def _equals(value: Any, text: str) -> bool:
    return text == (value if isinstance(value, str) else json.dumps(value))
