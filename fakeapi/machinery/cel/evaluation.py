"""Evaluates CEL expressions with cel-expr-python (extra `cel`), with the errors of cel-go.

The library knows the standard functions and the common extensions, and none of Kubernetes' own: expressions
that call one of those, such as `quantity` or the authorizer, are not evaluated.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from fakeapi.machinery.cel import library
from fakeapi.machinery.cel.declarations import KUBERNETES, functions_of

_EXTENSIONS = ("strings", "sets", "optional", "bindings", "two-var-comprehensions")
_OWN_LIBRARIES = KUBERNETES | {"addresses", "formats", "authorization selectors"}
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_TEXT = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_NO_KEY = re.compile(r'Key not found in map : "(.*)"\Z', re.DOTALL)
_INDEX = re.compile(r"Index error: index=(-?\d+) size=\d+\Z")
_STATUS = re.compile(r"\A[A-Z_]+: ")
_KNOWN_ERRORS = {"divide by zero": "division by zero", "modulus by zero": "modulus by zero"}


@dataclass(frozen=True, slots=True)
class Value:
    """The result of an expression: a dict, list, str, number, bool or None."""

    value: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """The expression failed, in cel-go's words."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The expression needs what cannot be evaluated here."""

    reason: str


Outcome = Value | Failed | Unsupported


def evaluate(text: str, variables: Mapping[str, Any]) -> Outcome:
    """The outcome of an expression that compiles. Variables are plain values, by name."""
    if not library.is_installed():
        return Unsupported("it takes the extra cel, pip install 'fakeapi-k8s[cel]'")
    own = _own_functions() & set(_CALLED.findall(_TEXT.sub("''", text)))
    if own:
        return Unsupported(f"it calls {min(own)}")
    try:
        result = library.evaluated(text, tuple(sorted(variables)), _EXTENSIONS, dict(variables))
    except RuntimeError as error:
        return Unsupported(str(error))
    if result.type().name() == "ERROR":
        return Failed(_in_go_words(str(result.value())))
    return Value(result.plain_value())


def _in_go_words(message: str) -> str:
    message = _STATUS.sub("", message)
    if key := _NO_KEY.search(message):
        return f"no such key: {key[1]}"
    if index := _INDEX.search(message):
        return f"index out of bounds: {index[1]}"
    if message.startswith("No matching overloads found"):
        return "no such overload"
    if message == "Applying SELECT to non-message type":
        return "no such key"
    return _KNOWN_ERRORS.get(message, message)


@cache
def _own_functions() -> frozenset[str]:
    """Names of functions that Kubernetes adds, and nobody else has."""
    common = frozenset(
        ("standard", "strings", "formatting", "sets", "optionals", "bindings", "two variables")
    )
    added = set(functions_of(_OWN_LIBRARIES)) - set(functions_of(common))
    return frozenset(name.rpartition(".")[2] for name in added)
