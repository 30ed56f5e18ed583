"""Results of validating a value against a schema, with the errors of the API server.

Follows k8s.io/kube-openapi `pkg/validation/validate` (Result) and `pkg/validation/errors`. Field errors
follow k8s.io/apiextensions-apiserver `pkg/apiserver/validation`.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from fakeapi.machinery.field_errors import FieldError, not_supported, too_many
from fakeapi.machinery.field_errors import too_long as too_long_error
from fakeapi.machinery.golang.fmt import printed, shortest_float
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.golang.numbers import rewritten
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.structural.rules import SchemaRules

NO_PATH = "<nil>"
"""Upstream's text in place of the path, for errors of the whole object and errors without a path."""


_EXPONENT = lazy_pattern(r"e([0-9])")


class Problem(NamedTuple):
    """A validation error. Problems with the same `message` are reported only once."""

    message: str
    error: FieldError


class Result:
    """The result of validating a value against a schema.

    - `problems`: the problems in order, without repetitions.
    - `matches`: the number of passed checks. If all schemas of an anyOf or oneOf fail, only the schema with
      the most matches reports problems.
    """

    __slots__ = ("_seen", "matches", "problems")

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.matches = 0
        self._seen: set[str] | None = None

    def add(self, problem: Problem) -> None:
        if self._seen is None:
            self._seen = {earlier.message for earlier in self.problems}
        if problem.message not in self._seen:
            self._seen.add(problem.message)
            self.problems.append(problem)

    def merge(self, other: "Result") -> None:
        for problem in other.problems:
            self.add(problem)
        self.matches += other.matches


class Reporter(msgspec.Struct, frozen=True):
    """Creates `Problem` objects for the validation of one value.

    `base`: the path of the validated value, a prefix of all paths; empty for a whole object.
    """

    base: str
    rules: SchemaRules

    def invalid(self, path: str, value: Any, message: str) -> Problem:
        return self._problem("FieldValueInvalid", path, "" if value is None else value, message)

    def wrong_type(self, path: str, expected: str, actual: str) -> Problem:
        message = f"{path} in body must be of type {expected}: {quote(actual)}"
        return self._problem("FieldValueTypeInvalid", path, actual, message)

    def required(self, path: str) -> Problem:
        error = FieldError("FieldValueRequired", self._field(path), "Required value")
        return Problem(f"{path} in body is required", error)

    def not_in_enum(self, path: str, value: Any, allowed: Iterable[Any]) -> Problem:
        allowed = list(allowed)
        texts = [one if isinstance(one, str) else as_json(one) for one in allowed]
        error = not_supported(self._field(path), shown(value, self.rules), texts)
        return Problem(f"{path} in body should be one of {printed(allowed)}", error)

    def too_long(self, path: str, most: int) -> Problem:
        message = f"{path} in body should be at most {most} chars long"
        return Problem(message, too_long(self._field(path), most, self.rules))

    def too_many(self, path: str, actual: int, most: int, noun: str) -> Problem:
        error = too_many(self._field(path), actual, most)
        if most == 1 and self.rules.one_is_singular:
            error = replace(error, body=error.body.removesuffix("s"))
        return Problem(f"{path} in body should have at most {most} {noun}", error)

    def unplaced(self, message: str) -> Problem:
        """Returns a problem with the path `base`. The message may contain another path."""
        return Problem(message, FieldError("FieldValueInvalid", self.base or NO_PATH, _body("", message)))

    def _problem(self, reason: str, path: str, value: Any, message: str) -> Problem:
        return Problem(
            message, FieldError(reason, self._field(path), _body(shown(value, self.rules), message))
        )

    def _field(self, path: str) -> str:
        name = path.removeprefix(".") if path != "." else ""
        if not name:
            return self.base or NO_PATH
        return f"{self.base}.{name}" if self.base else name


def _body(value: Any, message: str) -> str:
    return f"Invalid value: {value if isinstance(value, Dump) else quote(value)}: {message}"


def too_long(field: str, most: int, rules: SchemaRules) -> FieldError:
    wording = rules.too_long
    if most == 1 and rules.one_is_singular:
        wording = wording.removesuffix("s")
    return too_long_error(field, most, wording)


def shown(value: Any, rules: SchemaRules) -> str | Dump:
    """Formats a JSON value for an error: returns a str that must be quoted, or a `Dump` that must not."""
    match value:
        case str():
            return value
        case bool() | int():
            return Dump(printed(value))
        case float():
            return Dump(shortest_float(value))
        case None:
            return Dump("null") if rules.words.json_values else "null"
        case _:
            return Dump(as_json(value) if rules.words.json_values else go_literal(value))


def as_json(value: Any) -> str:
    """Formats a JSON value like Go's json.Marshal."""
    match value:
        case dict():
            return "{" + ",".join(f"{as_json(name)}:{as_json(value[name])}" for name in sorted(value)) + "}"
        case list():
            return "[" + ",".join(map(as_json, value)) + "]"
        case float():
            return _EXPONENT.sub(r"e+\1", go_encode(rewritten(value)).decode())
        case _:
            return go_encode(value).decode()


def go_literal(value: Any) -> str:
    """Formats a JSON value like Go's `%#v`."""
    match value:
        case None:
            return "interface {}(nil)"
        case str():
            return quote(value)
        case list():
            return "[]interface {}{" + ", ".join(map(go_literal, value)) + "}"
        case dict():
            members = (f"{quote(name)}:{go_literal(value[name])}" for name in sorted(value))
            return "map[string]interface {}{" + ", ".join(members) + "}"
        case _:
            return printed(value)
