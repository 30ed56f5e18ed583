"""Option: the metadata of an option of a server, and the check of its value."""

import re
from dataclasses import Field, dataclass, field
from math import inf
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin

_ENVIRONMENT = "FAKEAPI_"


@dataclass(frozen=True, slots=True)
class Option:
    """The metadata of an option. The type and the default of the option are in its field of Settings.

    - `flag`: the flag of `fakeapi serve`; empty if the command does not have the option.
    - `also`: other names of the flag.
    - `unset`: a description of the default for help texts, if the value does not explain itself.
    - `bounds`: the lowest and the highest allowed number. None instead of the highest number: no upper limit.
      None instead of both: all numbers are allowed.
    - `is_file`: whether the value is the path of a file.
    - `is_duration`: whether the option's text can have a unit (10ms). A number without a unit is in seconds.
    - `is_shared`: whether one server with this option can serve several tests, one after the other. Other
      options need something outside the server, such as a file.
    - `command_line_default`: the default of `fakeapi serve`, if it differs from the default of Settings.
    """

    help: str
    flag: str = ""
    also: tuple[str, ...] = ()
    metavar: str = ""
    unset: str = ""
    bounds: tuple[float, float | None] | None = None
    is_file: bool = False
    is_duration: bool = False
    is_shared: bool = True
    command_line_default: Any = None

    @property
    def environment(self) -> str:
        """The name of the option's environment variable for `fakeapi serve`, such as FAKEAPI_DB for --db."""
        return _ENVIRONMENT + self.flag.removeprefix("--").replace("-", "_").upper()


def option_field(default: Any, help: str, flag: str = "", **more: Any) -> Any:  # noqa: A002 - the name in click
    return field(default=default, metadata={"option": Option(help, flag, **more)})


def check_option(of: Field[Any], option: Option, value: Any) -> None:
    """Raises ValueError if a value has the wrong type for its option or is out of the option's bounds.

    Does not check feature gates, and options whose type is imported only for type checkers.
    """
    if isinstance(of.type, str) or (of.name == "feature_gates" and value is not None):
        return  # the code that uses the option checks it
    if get_origin(of.type) is Literal:
        if value not in get_args(of.type):
            raise ValueError(f"{of.name}: {value!r} is not one of {', '.join(get_args(of.type))}")
        return
    members = get_args(of.type) if isinstance(of.type, UnionType) else (of.type,)
    kinds = [kind for member in members for kind in _KINDS.get(member, (get_origin(member) or member,))]
    wrong = not isinstance(value, tuple(kinds)) or (isinstance(value, bool) and bool not in kinds)
    if wrong:
        known = (get_origin(member) or member for member in members if member is not NoneType)
        names = [kind.__name__ for kind in known]
        hint = _quoting_hint(of.name, value) if names == ["str"] else ""
        raise ValueError(f"{of.name}: {value!r} is not of type {' or '.join(names)}{hint}")
    if option.bounds is not None and value is not None:
        low, high = option.bounds
        if not low <= value <= (inf if high is None else high):
            bounds = f"less than {low}" if high is None else f"not from {low} to {high}"
            raise ValueError(f"{of.name}: {value} is {bounds}")


def _quoting_hint(name: str, value: Any) -> str:
    """Returns the end of an error message for a number instead of text; "" for any other value.

    Python reads 1.30 as the number 1.3, so the hint for a float has two decimals.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    if isinstance(value, float):
        return f': quote it, for example {name}="{value:.2f}"'
    return f': quote it: {name}="{value}"'


_KINDS: dict[Any, Any] = {float: (int, float), Path: (PathLike,)}
"""Maps types of options to the accepted Python types, if both differ: float also accepts int."""


def seconds_of_duration(text: str) -> float:
    """Returns the seconds of a duration such as 10ms, 0.5s, 1m or 2h. A number without a unit is in seconds.

    Raises ValueError for any other text.
    """
    read = _DURATION.fullmatch(text)
    if read is None:
        raise ValueError(f"{text!r} is not a duration such as 10ms or 0.5s")
    return float(read[1]) * _SECONDS[read[2] or "s"]


_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|s|m|h)?")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def flag_of(text: str) -> bool:
    try:
        return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
    except KeyError:
        raise ValueError(text) from None
