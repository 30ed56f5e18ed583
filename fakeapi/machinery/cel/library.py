"""The CEL parser of cel-expr-python (extra `cel`), loaded with the first expression.

cel-expr-python parses expressions, expands macros, and evaluates RE2 patterns, durations and timestamps. It
parses at most 32 nesting levels; Kubernetes allows 250.
"""

import threading
from functools import cache
from importlib.util import find_spec
from typing import Any

from fakeapi.machinery.cel.syntax import Parsed
from fakeapi.machinery.cel.wire import read_parsed
from fakeapi.machinery.lazy_pattern import lazy_pattern

MODULE = "cel_expr_python"
INSTALL = "it needs the extra cel, pip install 'fakeapi-k8s[cel]'"
"""Why an expression is not checked if MODULE is not installed, and what to do."""

_lock = threading.Lock()
"""Allows only one call of cel-expr-python at a time, because cel-expr-python may not be thread-safe."""


class SyntaxFault(ValueError):
    """A syntax error in an expression; the text has a line `ERROR: …` for each error of the parser."""


class DeeperThanLibrary(ValueError):
    """The expression is nested deeper than cel-expr-python can parse."""


def is_installed() -> bool:
    """Whether cel-expr-python is installed; does not load it."""
    return find_spec(MODULE) is not None


MACROS = {
    "bindings": "bindings",
    "lists": "lists",
    "optionals": "optional",
    "two variables": "two-var-comprehensions",
}
"""Names of cel-expr-python's parser extensions by CEL library. Contains only libraries with macros."""


def parse(text: str, libraries: frozenset[str]) -> Parsed:
    """Parses a CEL expression and expands the macros of `libraries`.

    Raises SyntaxFault for a syntax error. Raises DeeperThanLibrary if the expression is nested too deeply.
    """
    try:
        with _lock:
            return read_parsed(_parser(libraries).compile(text, disable_check=True).serialize())
    except RuntimeError as error:
        message = str(error)
    if any(fault in message for fault in _TOO_DEEP):
        raise DeeperThanLibrary(message)
    raise SyntaxFault(_STATUS.sub("", message))


_STATUS = lazy_pattern(r"\A[A-Z_]+: | \[[A-Z_]+\]\Z")
_TOO_DEEP = ("recursion limit exceeded", "max recursion depth")


def fault_in(function: str, text: str) -> str:
    """Calls a function of CALLS with a string, and returns the error; "" if the call succeeds."""
    with _lock:
        result = _evaluator(function).eval(data={"text": text})
        return _STATUS.sub("", str(result.value())) if result.type().name() == "ERROR" else ""


def matches(text: str, pattern: str) -> bool:
    """Whether a valid RE2 pattern matches any part of a text."""
    with _lock:
        return bool(
            _pattern_call("text.matches(pattern)").eval(data={"text": text, "pattern": pattern}).value()
        )


def found_all(text: str, pattern: str) -> list[str]:
    """Returns all matches of an RE2 pattern's only capturing group, in order."""
    with _lock:
        call = _pattern_call("regex.extractAll(text, pattern)")
        return list(call.eval(data={"text": text, "pattern": pattern}).plain_value())


CALLS = {
    "matches": "''.matches(text)",
    "duration": "duration(text)",
    "timestamp": "timestamp(text)",
}


@cache
def _parser(libraries: frozenset[str]) -> Any:
    from cel_expr_python import cel  # noqa: PLC0415 - loaded with the first expression

    names = [f"  - name: {theirs}\n" for name, theirs in MACROS.items() if name in libraries]
    config = "extensions:\n" + "".join(names) if names else "{}"
    return cel.NewEnv(config=cel.NewEnvConfigFromYaml(config))


@cache
def _evaluator(function: str) -> Any:
    from cel_expr_python import cel  # noqa: PLC0415 - loaded with the first expression

    return cel.NewEnv(variables={"text": cel.Type.STRING}).compile(CALLS[function])


@cache
def _pattern_call(expression: str) -> Any:
    from cel_expr_python import cel  # noqa: PLC0415 - loaded with the first expression

    config = cel.NewEnvConfigFromYaml("extensions:\n  - name: optional\n  - name: regex\n")
    variables = {"text": cel.Type.STRING, "pattern": cel.Type.STRING}
    return cel.NewEnv(variables=variables, config=config).compile(expression)
