"""Encodes YAML like sigs.k8s.io/yaml: block style, keys in go-yaml's order, long lines wrapped."""

from collections.abc import Iterator
from functools import cmp_to_key
from math import copysign, inf, isfinite, isnan
from typing import Any

import yaml

from fakeapi.machinery.golang.fmt import shortest_float
from fakeapi.machinery.golang.yaml_scalars import MAX_INT64, MAX_UINT64, needs_quotes

# Conversion to a float32 rounds this number, and larger numbers, to infinity.
_BEYOND_FLOAT32 = 2.0**128 - 2.0**103

_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def dump(value: Any) -> bytes:
    """Encodes a JSON value as YAML: block style, keys in go-yaml's order, long lines wrapped."""
    text: str = yaml.emit(_document(value), Dumper=_Dumper, allow_unicode=True)
    return text.removesuffix("...\n").encode() if text.endswith("\n...\n") else text.encode()


def float_text(value: float, *, bits: int = 64) -> str:
    """Formats a float like go-yaml. `bits` is 64 or 32; with 32, values beyond float32 become infinite."""
    if bits == 32 and abs(value) >= _BEYOND_FLOAT32:
        value = copysign(inf, value)
    if isfinite(value):
        return shortest_float(value, bits=bits)
    return ".nan" if isnan(value) else ".inf" if value > 0 else "-.inf"


def _document(value: Any) -> Iterator[yaml.Event]:
    yield yaml.StreamStartEvent(encoding=None)
    yield yaml.DocumentStartEvent(explicit=False)
    yield from _events(value)
    yield yaml.DocumentEndEvent(explicit=False)
    yield yaml.StreamEndEvent()


def _events(value: Any) -> Iterator[yaml.Event]:
    if isinstance(value, dict):
        yield yaml.MappingStartEvent(anchor=None, tag=None, implicit=True, flow_style=False)
        for key in sorted(value, key=_NATURAL):
            yield _scalar_event(key)
            yield from _events(value[key])
        yield yaml.MappingEndEvent()
    elif isinstance(value, list):
        yield yaml.SequenceStartEvent(anchor=None, tag=None, implicit=True, flow_style=False)
        for item in value:
            yield from _events(item)
        yield yaml.SequenceEndEvent()
    else:
        yield _scalar_event(value)


def _scalar_event(value: Any) -> yaml.ScalarEvent:
    style = None
    match value:
        case None:
            text = "null"
        case bool():
            text = "true" if value else "false"
        case str():
            text = value
            if "\n" in text:
                style = "|"
            elif needs_quotes(text):
                style = '"'
        case int() if -MAX_INT64 - 1 <= value <= MAX_UINT64:
            text = str(value)
        case _:
            text = float_text(float(value))
    return yaml.ScalarEvent(anchor=None, tag=None, implicit=(True, True), value=text, style=style)


def _compared(one: str, other: str) -> int:
    """Compares two keys in go-yaml's order (keyList.Less); returns a negative number, 0 or a positive number.

    Letters come last; numbers within keys are compared by value.

    Example of the order: `_x`, `1`, `B`, `a.b`, `a1`, `a2`, `a10`, `aa`.
    """
    for index, (a, b) in enumerate(zip(one, other, strict=False)):
        if a == b:
            continue
        if a.isalpha() and b.isalpha():
            return -1 if a < b else 1
        if a.isalpha() or b.isalpha():
            return -1 if b.isalpha() else 1
        led = (a == "0" or b == "0") and bool(one[:index][len(one[:index].rstrip("0123456789")) :].strip("0"))
        mine, theirs = _leading_number(one[index:], led=led), _leading_number(other[index:], led=led)
        return -1 if (*mine, a) < (*theirs, b) else 1
    return len(one) - len(other)


def _leading_number(text: str, *, led: bool) -> tuple[int, int]:
    """Returns (the number that `text` begins with, wrapped to an int64; the count of its digits).

    `led`: whether a digit other than 0 precedes `text`. If so, the number has an additional first digit 1.
    """
    digits = text[: len(text) - len(text.lstrip("0123456789"))]
    number = int(led)
    for at in range(0, len(digits), _DIGITS_AT_ONCE):
        some = digits[at : at + _DIGITS_AT_ONCE]
        number = (number * 10 ** len(some) + int(some)) % 2**64
    return (number + 2**63) % 2**64 - 2**63, len(digits)


_DIGITS_AT_ONCE = 1000
"""Number of decimal digits that are converted to an int in one step.

Python rejects integers of more than 4,300 digits, and parses long integers slowly.
"""

_NATURAL = cmp_to_key(_compared)
