"""Parses, canonicalizes and compares quantities: `1500m`, `10Gi`, `1e3`.

Follows k8s.io/apimachinery `pkg/api/resource`, which has not changed since 1.27. Like upstream, keeps nearly
canonical texts such as `+1`, `010` and `1.500`, and parses a missing number as 0. Amounts are exact, with any
number of digits.
"""

import re
from collections.abc import Callable
from decimal import ROUND_UP, Decimal
from functools import lru_cache
from typing import NamedTuple

NANO = -9
"""The smallest power of ten in a quantity. More precise amounts are rounded away from zero to 10^-9."""
MILLI = -3
MAX_BINARY = (1 << 63) - 1
"""The largest amount that `parse` returns for a binary suffix. Larger amounts become MAX_BINARY."""

FORMAT_ERROR = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
NUMERIC_ERROR = "unable to parse numeric part of quantity"
SUFFIX_ERROR = "unable to parse quantity's suffix"

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX = {exponent: suffix for suffix, exponent in _BINARY.items()}

_FAST_DIGITS = 18
_INT64_DIGITS = 19
_FRACTION_DIGITS_MAX = 80
"""Number of exact fraction digits in a quantity with a binary suffix.

Further digits only decide the rounding: if one of them is not zero, the amount is rounded up.
"""

_SPACES = " \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""The characters that `parse` trims: Unicode spaces as in Go.

The control characters from tab to carriage return are not included.
"""

_REMEMBERED, _REMEMBERED_LENGTH = 1024, 32
"""Maximum number of cached quantities, and the maximum length of a cached text in characters."""

_is_plain: Callable[[str], re.Match[str] | None] = re.compile("[1-9][0-9]{0,14}").fullmatch
_split: Callable[[str], re.Match[str] | None] = re.compile(
    r"(?P<sign>[+-]?)0*+(?P<whole>[0-9]*+)(?:\.(?P<fraction>[0-9]*+))?+"
    r"(?P<suffix>[eEinumkKMGTP]*+[-+]?+[0-9]*+)"
).fullmatch
_exponent: Callable[[str], re.Match[str] | None] = re.compile("[eE]([+-]?)0*+([0-9]*+)").fullmatch


class Quantity(NamedTuple):
    """A parsed quantity: `text` is the canonical text, `amount` the exact value."""

    text: str
    amount: Decimal


def canonical(text: str) -> str:
    """Returns the canonical text of a quantity: `0.5` gives `500m`.

    Raises ValueError with Kubernetes' message if the text is not a quantity.
    """
    if len(text) > _REMEMBERED_LENGTH:
        return parse(text).text
    return text if _is_plain(text) and not text.endswith("000") else _remembered(text)


@lru_cache(_REMEMBERED)
def _remembered(text: str) -> str:
    return parse(text).text


def compare(left: str, right: str) -> int:
    """Returns -1, 0 or 1 if `left` is less than, equal to or greater than `right`.

    Raises ValueError if either text is not a quantity.
    """
    first, second = parse(left).amount, parse(right).amount
    return (first > second) - (first < second)


def add(left: str, right: str) -> str:
    """Adds two quantities; returns the canonical text in the format of `left`.

    `1Gi` and `512Mi` give `1536Mi`. If `left` is 0, the result has the format of `right`. Raises ValueError
    if either text is not a quantity.
    """
    first, second = parse(left).amount, parse(right).amount
    return _spelled(first + second, left if first else right)


def multiply(left: str, right: str) -> str:
    """Multiplies two quantities; returns the canonical text in the format of `left`.

    Raises ValueError if either text is not a quantity.
    """
    return _spelled(parse(left).amount * parse(right).amount, left)


def _spelled(amount: Decimal, like: str) -> str:
    """Formats an amount in the format of the quantity `like`; fractions never have a binary suffix."""
    match = _split(like.strip(_SPACES))
    assert match is not None  # `like` was parsed before
    form = _interpret(match["suffix"])
    if form.binary and amount == amount.to_integral_value():
        return _binary(amount < 0, abs(int(amount))).text
    _, digits, exponent = amount.as_tuple()
    assert isinstance(exponent, int)  # quantities are finite
    return _decimal(amount < 0, "".join(map(str, digits)), exponent, form).text


def subtract(left: str, right: str) -> str:
    """Subtracts `right` from `left`; returns the canonical text in the format of `left`.

    If `left` is 0, the result has the format of `right`. Raises ValueError if either text is not a quantity.
    """
    right = right.strip(_SPACES)
    return add(left, right[1:] if right.startswith("-") else f"-{right.removeprefix('+')}")


def canonical_binary(number: int) -> str:
    """Formats a whole number in the format BinarySI, like `resource.NewQuantity`: 1024 gives `1Ki`."""
    return _binary(number < 0, abs(number)).text


def rounded_up_to_milli(text: str) -> str:
    """Rounds a quantity away from zero to thousandths, like `Quantity.RoundUp(-3)`.

    Returns the canonical text. Raises ValueError if the text is not a quantity.
    """
    return _rounded_up_to(text, MILLI)


def rounded_up_to_whole(text: str) -> str:
    """Rounds a quantity away from zero to a whole number, like `Quantity.RoundUp(0)`.

    Returns the canonical text. Raises ValueError if the text is not a quantity.
    """
    return _rounded_up_to(text, 0)


def _rounded_up_to(text: str, finest: int) -> str:
    parsed = parse(text)
    sign, numbers, exponent = parsed.amount.as_tuple()
    assert isinstance(exponent, int)  # quantities are finite
    if exponent >= finest:
        return parsed.text
    match = _split(parsed.text)
    assert match is not None  # canonical texts match
    digits, scale = _rounded_up("".join(map(str, numbers)), exponent, finest)
    return _decimal(sign == 1, digits, scale, _interpret(match["suffix"])).text


def whole(text: str) -> int:
    """Returns a quantity as an int64, like `Quantity.Value`: `1500m` gives 2.

    Rounds away from zero. Numbers beyond int64 wrap around. Raises ValueError if the text is not a quantity.
    """
    number = int(parse(text).amount.to_integral_value(ROUND_UP))
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def is_whole(text: str) -> bool:
    """Whether a quantity is a whole number. Raises ValueError if the text is not a quantity."""
    amount = parse(text).amount
    return amount == amount.to_integral_value()


def milli(text: str) -> int | None:
    """Returns a quantity in thousandths, like `Quantity.MilliValue`: `1.5` gives 1500.

    Returns None if the result is not a whole number or exceeds int64. Raises ValueError if the text is not a
    quantity.
    """
    thousandths = parse(text).amount.scaleb(3)
    if thousandths != thousandths.to_integral_value() or not -(1 << 63) <= thousandths < 1 << 63:
        return None
    return int(thousandths)


def parse(text: str) -> Quantity:
    """Parses a quantity; ignores spaces around the text.

    Raises ValueError with Kubernetes' message if the text is not a quantity.
    """
    text = text.strip(_SPACES)
    match = _split(text)
    if not text or match is None:
        raise ValueError(FORMAT_ERROR)
    negative = match["sign"] == "-"
    whole, fraction = match["whole"] or "0", match["fraction"] or ""
    form = _interpret(match["suffix"])
    if form.binary and not fraction and len(whole) <= _fast_binary_digits(form.exponent):
        kept = int(whole) % 8 != 0
        return _binary(negative, int(whole) << form.exponent, text if kept else None)
    digits, scale = whole + fraction, _int32(form.exponent - len(fraction))
    if not form.binary and len(digits) <= _FAST_DIGITS and scale >= NANO:
        kept = scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0"
        return _decimal(negative, digits, scale, form, text if kept else None)
    if not any(character.isdigit() for character in text[: match.start("suffix")]):
        raise ValueError(NUMERIC_ERROR)
    if form.binary:
        return _fractional_binary(negative, whole, fraction, form.exponent)
    return _decimal(negative, *_rounded_up(digits, scale), form)


class _Format(NamedTuple):
    """The format of a quantity: a binary suffix, a scientific exponent, or a decimal suffix.

    `exponent` is a power of 2 if `binary`, otherwise a power of 10.
    """

    exponent: int
    binary: bool = False
    scientific: bool = False


_PLAIN = _Format(0)


def _interpret(suffix: str) -> _Format:
    if suffix in _DECIMAL:
        return _Format(_DECIMAL[suffix])
    if suffix in _BINARY:
        return _Format(_BINARY[suffix], binary=True)
    match = _exponent(suffix)
    if match is None or len(suffix.lstrip("eE+-")) == 0:
        raise ValueError(SUFFIX_ERROR)
    sign, digits = match.groups()
    number = int(digits or "0") if len(digits) <= 19 else 1 << 63
    if number > MAX_BINARY + (sign == "-"):
        raise ValueError(SUFFIX_ERROR)
    return _Format(_int32(-number if sign == "-" else number), scientific=True)


def _int32(number: int) -> int:
    """Wraps a number around to an int32, like a conversion in Go."""
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def _fast_binary_digits(exponent: int) -> int:
    """Returns the maximum number of digits before a binary suffix in upstream's fast parser.

    This parser does not compare amounts with MAX_BINARY, and keeps nearly canonical texts unchanged.
    """
    return 14 - exponent * 3 // 10


def _rounded_up(digits: str, scale: int, finest: int = NANO) -> tuple[str, int]:
    """Rounds `digits` times 10^`scale` away from zero to a multiple of 10^`finest`.

    Returns the new digits and scale. A zero is not rounded.
    """
    if scale >= finest or not digits.strip("0"):
        return digits, scale
    cut = finest - scale
    head, tail = digits[:-cut] or "0", digits[-cut:]
    return (_incremented(head) if tail.strip("0") else head), finest


def _incremented(digits: str) -> str:
    """Adds 1 to a decimal number; does not use int, which rejects very long numbers."""
    head = digits.rstrip("9")
    zeros = "0" * (len(digits) - len(head))
    return (head[:-1] + chr(ord(head[-1]) + 1) if head else "1") + zeros


def _decimal(
    negative: bool,  # noqa: FBT001 - a sign next to its digits
    digits: str,
    scale: int,
    form: _Format,
    kept: str | None = None,
) -> Quantity:
    """Returns the quantity of `digits` times 10^`scale`, with an exponent divisible by three.

    Like upstream, omits a decimal exponent for which no suffix exists: `1000E` gives `1`.

    `kept`: the text to keep, for input that is nearly canonical; None formats the amount again.
    """
    sign = "-" if negative else ""
    significant = digits.strip("0")
    if not significant:
        return Quantity("0", Decimal(0))
    exponent = scale + len(digits) - len(digits.rstrip("0"))
    amount = Decimal(f"{sign}{significant}E{exponent}")
    if kept is not None:
        return Quantity(kept, amount)
    padding = exponent % 3
    exponent -= padding
    suffix = f"e{exponent}" if form.scientific and exponent else _DECIMAL_SUFFIX.get(exponent, "")
    return Quantity(f"{sign}{significant}{'0' * padding}{suffix}", amount)


def _binary(negative: bool, amount: int, kept: str | None = None) -> Quantity:  # noqa: FBT001 - like _decimal
    """Returns the quantity of a whole number, with a binary suffix only from 1024 on.

    `kept`: the text to keep, for input that is nearly canonical; None formats the amount again.
    """
    if amount < 1024:
        return _decimal(negative, str(amount), 0, _PLAIN)
    signed = -amount if negative else amount
    if kept is not None:
        return Quantity(kept, Decimal(signed))
    power = 0
    while signed % 1024 == 0:
        signed //= 1024
        power += 10
    return Quantity(f"{signed}{_BINARY_SUFFIX.get(power, '')}", Decimal(-amount if negative else amount))


def _fractional_binary(
    negative: bool,  # noqa: FBT001 - like _decimal
    whole: str,
    fraction: str,
    exponent: int,
) -> Quantity:
    """Returns the quantity of `whole.fraction` times 2^`exponent`.

    Rounds away from zero to 10^-9; amounts over MAX_BINARY become MAX_BINARY.
    """
    if len(whole) > _INT64_DIGITS:
        return _binary(negative, MAX_BINARY)
    if len(fraction) > _FRACTION_DIGITS_MAX:
        rest = fraction[_FRACTION_DIGITS_MAX:]
        fraction = fraction[:_FRACTION_DIGITS_MAX] + ("1" if rest.strip("0") else "")
    scaled = (int(whole + fraction) << exponent) * 10**-NANO
    nanos = -(-scaled // 10 ** len(fraction))
    amount, beyond = divmod(nanos, 10**-NANO)
    if amount >= MAX_BINARY:
        return _binary(negative, MAX_BINARY)
    if beyond:
        return _decimal(negative, str(nanos), NANO, _PLAIN)
    return _binary(negative, amount)
