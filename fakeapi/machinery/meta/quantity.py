"""Parses, canonicalizes and compares quantities: `1500m`, `10Gi`, `1e3`.

Follows k8s.io/apimachinery `pkg/api/resource`, the same in every release from 1.27 on. A quantity
remembers its spelling where that is nearly canonical, so `+1`, `010` and `1.500` stay as they are. The
parser is as lenient as upstream's: a missing number is 0. Amounts are exact, however long their digits.
"""

import re
from collections.abc import Callable
from decimal import ROUND_UP, Decimal
from functools import lru_cache
from typing import NamedTuple

NANO = -9
"""No amount is finer than 10^-9: what is finer is rounded away from zero."""
MILLI = -3
MAX_BINARY = (1 << 63) - 1
"""The largest amount with a binary suffix: what is larger becomes this."""

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
"""As many digits of a fraction decide how a binary amount is rounded; of the rest, whether they are zero."""

_SPACES = " \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""Characters that are trimmed: those that Go trims and JSON allows unescaped in a string."""

_REMEMBERED, _REMEMBERED_LENGTH = 1024, 32
"""So many spellings of up to so many characters are remembered: the same few come again and again."""

_is_plain: Callable[[str], re.Match[str] | None] = re.compile("[1-9][0-9]{0,14}").fullmatch
_split: Callable[[str], re.Match[str] | None] = re.compile(
    r"(?P<sign>[+-]?)0*+(?P<whole>[0-9]*+)(?:\.(?P<fraction>[0-9]*+))?+"
    r"(?P<suffix>[eEinumkKMGTP]*+[-+]?+[0-9]*+)"
).fullmatch
_exponent: Callable[[str], re.Match[str] | None] = re.compile("[eE]([+-]?)0*+([0-9]*+)").fullmatch


class Quantity(NamedTuple):
    """`text` is the canonical spelling, `amount` the exact value."""

    text: str
    amount: Decimal


def canonical(text: str) -> str:
    """The canonical text that Kubernetes stores. Raises ValueError with its message."""
    if len(text) > _REMEMBERED_LENGTH:
        return parse(text).text
    return text if _is_plain(text) and not text.endswith("000") else _remembered(text)


@lru_cache(_REMEMBERED)
def _remembered(text: str) -> str:
    return parse(text).text


def compare(left: str, right: str) -> int:
    """-1, 0 or 1 as `left` is less than, equal to or greater than `right`. Raises ValueError."""
    one, other = parse(left).amount, parse(right).amount
    return (one > other) - (one < other)


def add(left: str, right: str) -> str:
    """The canonical text of a sum, in the format of `left`, or of `right` where `left` is 0.

    Raises ValueError.
    """
    one, other = parse(left).amount, parse(right).amount
    return _spelled(one + other, left if one else right)


def multiply(left: str, right: str) -> str:
    """The canonical text of a product, in the format of `left`. Raises ValueError."""
    return _spelled(parse(left).amount * parse(right).amount, left)


def _spelled(amount: Decimal, like: str) -> str:
    """The canonical text of an amount in the format of `like`; no fraction is written in binary."""
    match = _split(like.strip(_SPACES))
    assert match is not None  # or it would not have parsed
    form = _interpret(match["suffix"])
    if form.binary and amount == amount.to_integral_value():
        return _binary(amount < 0, abs(int(amount))).text
    _, digits, exponent = amount.as_tuple()
    assert isinstance(exponent, int)  # quantities are finite
    return _decimal(amount < 0, "".join(map(str, digits)), exponent, form).text


def subtract(left: str, right: str) -> str:
    """The canonical text of a difference, in the format of `left`, or of `right` where `left` is 0.

    Raises ValueError.
    """
    right = right.strip(_SPACES)
    return add(left, right[1:] if right.startswith("-") else f"-{right.removeprefix('+')}")


def canonical_binary(number: int) -> str:
    """The canonical text of a whole number in the format BinarySI, as `resource.NewQuantity` makes it."""
    return _binary(number < 0, abs(number)).text


def rounded_up_to_milli(text: str) -> str:
    """The canonical text with what is finer than thousandths rounded away from zero.

    As `Quantity.RoundUp(-3)`. Raises ValueError.
    """
    return _rounded_up_to(text, MILLI)


def rounded_up_to_whole(text: str) -> str:
    """The canonical text rounded away from zero, as `Quantity.RoundUp(0)`. Raises ValueError."""
    return _rounded_up_to(text, 0)


def _rounded_up_to(text: str, finest: int) -> str:
    parsed = parse(text)
    sign, numbers, exponent = parsed.amount.as_tuple()
    assert isinstance(exponent, int)  # quantities are finite
    if exponent >= finest:
        return parsed.text
    match = _split(parsed.text)
    assert match is not None  # it is canonical
    digits, scale = _rounded_up("".join(map(str, numbers)), exponent, finest)
    return _decimal(sign == 1, digits, scale, _interpret(match["suffix"])).text


def whole(text: str) -> int:
    """As `Quantity.Value`: rounded away from zero, and what an int64 holds of it. Raises ValueError."""
    number = int(parse(text).amount.to_integral_value(ROUND_UP))
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def is_whole(text: str) -> bool:
    """Whether a quantity has nothing finer than ones. Raises ValueError."""
    amount = parse(text).amount
    return amount == amount.to_integral_value()


def milli(text: str) -> int | None:
    """As `Quantity.MilliValue`; None for one that has finer parts, or that an int64 does not hold of.

    Raises ValueError.
    """
    thousandths = parse(text).amount.scaleb(3)
    if thousandths != thousandths.to_integral_value() or not -(1 << 63) <= thousandths < 1 << 63:
        return None
    return int(thousandths)


def parse(text: str) -> Quantity:
    """Parses a quantity, ignoring spaces around it. Raises ValueError with Kubernetes' message."""
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
    """How a quantity is written: with a binary suffix, an exponent, or neither; `exponent` of 2 or of 10."""

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
    """`number` as a conversion to Go's int32 leaves it."""
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def _fast_binary_digits(exponent: int) -> int:
    """As many digits before a binary suffix are read without a cap, and keep their spelling."""
    return 14 - exponent * 3 // 10


def _rounded_up(digits: str, scale: int, finest: int = NANO) -> tuple[str, int]:
    """`digits` at 10^`scale`, away from zero to a whole number of 10^`finest`. All zeros stay all zeros."""
    if scale >= finest or not digits.strip("0"):
        return digits, scale
    cut = finest - scale
    head, tail = digits[:-cut] or "0", digits[-cut:]
    return (_incremented(head) if tail.strip("0") else head), finest


def _incremented(digits: str) -> str:
    """The decimal number after `digits`; no int, which refuses very long ones."""
    head = digits.rstrip("9")
    zeros = "0" * (len(digits) - len(head))
    return (head[:-1] + chr(ord(head[-1]) + 1) if head else "1") + zeros


def _decimal(
    negative: bool,  # noqa: FBT001 - a sign beside its digits
    digits: str,
    scale: int,
    form: _Format,
    kept: str | None = None,
) -> Quantity:
    """The quantity of `digits` at 10^`scale`, spelled with an exponent divisible by three.

    As upstream has it, an exponent that has no suffix is left out: `1000E` becomes `1`.
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


def _binary(negative: bool, amount: int, kept: str | None = None) -> Quantity:  # noqa: FBT001 - as _decimal
    """The quantity of a whole number; below 1024 it is spelled without a binary suffix."""
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
    negative: bool,  # noqa: FBT001 - as _decimal
    whole: str,
    fraction: str,
    exponent: int,
) -> Quantity:
    """The quantity of `whole.fraction` times 2^`exponent`, rounded up to 10^-9 and capped."""
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
