"""Reads behaviours of containers from Python values, YAML files, annotations and the control API."""

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from fakeapi import inputfile
from fakeapi.controllers.kubelet.containers.behaviour import (
    NEVER,
    Behaviour,
    BehaviourError,
    ExecResult,
    ProbeFailure,
)
from fakeapi.machinery.documents import DocumentError, document_of
from fakeapi.machinery.printable import printable_line
from fakeapi.option import seconds_of_duration

FILE_MAX = 1024 * 1024
"""Maximum size in bytes of a file with behaviours. Reading a larger file raises BehaviourError."""
BEHAVIOURS_MAX = 1000
"""Maximum number of behaviours on a server. Adding more raises BehaviourError."""
TEXT_MAX = 1024 * 1024
"""Maximum number of characters in one text of a behaviour. A longer text raises BehaviourError."""
PATTERN_MAX = 253
"""Maximum number of characters in a pattern; a longer pattern raises BehaviourError."""

_SHOWN = 60


def read_behaviours(source: Any) -> list[Behaviour]:
    """Returns the behaviours in `source`: a file, a behaviour, a mapping, or an iterable of these.

    Raises BehaviourError if a file cannot be read, or if a behaviour is invalid.
    """
    if isinstance(source, str | Path):
        return _read_file(Path(source))
    if isinstance(source, Behaviour | Mapping):
        return [read_behaviour(source)]
    if not isinstance(source, Iterable):
        raise BehaviourError(f"{_shown(source)} is neither a behaviour nor a file of behaviours")
    behaviours: list[Behaviour] = []
    for item in source:
        behaviours += _read_file(Path(item)) if isinstance(item, str | Path) else [read_behaviour(item)]
        if len(behaviours) > BEHAVIOURS_MAX:
            raise BehaviourError(f"more than {BEHAVIOURS_MAX} behaviours")
    return behaviours


def read_text(text: str) -> list[Behaviour]:
    """Returns the behaviours in a YAML or JSON text. The text has one behaviour, a list of behaviours, or the
    key `containers` with either.

    Raises BehaviourError if the text or a behaviour is invalid.
    """
    try:
        content = document_of(text)
    except DocumentError as error:
        raise BehaviourError(str(error)) from None
    if isinstance(content, Mapping) and content.keys() == {"containers"}:
        content = content["containers"]
    items = content if isinstance(content, list) else [content]
    if len(items) > BEHAVIOURS_MAX:
        raise BehaviourError(f"more than {BEHAVIOURS_MAX} behaviours")
    behaviours = []
    for number, item in enumerate(items, 1):
        try:
            behaviours.append(read_behaviour(item))
        except BehaviourError as error:
            raise BehaviourError(f"behaviour {number}: {error}") from None
    return behaviours


def read_behaviour(value: Any) -> Behaviour:
    """Returns `value` as a Behaviour. The keys of a mapping are field names, such as exit_code or exitCode.

    Raises BehaviourError if the value is not a valid behaviour.
    """
    if isinstance(value, Behaviour):
        value = {name: each for name in _FIELDS if (each := getattr(value, name)) not in (None, {})}
    if not isinstance(value, Mapping):
        raise BehaviourError(f"{_shown(value)} is not a behaviour")
    read = {}
    for key, field_value in value.items():
        name = _NAMES.get(key)
        if name is None:
            raise BehaviourError(f"unknown field {_shown(key)}; there are {', '.join(_FIELDS)}")
        try:
            read[name] = _FIELDS[name](field_value)
        except BehaviourError as error:
            raise BehaviourError(f"{key}: {error}") from None
    return Behaviour(**read)


def shown_behaviour(behaviour: Behaviour) -> dict[str, Any]:
    """Returns a behaviour as a dictionary of JSON values for `read_behaviour`.

    A function becomes its name.
    """
    return {
        _camel(name): _json(value)
        for name in _FIELDS
        if (value := getattr(behaviour, name)) not in (None, {}, "*")
    }


def _json(value: Any) -> Any:
    if callable(value):
        return f"function {getattr(value, '__name__', '')}".strip()
    if value == NEVER:
        return "never"
    if isinstance(value, tuple):
        return ": ".join(value)
    if isinstance(value, ProbeFailure | ExecResult):
        fields = {_camel(name): getattr(value, name) for name in value.__struct_fields__}
        return {name: _json(each) for name, each in fields.items() if each not in (None, "")}
    if isinstance(value, Mapping):
        return {name: _json(each) for name, each in value.items()}
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def _read_file(path: Path) -> list[Behaviour]:
    try:
        return read_text(inputfile.read_text(path, FILE_MAX))
    except inputfile.UnreadableFile as error:
        raise BehaviourError(str(error)) from None
    except BehaviourError as error:
        raise BehaviourError(f"{path}: {error}") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise BehaviourError(f"must be a text, not {_shown(value)}")
    if len(value) > TEXT_MAX:
        raise BehaviourError(f"is longer than {TEXT_MAX} characters")
    return value


def _pattern(value: Any) -> str:
    if len(_text(value)) > PATTERN_MAX:
        raise BehaviourError(f"is longer than {PATTERN_MAX} characters")
    return _text(value)


def _labels(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise BehaviourError(f"must be a mapping of labels, not {_shown(value)}")
    return {_text(name): _text(label) for name, label in value.items()}


def _number(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise BehaviourError(f"must be a whole number from {low} to {high}, not {_shown(value)}")
        return value

    return read


def _seconds(value: Any) -> float:
    try:
        seconds = seconds_of_duration(value) if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        seconds = math.nan
    if isinstance(value, bool) or not 0 <= seconds < math.inf:
        raise BehaviourError(f"must be a duration such as 10s, not {_shown(value)}")
    return seconds


def _seconds_or_never(value: Any) -> float:
    return NEVER if value in ("never", NEVER) else _seconds(value)


def _start_error(value: Any) -> tuple[str, str]:
    if isinstance(value, tuple | list) and len(value) == 2:
        return _text(value[0]), _text(value[1])
    reason, _, message = _text(value).partition(":")
    return reason.strip(), message.strip()


def _probes(value: Any) -> dict[str, ProbeFailure]:
    kinds = ("startup", "liveness", "readiness")
    if not isinstance(value, Mapping) or not value.keys() <= set(kinds):
        raise BehaviourError(f"must be a mapping with the keys {', '.join(kinds)}, not {_shown(value)}")
    return {kind: _probe(failure) for kind, failure in value.items()}


def _probe(value: Any) -> ProbeFailure:
    if isinstance(value, ProbeFailure):
        return value
    if value in ("fail", True):
        return ProbeFailure()
    if not isinstance(value, Mapping) or not value.keys() <= {"after", "until", "output"}:
        raise BehaviourError(f"must be fail, or a mapping with after, until and output, not {_shown(value)}")
    until = value.get("until")
    return ProbeFailure(
        _seconds(value.get("after", 0)),
        None if until is None else _seconds(until),
        _text(value.get("output", "")),
    )


def _text_or_function(value: Any) -> Any:
    return value if callable(value) else _text(value)


def _exec(value: Any) -> Any:
    if isinstance(value, ExecResult):
        return value
    if isinstance(value, Mapping):
        if not value.keys() <= {"stdout", "stderr", "exitCode", "exit_code"}:
            raise BehaviourError(f"must have the keys stdout, stderr and exitCode, not {_shown(value)}")
        code = value.get("exitCode", value.get("exit_code", 0))
        stdout, stderr = (_text(value.get(name, "")) for name in ("stdout", "stderr"))
        return ExecResult(stdout, stderr, _EXIT_CODE(code))
    return _text_or_function(value)


_EXIT_CODE = _number(0, 255)
_FIELDS: dict[str, Callable[[Any], Any]] = {
    "image": _pattern,
    "container": _pattern,
    "pod": _pattern,
    "namespace": _pattern,
    "labels": _labels,
    "attempts": _number(0, 1_000_000),
    "start_after": _seconds,
    "start_error": _start_error,
    "after": _seconds_or_never,
    "exit_code": _EXIT_CODE,
    "reason": _text,
    "message": _text,
    "stop_after": _seconds_or_never,
    "stop_exit_code": _EXIT_CODE,
    "probes": _probes,
    "logs": _text_or_function,
    "exec": _exec,
    "ports": _text_or_function,
}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


_NAMES = {spelled: name for name in _FIELDS for spelled in (name, _camel(name))}


def _shown(value: Any) -> str:
    return printable_line(repr(value), _SHOWN)
