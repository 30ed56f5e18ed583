"""Predicts the results of simple Job commands: sleep, exit, true, false and echo, also inside `sh -c`."""

import shlex
from collections.abc import Sequence

from fakeapi.controllers.kubelet.containers.behaviour import NEVER, Behaviour
from fakeapi.machinery.lazy_pattern import lazy_pattern

SHELLS = frozenset({"sh", "bash", "ash", "dash"})
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_SLEEP = lazy_pattern(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)([smhd]?)")
_STATEMENTS = lazy_pattern(r"\s*(?:;|&&|\n)\s*")
SCRIPT_MAX = 1000
"""Maximum number of characters in a script. A longer script has no predicted result."""


def plain_behaviour(command: Sequence[str]) -> Behaviour | None:
    """Returns the exit and the output of a simple command; None if the command is not simple.

    `command`: the command and the arguments of the container.
    """
    if not command:
        return None
    if command[0].rpartition("/")[2] in SHELLS:
        if len(command) != 3 or command[1] not in {"-c", "-ec"} or len(command[2]) > SCRIPT_MAX:
            return None
        try:
            statements = [
                shlex.split(text) for text in _STATEMENTS.split(command[2].strip().rstrip(";")) if text
            ]
        except ValueError:
            return None
    else:
        statements = [list(command)]
    return _result(statements)


def _result(statements: list[list[str]]) -> Behaviour | None:
    after, code, output = 0.0, 0, ""
    for words in statements:
        name, arguments = words[0].rpartition("/")[2], words[1:]
        if any(set(word) & set("$`|<>*&(){}") for word in words):
            return None
        if name == "sleep" and arguments:
            seconds = _seconds(arguments)
            if seconds is None:
                return None
            after += seconds
        elif name == "exit" and len(arguments) == 1 and arguments[0].isdecimal():
            return Behaviour(after=after, exit_code=int(arguments[0][:4]) % 256, logs=output)
        elif name in {"true", "false"}:
            code = int(name == "false")
            if code and len(statements) > 1:
                return None
        elif name == "echo":
            output += " ".join(arguments) + "\n"
        else:
            return None
    return Behaviour(after=after, exit_code=code, logs=output)


def _seconds(arguments: list[str]) -> float | None:
    total = 0.0
    for text in arguments:
        match = _SLEEP.fullmatch(text)
        if text in {"infinity", "inf"}:
            total = NEVER
        elif match is None:
            return None
        else:
            total += float(match[1]) * _UNITS[match[2]]
    return total
