"""Checks literals after the type check: durations, timestamps, regular expressions, lists and maps.

Follows cel-go `cel/validator.go`. Elements of list and map literals must have the same type. Also returns the
errors of cel-go's planner, which evaluates calls on constants in advance.
"""

import math
import re
from collections.abc import Callable, Iterator

from fakeapi.machinery.cel import library
from fakeapi.machinery.cel.checker import Checked, Fault
from fakeapi.machinery.cel.formatting import format_fault
from fakeapi.machinery.cel.syntax import (
    Call,
    Constant,
    ListLiteral,
    Literal,
    MapLiteral,
    Node,
    children,
    walk,
)
from fakeapi.machinery.cel.types import Type
from fakeapi.machinery.golang.numbers import parse_int, parse_uint
from fakeapi.machinery.lazy_pattern import lazy_pattern

_INT_MAX = (1 << 63) - 1
_UINT_MAX = (1 << 64) - 1


def literal_faults(checked: Checked, *, formats: bool, constants: bool = True) -> list[Fault]:
    """Returns the errors of literals, grouped by kind of check.

    Always checks that the elements of a list or map literal have the same type.

    `formats`: whether to check calls of the CEL function `format`, too.
    `constants`: whether to check durations, timestamps and regular expressions, too.
    """
    calls = [node for node in walk(checked.root) if isinstance(node, Call)]
    faults = [
        fault
        for function in (_MEANINGFUL if constants else ())
        for call in calls
        if call.function == function
        for fault in _first_argument_fault(call, function)
    ]
    faults += _mixed(checked.root, checked)
    if formats:
        faults += filter(None, (format_fault(call, checked.types) for call in calls))
    return faults


def number_faults(root: Node) -> list[Fault]:
    """Returns an error for each number literal that is too large for a double."""
    return [
        Fault(node.id, "invalid double literal")
        for node in walk(root)
        if isinstance(node, Literal) and node.kind == "double" and node.value in {math.inf, -math.inf}
    ]


def _first_argument_fault(call: Call, function: str) -> Iterator[Fault]:
    argument = call.arguments[0] if call.arguments else None
    if isinstance(argument, Literal) and not _MEANINGFUL[function](argument.value):
        yield Fault(argument.id, f"invalid {function} argument")


def _is_duration(value: Constant) -> bool:
    """Whether a constant is a string that Go's ParseDuration accepts.

    Like Go, accepts `us`, `µs` and `μs` for microseconds. cel-expr-python accepts only `us`.
    """
    if not isinstance(value, str):
        return False
    return not library.fault_in("duration", re.sub("[\u00b5\u03bc]s", "us", value))


def _is_timestamp(value: Constant) -> bool:
    """Whether a constant is a timestamp in the years 1 to 9999.

    Accepts Unix seconds, and RFC 3339 texts with upper-case `T` and `Z`.
    """
    if isinstance(value, int):
        return _FIRST_SECOND <= value <= _LAST_SECOND
    return isinstance(value, str) and value == value.upper() and not library.fault_in("timestamp", value)


def _is_pattern(value: Constant) -> bool:
    return isinstance(value, str) and not regex_fault(value)


_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799
"""The first second of year 1 and the last second of year 9999, as Unix time."""

_MEANINGFUL: dict[str, Callable[[Constant], bool]] = {
    "duration": _is_duration,
    "timestamp": _is_timestamp,
    "matches": _is_pattern,
}


def _text(node: Node) -> str | None:
    return node.value if isinstance(node, Literal) and isinstance(node.value, str) else None


def _mixed(node: Node, checked: Checked) -> Iterator[Fault]:
    """Yields errors for list and map literals whose elements, keys or values have different types.

    Yields at most one error for the elements of a list, the keys of a map, and the values of a map. Arguments
    of `format` may have different types.
    """
    if isinstance(node, Call) and node.function == "format":
        return
    if isinstance(node, ListLiteral):
        types = [
            _held(checked.type(element), index in node.optional)
            for index, element in enumerate(node.elements)
        ]
        yield from _differing([element.id for element in node.elements], types)
    elif isinstance(node, MapLiteral):
        keys = [entry.key for entry in node.entries if entry.key is not None]
        values = [_held(checked.type(entry.value), entry.optional) for entry in node.entries]
        yield from _differing([key.id for key in keys], [checked.type(key) for key in keys])
        yield from _differing([entry.value.id for entry in node.entries], values)
    for child in children(node):
        yield from _mixed(child, checked)


def _held(of: Type, optional: bool) -> Type:  # noqa: FBT001 - reads well where it is called
    return of.parameters[0] if optional and of.parameters else of


def _differing(ids: list[int], types: list[Type]) -> Iterator[Fault]:
    for id_, of in zip(ids, types, strict=True):
        if of != types[0]:
            yield Fault(id_, f"expected type '{types[0]}' but found '{of}'")
            return


_GO_WORDS = (
    (r"missing \): (.*)", r"missing closing ): `{0}`"),
    (r"missing \]: (.*)", "missing closing ]: `{1}`"),
    (r"unexpected \): (.*)", "unexpected ): `{0}`"),
    (r"invalid repetition size: (.*)", "invalid repeat count: `{1}`"),
    (r"bad repetition operator: (.*)", "invalid nested repetition operator: `{1}`"),
    (r"no argument for repetition operator: (.*)", "missing argument to repetition operator: `{1}`"),
    (r"invalid perl operator: (.*)", "invalid or unsupported Perl syntax: `{1}`"),
    (r"(invalid character class range|invalid escape sequence): (.*)", "{1}: `{2}`"),
    (r"trailing \\", "trailing backslash at end of expression: ``"),
)


def regex_fault(pattern: str) -> str:
    """Returns the error of Go's regexp for a pattern; "" if the pattern compiles."""
    if re.search(r"(?<!\\)(?:\\\\)*\\C", pattern):
        return "error parsing regexp: invalid escape sequence: `\\C`"
    wrong = library.fault_in("matches", pattern)
    if not wrong:
        return ""
    text = wrong.removeprefix("invalid regular expression: ")
    for theirs, words in _GO_WORDS:
        parts = re.fullmatch(theirs, text, re.DOTALL)
        if parts:
            return "error parsing regexp: " + words.format(pattern, *parts.groups())
    return f"error parsing regexp: {text}"


def constant_fault(checked: Checked) -> str:
    """Returns cel-go's planning error for the first call with invalid constant arguments; otherwise ""."""
    for node in walk(checked.root):
        if isinstance(node, Call):
            wrong = _call_fault(node)
            if wrong:
                return wrong
    return ""


def _call_fault(call: Call) -> str:
    pattern = _pattern(call)
    if pattern is not None:
        return regex_fault(pattern)
    argument = call.arguments[0] if len(call.arguments) == 1 else None
    if call.function not in _CONVERSIONS or not isinstance(argument, Literal):
        return ""
    value = argument.value
    if isinstance(value, str) and not _CONVERSIONS[call.function](value):
        return f"type conversion error from 'string' to '{_TYPE_NAMES.get(call.function, call.function)}'"
    if call.function == "int" and isinstance(value, int | float) and not _fits_int(value):
        return "integer overflow"
    if call.function == "uint" and isinstance(value, int | float) and not 0 <= value <= _UINT_MAX:
        return "unsigned integer overflow"
    if call.function == "string" and isinstance(value, bytes) and not _is_utf8(value):
        return "invalid UTF-8 in bytes, cannot convert to string"
    return ""


def _fits_int(number: float) -> bool:
    """Whether a number fits into an int64.

    A double must be strictly between -2^63 and 2^63.
    """
    if isinstance(number, int):
        return number <= _INT_MAX
    return -float(_INT_MAX + 1) < number < float(_INT_MAX + 1)


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _pattern(call: Call) -> str | None:
    """Returns the constant regular expression in a call; None if the call has no such argument."""
    position = 0 if call.target is not None else 1
    if call.function not in {"matches", "find", "findAll"} or len(call.arguments) <= position:
        return None
    return _text(call.arguments[position])


def _is_int(text: str) -> bool:
    return _parses(parse_int, text)


def _is_uint(text: str) -> bool:
    return _parses(parse_uint, text)


def _parses(parse: Callable[[str], int], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def _is_double(text: str) -> bool:
    if _HEXADECIMAL.fullmatch(text):
        return True
    if not _DECIMAL.fullmatch(text):
        return False
    return "inf" in text.lower() or not math.isinf(float(text))


_HEXADECIMAL = lazy_pattern(r"[+-]?0x[0-9a-f_]*\.?[0-9a-f_]*p[+-]?[0-9]+", re.IGNORECASE)
_DECIMAL = lazy_pattern(
    r"[+-]?(?:inf|infinity|nan|(?:[0-9](?:_?[0-9])*\.?(?:[0-9](?:_?[0-9])*)?|\.[0-9](?:_?[0-9])*)(?:e[+-]?[0-9]+)?)",
    re.IGNORECASE,
)


def _is_bool(text: str) -> bool:
    return text in {"1", "t", "T", "true", "TRUE", "True", "0", "f", "F", "false", "FALSE", "False"}


def _is_string(text: str) -> bool:
    return isinstance(text, str)


_TYPE_NAMES = {"duration": "google.protobuf.Duration", "timestamp": "google.protobuf.Timestamp"}

_CONVERSIONS = {
    "duration": _is_duration,
    "timestamp": _is_timestamp,
    "int": _is_int,
    "uint": _is_uint,
    "double": _is_double,
    "bool": _is_bool,
    "string": _is_string,
}
