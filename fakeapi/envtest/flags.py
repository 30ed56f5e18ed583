"""Parses a command line like github.com/spf13/pflag, the library of Kubernetes' programs."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from fakeapi.machinery.lazy_pattern import lazy_pattern


class FlagError(ValueError):
    """Raised for an invalid command line. The message equals the message of pflag."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag of a program.

    - `name`: the name without dashes.
    - `type`: the type of the flag's value, as in help texts: "string", "bool", "duration", "int" and so on.
    - `shorthand`: the letter of the short form, such as "v" for `-v`; "" without a short form.
    - `alone`: the value of `--name` without a value; None if the flag needs a value.
    """

    name: str
    type: str
    shorthand: str = ""
    alone: str | None = None


@dataclass(slots=True)
class Values:
    """The values of the flags on a command line, by flag name, in the order of the command line."""

    given: dict[str, list[str]] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        return name in self.given

    def text(self, name: str, default: str = "") -> str:
        """Returns the last value of a flag; `default` if the command line does not have the flag."""
        return self.given.get(name, [default])[-1]

    def texts(self, name: str) -> list[str]:
        """Returns all values of a repeated flag, in order."""
        return self.given.get(name, [])

    def items(self, name: str) -> list[str]:
        """Returns the items of a flag whose values are comma-separated lists.

        Raises FlagError if a quote in a value is not closed or is misplaced.
        """
        try:
            return [
                item for value in self.texts(name) if value for item in next(csv.reader(io.StringIO(value)))
            ]
        except csv.Error as error:
            raise invalid(name, value=",".join(self.texts(name)), reason=str(error)) from error

    def flag(self, name: str, *, default: bool) -> bool:
        """Returns the value of a boolean flag; `default` if the command line does not have the flag."""
        return _BOOLEANS[self.text(name, "true" if default else "false")]


_BOOLEANS: Final = dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True) | dict.fromkeys(
    ("0", "f", "F", "FALSE", "false", "False"), False
)
"""Maps each text that Go's `strconv.ParseBool` accepts to its value."""

_DURATION = lazy_pattern(r"[+-]?(0|(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+")
_FLOAT = lazy_pattern(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_PATTERNS: Final = {
    "bool": (re.compile("|".join(_BOOLEANS)), "strconv.ParseBool"),
    "int": (re.compile(r"[+-]?\d+"), "strconv.ParseInt"),
    "int64": (re.compile(r"[+-]?\d+"), "strconv.ParseInt"),
    "uint": (re.compile(r"\d+"), "strconv.ParseUint"),
    "float32": (_FLOAT, "strconv.ParseFloat"),
    "float64": (_FLOAT, "strconv.ParseFloat"),
}
"""Maps each flag type to the pattern of valid values, and to the Go function that errors name.

Types without an entry accept any text, except `duration`, which has the pattern `_DURATION`.
"""


def invalid(name: str, value: str, reason: str) -> FlagError:
    """Returns pflag's error for an invalid value of a flag.

    - `name`: the name of the flag without dashes.
    - `reason`: the reason why the value is invalid, such as the error of a Go function.
    """
    return FlagError(f'invalid argument "{value}" for "--{name}" flag: {reason}')


def read(arguments: Sequence[str], flags: Iterable[Flag]) -> Values:
    """Parses the flags of a command line without the program name; returns their values.

    Accepts `--name=value`, `--name value`, and `--name` for flags that need no value, such as booleans. In
    names, an underscore is the same as a dash, as in Kubernetes' programs. Raises FlagError for an unknown
    flag, for a missing or invalid value, and for an argument that is not a flag.
    """
    by_name = {flag.name: flag for flag in flags}
    by_letter = {flag.shorthand: flag for flag in by_name.values() if flag.shorthand}
    values = Values()
    rest = list(reversed(arguments))
    while rest:
        argument = rest.pop()
        if argument == "--":
            rest.reverse()
            _refuse_words(rest)
            break
        if argument.startswith("--"):
            name, sign, value = argument[2:].partition("=")
            _add(values, _named(by_name, name), value if sign else None, rest, f"--{name}")
        elif argument.startswith("-") and len(argument) > 1:
            _read_letters(values, argument, by_letter, rest)
        else:
            _refuse_words([argument, *reversed(rest)])
    return values


def _named(by_name: Mapping[str, Flag], name: str) -> Flag:
    if not name or name[0] in "-=":
        raise FlagError(f"bad flag syntax: --{name}")
    flag = by_name.get(name.replace("_", "-"))
    if flag is None:
        raise FlagError(f"unknown flag: --{name}")
    return flag


def _read_letters(values: Values, argument: str, by_letter: Mapping[str, Flag], rest: list[str]) -> None:
    """Parses flags in short form, such as `-v 4`, `-v=4`, `-v4`, or several boolean flags in one argument.

    - `argument`: the argument of the command line.
    - `by_letter`: the flags by shorthand.
    - `rest`: the arguments after `argument`, in reverse order. Removes the value of the flag if it is there.

    Raises FlagError for an unknown letter, and for a missing or invalid value.
    """
    flag, value = by_letter.get(argument[1]), argument[2:]
    if flag is None:
        raise FlagError(f"unknown shorthand flag: {argument[1]!r} in {argument}")
    if value and flag.alone is not None and not value.startswith("="):
        _add(values, flag, flag.alone, rest, argument)
        _read_letters(values, f"-{value}", by_letter, rest)
        return
    _add(values, flag, value.removeprefix("=") or None, rest, f"{argument[1]!r} in {argument}")


def _add(values: Values, flag: Flag, value: str | None, rest: list[str], shown: str) -> None:
    if value is None:
        value = flag.alone
    if value is None:
        if not rest:
            raise FlagError(f"flag needs an argument: {shown}")
        value = rest.pop()
    pattern = _PATTERNS.get(flag.type)
    if pattern is not None and not pattern[0].fullmatch(value):
        raise invalid(flag.name, value, f'{pattern[1]}: parsing "{value}": invalid syntax')
    if flag.type == "duration" and not _DURATION.fullmatch(value):
        raise invalid(flag.name, value, f'time: invalid duration "{value}"')
    values.given.setdefault(flag.name, []).append(value)


def _refuse_words(words: Sequence[str]) -> None:
    if any(words):
        raise FlagError(f'"kube-apiserver" does not take any arguments, got {list(words)!r}')
