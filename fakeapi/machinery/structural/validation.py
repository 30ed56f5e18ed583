"""Validates values by an OpenAPI schema, with the errors of kube-apiserver.

Follows k8s.io/kube-openapi `pkg/validation/validate` and k8s.io/apiextensions-apiserver
`pkg/apiserver/validation`.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from fakeapi.machinery.cel import allowance
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.golang.numbers import INT64_MAX, INT64_MIN
from fakeapi.machinery.golang.regexp.matching import compile_regexp
from fakeapi.machinery.structural.correlation import Correlated
from fakeapi.machinery.structural.equality import same
from fakeapi.machinery.structural.formats import NUMBER_FORMATS, format_check, knows_format
from fakeapi.machinery.structural.numbers import is_whole, number_problems
from fakeapi.machinery.structural.results import Problem, Reporter, Result
from fakeapi.machinery.structural.rules import NEWEST, SchemaRules
from fakeapi.machinery.structural.schema import Schema


class Nothing:
    """The type of `NOTHING`, which is the default of arguments that may be None."""


NOTHING: Final = Nothing()
"""Stands for the old value of an object that is being created. None would mean that the old value is null."""

_MATCHES_OF_PLAIN_TEXT = 7
"""The number of checks that `_Walk.checked` passes for a string without a format."""

_BRANCH_UNITS = 10
"""Units of an `Allowance` that each branch of anyOf, oneOf and allOf costs: about 15 microseconds.

Branches cost units because the schema of a small object may have many branches.
"""


def validate(
    value: Any,
    schema: Schema,
    path: str = "",
    *,
    old: Any = NOTHING,
    rules: SchemaRules = NEWEST,
    is_default: bool = False,
) -> list[FieldError]:
    """Validates a JSON value by a schema; returns errors in upstream's order, members sorted by name.

    Other modules validate duplicate list items (`list_types`), metadata (`object_meta`) and CEL rules. Raises
    AllowanceSpent if the current `Allowance` is used up.

    - `path`: the path of the value, a prefix of the paths of errors.
    - `old`: the value before an update. If `rules.ratchets` is True, unchanged parts have no errors.
    - `is_default`: whether the value is a default in a CustomResourceDefinition. All formats are then
      validated, including those that the release ignores in objects.
    """
    walk = _Walk(Reporter(path, rules), rules, is_default, allowance.current())
    if old is not NOTHING and rules.ratchets:
        return walk.errors(walk.ratcheted(Correlated(value, old, schema, rules), schema, ""))
    return walk.errors(walk.checked(value, schema, ""))


class _Facts(msgspec.Struct, frozen=True):
    """The types and the format that one schema node allows in one release.

    Defaults in CustomResourceDefinitions and values in objects have separate instances, because a release
    may ignore the format in objects only.

    - `types`: the allowed JSON types; empty for any type.
    - `format`: the name of the format; "" without a format, or if the release ignores the format.
    - `check_format`: validates a string by the format; None if strings are not validated.
    - `number_type`, `number_format`: the type and format that limit the range of numbers; "" without limits.
    - `is_plain_text`: whether the node allows all strings up to its `max_length`, and no other values.
    """

    types: tuple[str, ...]
    format: str
    check_format: Callable[[str], bool] | None
    number_type: str
    number_format: str
    is_plain_text: bool


class _Walk(msgspec.Struct, frozen=True):
    report: Reporter
    rules: SchemaRules
    is_default: bool
    allowance: allowance.Allowance | None

    def errors(self, result: Result) -> list[FieldError]:
        return [problem.error for problem in result.problems]

    def ratcheted(self, node: Correlated, schema: Schema, path: str) -> Result:
        """Validates a value that has an old value. If the value is unchanged, the result has no problems."""
        result = self.checked(node.value, schema, path, node)
        if result.problems and node.is_unchanged():
            forgiven = Result()
            forgiven.matches = result.matches
            return forgiven
        return result

    def checked(self, value: Any, schema: Schema, path: str, node: Correlated | None = None) -> Result:
        """Validates a value by a schema.

        `node`: pairs the value, its members and items with old values; None without old values.
        """
        result = Result()
        facts = self._facts(schema)
        if type(value) is int and not INT64_MIN <= value <= INT64_MAX:
            value = float(value)
        if value is None:
            self._check_type(value, facts, schema, path, result)
            self._check_enum(value, schema, path, result)
            return result
        if facts.types or facts.format:
            self._check_type(value, facts, schema, path, result)
            result.matches += 1
        self._check_branches(value, schema, path, result)
        match value:
            case str():
                self._check_text(value, facts, schema, path, result)
            case bool():
                pass
            case int() | float():
                kinds = facts.number_type, facts.number_format
                for problem in number_problems(value, schema, path, self.report, *kinds):
                    result.add(problem)
                result.matches += 2
            case list():
                self._check_list(value, schema, path, result, node)
                result.matches += 2
        self._check_enum(value, schema, path, result)
        result.matches += 1
        if isinstance(value, dict):
            self._check_object(value, schema, path, result, node)
            result.matches += 1
        result.matches += 1
        return result

    def _facts(self, schema: Schema) -> _Facts:
        key = (self.rules, self.is_default)
        facts = schema.walks.get(key)
        if facts is None:
            facts = schema.walks[key] = _facts_of(schema, self.rules, self.is_default)
        return facts

    def _check_type(self, value: Any, facts: _Facts, schema: Schema, path: str, result: Result) -> None:
        wrong = _wrong_type(value, facts, schema)
        if wrong is None:
            result.matches += 1
        else:
            result.add(self.report.wrong_type(path, *wrong))

    def _check_branches(self, value: Any, schema: Schema, path: str, result: Result) -> None:
        branches = len(schema.any_of) + len(schema.one_of) + len(schema.all_of)
        if branches and self.allowance is not None:
            self.allowance.pay(branches * _BRANCH_UNITS)
        if schema.any_of:
            self._check_any(value, schema, path, result)
        if schema.one_of:
            self._check_one(value, schema, path, result)
        if schema.all_of:
            self._check_all(value, schema, path, result)
        if schema.not_ is not None and not self.checked(value, schema.not_, path).problems:
            result.add(self.report.unplaced(f'"{path}" must not validate the schema (not)'))
        result.matches += 2

    def _check_any(self, value: Any, schema: Schema, path: str, result: Result) -> None:
        best: Result | None = None
        for branch in schema.any_of:
            result_of_branch = self.checked(value, branch, path)
            if not result_of_branch.problems:
                result.merge(result_of_branch)
                return
            if best is None or result_of_branch.matches > best.matches:
                best = result_of_branch
        result.add(self.report.unplaced(f'"{path}" must validate at least one schema (anyOf)'))
        if best is not None:
            result.merge(best)

    def _check_one(self, value: Any, schema: Schema, path: str, result: Result) -> None:
        best: Result | None = None
        first: Result | None = None
        valid = 0
        for branch in schema.one_of:
            result_of_branch = self.checked(value, branch, path)
            if not result_of_branch.problems:
                valid += 1
                best = None
                first = first or result_of_branch
            elif not valid and (best is None or result_of_branch.matches > best.matches):
                best = result_of_branch
        if valid == 1 and first is not None:
            result.merge(first)
            return
        how_many = "Found none valid" if not valid else f"Found {valid} valid alternatives"
        message = f'"{path}" must validate one and only one schema (oneOf). {how_many}'
        result.add(self.report.unplaced(message))
        if best is not None:
            result.merge(best)

    def _check_all(self, value: Any, schema: Schema, path: str, result: Result) -> None:
        valid = 0
        for branch in schema.all_of:
            result_of_branch = self.checked(value, branch, path)
            valid += not result_of_branch.problems
            result.merge(result_of_branch)
        if valid != len(schema.all_of):
            none = "" if valid else ". None validated"
            result.add(self.report.unplaced(f'"{path}" must validate all the schemas (allOf){none}'))

    def _check_text(self, value: str, facts: _Facts, schema: Schema, path: str, result: Result) -> None:
        problem = self._text_problem(value, schema, path)
        if problem is not None:
            result.add(problem)
        result.matches += 1
        if facts.check_format is not None:
            if not facts.check_format(value):
                result.add(self.report.wrong_type(path, facts.format, value))
            result.matches += 1

    def _text_problem(self, value: str, schema: Schema, path: str) -> Problem | None:
        if schema.max_length is not None and len(value) > schema.max_length:
            return self.report.too_long(path, schema.max_length)
        if schema.min_length is not None and len(value) < schema.min_length:
            message = f"{path} in body should be at least {schema.min_length} chars long"
            return self.report.invalid(path, value, message)
        if schema.pattern and not compile_regexp(schema.pattern).search(value):
            return self.report.invalid(path, value, f"{path} in body should match '{schema.pattern}'")
        return None

    def _check_enum(self, value: Any, schema: Schema, path: str, result: Result) -> None:
        if schema.enum and not any(_equals(value, allowed) for allowed in schema.enum):
            result.add(self.report.not_in_enum(path, value, schema.enum))

    def _check_list(
        self, value: list[Any], schema: Schema, path: str, result: Result, node: Correlated | None
    ) -> None:
        if isinstance(schema.items, Schema):
            for index, item in enumerate(value):
                child = node.item(index) if node is not None else None
                result.merge(self._below(item, schema.items, f"{path}[{index}]", child))
        size = len(value)
        if schema.min_items is not None and size < schema.min_items:
            message = f"{path} in body should have at least {schema.min_items} items"
            result.add(self.report.invalid(path, size, message))
        if schema.max_items is not None and size > schema.max_items:
            result.add(self.report.too_many(path, size, schema.max_items, "items"))
        if schema.unique_items and _has_duplicates(value):
            result.add(self.report.invalid(path, None, f"{path} in body shouldn't contain duplicates"))

    def _check_object(
        self, value: dict[str, Any], schema: Schema, path: str, result: Result, node: Correlated | None
    ) -> None:
        counts = list(self._count_problems(len(value), schema, path))
        if counts and self.rules.count_of_properties_ends_check:
            result.add(counts[0])
            return
        for problem in counts:
            result.add(problem)
        others = schema.additional_properties
        if others is False:
            for name in sorted(value):
                if name not in schema.properties:
                    message = f"{path}.{name} in body is a forbidden property"
                    result.add(self.report.invalid(path, name, message))
        elif isinstance(others, Schema):
            for name in sorted(value):
                if name not in schema.properties:
                    child = self._member(node, name, path)
                    result.merge(self._below(value[name], others, f"{path}.{name}", child))
        if schema.properties:
            for name in sorted(schema.properties.keys() & value.keys()):
                if self._is_valid_text(value[name], schema.properties[name]):
                    result.matches += _MATCHES_OF_PLAIN_TEXT
                    continue
                at = f"{path}.{name}" if path else name
                child = self._member(node, name, path)
                result.merge(self._below(value[name], schema.properties[name], at, child))
        for name in schema.required:
            if name not in value:
                result.add(self.report.required(f"{path}.{name}"))

    def _is_valid_text(self, value: Any, schema: Schema) -> bool:
        """Whether a value is a string that passes all checks of `checked`. Most members of objects are.

        If False, the value may be valid too.
        """
        if type(value) is not str or not self._facts(schema).is_plain_text:
            return False
        return schema.max_length is None or len(value) <= schema.max_length

    def _count_problems(self, size: int, schema: Schema, path: str) -> Iterator[Problem]:
        if schema.min_properties is not None and size < schema.min_properties:
            message = f"{path} in body should have at least {schema.min_properties} properties"
            yield self.report.invalid(path, size, message)
        if schema.max_properties is not None and size > schema.max_properties:
            yield self.report.too_many(path, size, schema.max_properties, "properties")

    def _member(self, node: Correlated | None, name: str, path: str) -> Correlated | None:
        if node is None or (not path and name in ("kind", "apiVersion")):
            return None
        return node.member(name)

    def _below(self, value: Any, schema: Schema, path: str, node: Correlated | None) -> Result:
        if node is None:
            return self.checked(value, schema, path)
        return self.ratcheted(node, schema, path)


def _facts_of(schema: Schema, rules: SchemaRules, is_default: bool) -> _Facts:  # noqa: FBT001 - private
    types: tuple[str, ...] = (schema.type,) if schema.type else ()
    if schema.int_or_string and not is_default:
        types = ("integer", "string")
    only = types[0] if len(types) == 1 else ""
    if is_default or knows_format(schema, types, rules):
        format_, check = schema.format, format_check(schema.format, rules)
    else:
        format_, check = "", None
    number_type = only if only in NUMBER_FORMATS and rules.formats_follow_types else ""
    number_format = format_ if format_ in NUMBER_FORMATS.get(number_type, ()) else ""
    is_plain_text = types == ("string",) and not (format_ or check or _has_more_checks(schema))
    return _Facts(types, format_, check, number_type, number_format, is_plain_text)


def _has_more_checks(schema: Schema) -> bool:
    """Whether a schema checks strings by more than their type, format and maximum length."""
    branches = schema.any_of or schema.one_of or schema.all_of or schema.not_ is not None
    return bool(branches or schema.pattern or schema.min_length is not None or schema.enum)


def _wrong_type(value: Any, facts: _Facts, schema: Schema) -> tuple[str, str] | None:
    """Returns (expected type, actual type) if a value has a wrong type or format; None for other values."""
    types, format_ = facts.types, facts.format
    expected = ",".join(types)
    if value is None:
        return (expected, "null") if types and "null" not in types and not schema.nullable else None
    actual, found_format = _type_of(value)
    is_number = actual == "number" and "integer" in types and is_whole(value)
    fits = actual in types or is_number or (actual == "integer" and "number" in types)
    if format_ and not isinstance(value, str | list) and not fits and found_format != format_:
        return format_, found_format
    if format_ and isinstance(value, str | list) and "number" not in types and "integer" not in types:
        return None
    return None if fits else (expected, actual)


def _type_of(value: Any) -> tuple[str, str]:
    """Returns (JSON type of a value, Go type of a number: "int64" or "float64"; "" for other values)."""
    match value:
        case bool():
            return "boolean", ""
        case str():
            return "string", ""
        case int():
            return "integer", "int64"
        case float():
            return "number", "float64"
        case list():
            return "array", ""
        case _:
            return "object", ""


def _equals(value: Any, allowed: Any) -> bool:
    """Whether a value equals an enum value, after Go's conversions between numbers and from int to string."""
    if value is None or allowed is None:
        return False
    match value, allowed:
        case (bool(), _) | (_, bool()):
            return value is allowed
        case int(), str():
            return (chr(value) if _is_character(value) else "\ufffd") == allowed
        case float(), int():
            return abs(value) < INT64_MAX and int(value) == allowed
        case int(), float():
            return float(value) == allowed
        case _:
            return same(value, allowed)


def _is_character(code: int) -> bool:
    return 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF


def _has_duplicates(items: list[Any]) -> bool:
    return any(same(one, other) for index, one in enumerate(items) for other in items[:index])
