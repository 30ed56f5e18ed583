"""Parses `labelSelector` parameters and matches labels against them.

Follows k8s.io/apimachinery `pkg/labels/selector.go`, for all releases alike.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

import msgspec

from fakeapi.machinery.field_errors import FieldError, first_words, invalid
from fakeapi.machinery.golang.numbers import parse_int
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.meta.names import is_qualified_name, is_valid_label_value

Labels: TypeAlias = Mapping[str, str]


class Operator(StrEnum):
    """The operator of a label selector's condition, as error messages print it."""

    IN = "in"
    NOT_IN = "notin"
    EQUALS = "="
    DOUBLE_EQUALS = "=="
    NOT_EQUALS = "!="
    GREATER_THAN = "gt"
    LESS_THAN = "lt"
    EXISTS = "exists"
    DOES_NOT_EXIST = "!"


class Requirement(msgspec.Struct, frozen=True):
    """A condition of a label selector.

    `values`: sorted and without repetitions. The operator decides their number:

    - EXISTS and DOES_NOT_EXIST: no value
    - IN and NOT_IN: at least one value
    - other operators: exactly one value
    """

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        match self.operator:
            case Operator.EXISTS:
                return self.key
            case Operator.DOES_NOT_EXIST:
                return f"!{self.key}"
            case Operator.IN | Operator.NOT_IN:
                return f"{self.key} {self.operator} ({','.join(self.values)})"
            case _:
                return f"{self.key}{_SYMBOLS.get(self.operator, self.operator)}{self.values[0]}"


@dataclass(frozen=True, slots=True)
class Selector:
    """A parsed label selector: matches if all its conditions are true. The conditions are sorted by key."""

    requirements: tuple[Requirement, ...]
    _tests: tuple[Callable[[Labels], bool], ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_tests", tuple(map(_compiled, self.requirements)))

    def matches(self, labels: Labels) -> bool:
        for test in self._tests:  # noqa: SIM110 - a generator costs more than most tests
            if not test(labels):
                return False
        return True

    @property
    def empty(self) -> bool:
        """Whether the selector has no requirements and so matches everything."""
        return not self.requirements

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


def parse(text: str) -> Selector:
    """Parses a label selector. Raises ValueError with Kubernetes' message if the text is not valid."""
    return Selector(tuple(sorted(_Parser(text).parse(), key=lambda requirement: requirement.key)))


def of_object(selector: Mapping[str, Any] | None) -> Selector | None:
    """Converts a metav1.LabelSelector to a selector.

    If `selector` is None, returns None, which means that nothing is selected. An empty LabelSelector selects
    everything. Raises ValueError for an invalid LabelSelector.

    Follows LabelSelectorAsSelector of k8s.io/apimachinery `pkg/apis/meta/v1/helpers.go`.
    """
    if selector is None:
        return None
    requirements = [
        _checked(Requirement(key, Operator.IN, (value,)))
        for key, value in (selector.get("matchLabels") or {}).items()
    ]
    for expression in selector.get("matchExpressions") or ():
        operator = _OBJECT_OPERATORS.get(expression.get("operator", ""))
        if operator is None:
            raise ValueError(f'"{expression.get("operator", "")}" is not a valid label selector operator')
        values = tuple(sorted(set(expression.get("values") or ())))
        if bool(values) != (operator in _SET_OPERATORS):
            raise ValueError("values do not fit the operator")
        requirements.append(_checked(Requirement(expression.get("key", ""), operator, values)))
    return Selector(tuple(sorted(requirements, key=lambda requirement: requirement.key)))


_OBJECT_OPERATORS = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
}
_SYMBOLS = {Operator.GREATER_THAN: ">", Operator.LESS_THAN: "<"}
_OPERATORS = {
    "in": Operator.IN,
    "notin": Operator.NOT_IN,
    "=": Operator.EQUALS,
    "==": Operator.DOUBLE_EQUALS,
    "!=": Operator.NOT_EQUALS,
    ">": Operator.GREATER_THAN,
    "<": Operator.LESS_THAN,
}
_BINARY = ", ".join(_OPERATORS.values())
_SET_OPERATORS = (Operator.IN, Operator.NOT_IN)
_ORDER_OPERATORS = (Operator.GREATER_THAN, Operator.LESS_THAN)

# As in upstream's lexer, a NUL after a token is skipped; a NUL in place of a token ends the text.
_TOKEN = lazy_pattern(r"[ \t\r\n]*(?:(?P<symbol>==|!=|[=!(),<>])|(?P<word>[^ \t\r\n=!(),<>\0]+))\0?")
_END = ("", False)


class _Parser:
    """Parses the text of a label selector.

    Represents a token as (text, whether the text is a word). Treats `in` and `notin` as operators only after
    a key.
    """

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, bool]] = []
        self._at = 0
        position = 0
        while match := _TOKEN.match(text, position):
            word = match["word"]
            self._tokens.append((word, True) if word is not None else (match["symbol"], False))
            position = match.end()

    def parse(self) -> list[Requirement]:
        requirements: list[Requirement] = []
        literal, is_word = self._ahead()
        if not literal:
            return requirements
        if not is_word and literal != "!":
            raise ValueError(f"found '{literal}', expected: !, identifier, or 'end of string'")
        while True:
            try:
                requirements.append(self._requirement())
            except ValueError as error:
                raise ValueError(f"unable to parse requirement: {error}") from None
            literal, _ = self._next()
            if not literal:
                return requirements
            if literal != ",":
                raise ValueError(f"found '{literal}', expected: ',' or 'end of string'")
            literal, is_word = self._ahead()
            if not is_word and literal != "!":
                raise ValueError(f"found '{literal}', expected: identifier after ','")

    def _ahead(self) -> tuple[str, bool]:
        return self._tokens[self._at] if self._at < len(self._tokens) else _END

    def _next(self) -> tuple[str, bool]:
        token = self._ahead()
        self._at += 1
        return token

    def _requirement(self) -> Requirement:
        literal, is_word = self._next()
        negated = literal == "!"
        if negated:
            literal, is_word = self._next()
        if not is_word:
            raise ValueError(f"found '{literal}', expected: identifier")
        if messages := is_qualified_name(literal):
            raise ValueError(str(invalid("<nil>", literal, "; ".join(messages))))
        if negated:
            return Requirement(literal, Operator.DOES_NOT_EXIST)
        if self._ahead()[0] in ("", ","):
            return Requirement(literal, Operator.EXISTS)
        operator = self._operator()
        values = self._values() if operator in _SET_OPERATORS else {self._value()}
        return _checked(Requirement(literal, operator, tuple(sorted(values))))

    def _operator(self) -> Operator:
        literal, _ = self._next()
        operator = _OPERATORS.get(literal)
        if operator is None:
            raise ValueError(f"found '{literal}', expected: {_BINARY}")
        return operator

    def _value(self) -> str:
        if self._ahead()[0] in ("", ","):
            return ""
        literal, is_word = self._next()
        if not is_word:
            raise ValueError(f"found '{literal}', expected: identifier")
        return literal

    def _values(self) -> set[str]:
        literal, _ = self._next()
        if literal != "(":
            raise ValueError(f"found '{literal}' expected: '('")
        literal, is_word = self._ahead()
        if literal == ")":
            self._at += 1
            return {""}
        if not is_word and literal != ",":
            raise ValueError(f"found '{literal}', expected: ',', ')' or identifier")
        values = self._listed_values()
        self._at += 1
        return values

    def _listed_values(self) -> set[str]:
        """Reads values up to the closing parenthesis; `(a,)` and `(,a)` contain an empty value.

        Raises ValueError with Kubernetes' message if the list is not valid.
        """
        values: set[str] = set()
        while True:
            literal, is_word = self._next()
            ahead, _ = self._ahead()
            if is_word:
                values.add(literal)
                if ahead == ")":
                    return values
                if ahead != ",":
                    raise ValueError(f"found '{ahead}', expected: ',' or ')'")
            elif literal == ",":
                if not values or ahead in (")", ","):
                    values.add("")
                if ahead == ")":
                    return values
                if ahead == ",":
                    self._at += 1
            else:
                raise ValueError(f"found '{literal}', expected: ',', or identifier")


def _checked(requirement: Requirement) -> Requirement:
    errors: list[FieldError] = []
    if requirement.operator in _ORDER_OPERATORS and _integer(requirement.values[0]) is None:
        rule = "for 'Gt', 'Lt' operators, the value must be an integer"
        errors.append(invalid("values[0]", requirement.values[0], rule))
    for index, value in enumerate(requirement.values):
        if messages := is_valid_label_value(value):
            errors.append(invalid(f"values[{index}][{requirement.key}]", value, "; ".join(messages)))
    if errors:
        raise ValueError(first_words(errors))
    return requirement


def _integer(text: str | None) -> int | None:
    """Parses a 64-bit integer like Go's strconv.ParseInt; returns None for None and for other text."""
    try:
        return None if text is None else parse_int(text)
    except ValueError:
        return None


def _compiled(requirement: Requirement) -> Callable[[Labels], bool]:
    """Compiles a condition to a function that tests whether labels match."""
    key, values = requirement.key, frozenset(requirement.values)
    match requirement.operator:
        case Operator.IN | Operator.EQUALS | Operator.DOUBLE_EQUALS:
            return lambda labels: labels.get(key) in values
        case Operator.NOT_IN | Operator.NOT_EQUALS:
            return lambda labels: labels.get(key) not in values
        case Operator.EXISTS:
            return lambda labels: key in labels
        case Operator.DOES_NOT_EXIST:
            return lambda labels: key not in labels
    bound = _integer(requirement.values[0])
    assert bound is not None
    greater = requirement.operator is Operator.GREATER_THAN

    def compare(labels: Labels) -> bool:
        number = _integer(labels.get(key))
        return number is not None and (number > bound if greater else number < bound)

    return compare
