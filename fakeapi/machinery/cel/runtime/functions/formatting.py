"""The CEL function `format`, as in `'%d items'.format([3])`, at run time.

Follows cel-go `ext/formatting.go` in the locale en_US.
"""

import math
import re
from collections.abc import Callable
from typing import Any

from fakeapi.machinery.cel.runtime.memory import ENTRY_BYTES, ITEM_BYTES, take
from fakeapi.machinery.cel.runtime.texts import double_text, duration_text, timestamp_text
from fakeapi.machinery.cel.runtime.values import (
    MISSING,
    Duration,
    Err,
    ListValue,
    MapValue,
    Timestamp,
    TypeValue,
    UInt,
    type_name,
)
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.lazy_pattern import lazy_pattern

PRECISION = 6
PRECISION_MAX = 1000
"""Maximum number of digits after the decimal point; a larger precision is reduced to this maximum."""
_CLAUSE = lazy_pattern(r"%(?:\.(?P<precision>[0-9]*))?(?P<letter>.?)", re.DOTALL)
_STRINGS = "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
_NOT_UTF8 = 'could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string'
_EXCEPTIONS = frozenset(("NaN", "Infinity", "-Infinity"))


class _WrongError(ValueError):
    pass


def _wrong(words: str, value: Any) -> _WrongError:
    return _WrongError(f"error during formatting: {words}, was given {type_name(value)}")


def _format(template: str, arguments: ListValue) -> Any:
    try:
        return _formatted(template, arguments)
    except _WrongError as error:
        return Err(str(error))


def _formatted(template: str, arguments: ListValue) -> str:
    written: list[str] = []
    used = at = 0
    while at < len(template):
        percent = template.find("%", at)
        if percent < 0:
            break
        written.append(template[at:percent])
        if template.startswith("%%", percent):
            written.append("%")
            at = percent + 2
            continue
        if percent + 1 == len(template):
            raise _WrongError("unexpected end of string")
        if used >= len(arguments):
            raise _WrongError(f"index {used} out of range")
        clause = _CLAUSE.match(template, percent)
        assert clause is not None
        written.append(_clause(clause["precision"], clause["letter"], arguments.at(used)))
        take(len(written[-1]))
        at = clause.end()
        used += 1
    written.append(template[at:])
    return "".join(written)


def _clause(precision: str | None, letter: str, value: Any) -> str:
    prefix = "could not parse formatting clause: "
    if not letter:
        raise _WrongError(f"{prefix}error while parsing precision: could not find end of precision specifier")
    if precision == "":
        reason = 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax'
        raise _WrongError(f"{prefix}error while parsing precision: {reason}")
    if letter in {"f", "e"}:
        digits = PRECISION if precision is None else min(int(precision[:9]), PRECISION_MAX)
        return _fixed(value, digits) if letter == "f" else _scientific(value, digits)
    if letter not in _CLAUSES:
        raise _WrongError(f'{prefix}unrecognized formatting clause "{letter}"')
    return _CLAUSES[letter](value)


def _double(value: Any, words: str) -> float:
    if type(value) is str and value in _EXCEPTIONS:
        return float(value)
    if type(value) is not float:
        raise _wrong(words, value)
    return value


def _special(number: float) -> str | None:
    if math.isnan(number):
        return "NaN"
    return ("\u221e" if number > 0 else "-\u221e") if math.isinf(number) else None


def _fixed(value: Any, digits: int) -> str:
    number = _double(value, "fixed-point clause can only be used on doubles")
    return _special(number) or f"{number:,.{digits}f}"


_SUPERSCRIPT = str.maketrans(
    "0123456789-", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b"
)


def _scientific(value: Any, digits: int) -> str:
    number = _double(value, "scientific clause can only be used on doubles")
    special = _special(number)
    if special:
        return special
    mantissa, exponent = f"{number:.{digits}e}".split("e")
    power = str(abs(int(exponent))).rjust(2, "0")
    power = f"-{power}" if int(exponent) < 0 else power
    return f"{mantissa}\u202f\u00d7\u202f10{power.translate(_SUPERSCRIPT)}"


def _decimal(value: Any) -> str:
    if type(value) not in {int, UInt}:
        raise _wrong("decimal clause can only be used on integers", value)
    return str(int(value))


def _binary(value: Any) -> str:
    if type(value) is bool:
        return "1" if value else "0"
    if type(value) not in {int, UInt}:
        raise _wrong("only integers and bools can be formatted as binary", value)
    return format(value, "b")


def _octal(value: Any) -> str:
    if type(value) not in {int, UInt}:
        raise _wrong("octal clause can only be used on integers", value)
    return format(value, "o")


def _hexadecimal(value: Any) -> str:
    match value:
        case str():
            return value.encode("utf-8", "surrogatepass").hex()
        case bytes():
            return value.hex()
        case int() if type(value) is not bool:
            return format(value, "x")
        case _:
            raise _wrong("only integers, byte buffers, and strings can be formatted as hex", value)


_ITEM_TEXT_BYTES, _ENTRY_TEXT_BYTES = 64 + ITEM_BYTES, 128 + ENTRY_BYTES


def _taken(written: str) -> str:
    take(len(written))
    return written


def text(value: Any) -> str:
    """Formats a CEL value for `%s`.

    Raises _WrongError for a type that `%s` does not support, and for bytes that are not UTF-8.
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int():
            return str(int(value))
        case float():
            return double_text(value)
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError:
                raise _WrongError(f"error during formatting: {_NOT_UTF8}") from None
        case Duration():
            return duration_text(value.nanoseconds)
        case Timestamp():
            return timestamp_text(value)
        case TypeValue():
            return value.name
        case ListValue():
            take(len(value) * _ITEM_TEXT_BYTES)
            return _taken(f"[{', '.join(map(_within, value))}]")
        case MapValue():
            take(len(value) * _ENTRY_TEXT_BYTES)
            return _taken(_map_text(value))
        case _:
            raise _wrong(f"string clause can only be used on {_STRINGS}", value)


def _within(value: Any) -> str:
    """Formats a value for `%s` within a list or a map.

    Raises _WrongError for a type that `%s` does not support.
    """
    match value:
        case str():
            take(len(value))
            return quote(value)
        case bytes():
            return f"b{quote(value.decode('utf-8', 'replace'))}"
        case float():
            if math.isnan(value):
                return '"NaN"'
            return ('"+Inf"' if value > 0 else '"-Inf"') if math.isinf(value) else f"{value:.{PRECISION}f}"
        case Duration():
            return f"duration({quote(text(value))})"
        case Timestamp():
            return f"timestamp({quote(text(value))})"
        case None | bool() | int() | TypeValue() | ListValue() | MapValue():
            return text(value)
        case _:
            raise _WrongError(f"error during formatting: no formatting function for {type_name(value)}")


def _map_text(value: MapValue) -> str:
    pairs: list[tuple[str, str]] = []
    for key in value:
        if type(key) not in {str, bool, int, UInt}:
            raise _WrongError(
                f"error during formatting: no formatting function for map key of type {type_name(key)}"
            )
        member = value.find(key)
        if member is MISSING:
            raise _WrongError(f"error during formatting: could not find key: {quote(text(key))}")
        pairs.append((_within(key), _within(member)))
    pairs.sort(key=lambda pair: pair[0].encode("utf-8", "surrogatepass"))
    return f"{{{', '.join(f'{key}:{member_text}' for key, member_text in pairs)}}}"


_CLAUSES: dict[str, Callable[[Any], str]] = {
    "s": text,
    "d": _decimal,
    "b": _binary,
    "o": _octal,
    "x": _hexadecimal,
    "X": lambda value: _hexadecimal(value).upper(),
}

OVERLOADS: dict[str, Callable[..., Any]] = {"string_format": _format}
