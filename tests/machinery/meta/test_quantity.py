"""Quantities are formatted and compared as in k8s.io/apimachinery `pkg/api/resource`."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.meta import quantity

FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
NUMERIC = "unable to parse numeric part of quantity"
SUFFIX = "unable to parse quantity's suffix"
MAX = "9223372036854775807"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("00", "0"),
        ("0Mi", "0"),
        ("0.0e9", "0"),
        ("1", "1"),
        ("1000", "1k"),
        ("-1000", "-1k"),
        ("1024", "1024"),
        ("1024000", "1024k"),
        ("1.5", "1500m"),
        ("0.5", "500m"),
        (".5", "500m"),
        ("100m", "100m"),
        ("1000m", "1"),
        ("1200m", "1200m"),
        ("12e6", "12e6"),
        ("12E6", "12E6"),
        ("120e5", "12e6"),
        ("1.2e5", "120e3"),
        ("1e1", "10"),
        ("1e-3", "1e-3"),
        ("1e-4", "100e-6"),
        ("1E", "1E"),
        ("1Ki", "1Ki"),
        ("1024Ki", "1Mi"),
        ("1025Ki", "1025Ki"),
        ("-8Ki", "-8Ki"),
        ("1.5Gi", "1536Mi"),
        ("1.1Ki", "1126400m"),
        ("0.5Ki", "512"),
        ("0.0001Ki", "102400u"),
        ("1536Mi", "1536Mi"),
        ("8192Mi", "8Gi"),
        (" 1 ", "1"),
    ],
)
def test_the_spelling_has_the_largest_suffix_without_a_fraction(text: str, canonical: str) -> None:
    assert quantity.canonical(text) == canonical


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("+1", True),
        ("010", True),
        ("1.500", True),
        ("1.", True),
        ("1e03", True),
        ("007Ki", True),
        ("+1000", False),
        ("008Ki", False),
        ("0.500", False),
    ],
)
def test_a_spelling_that_is_nearly_canonical_stays(text: str, kept: bool) -> None:  # noqa: FBT001 - a column
    assert (quantity.canonical(text) == text) is kept


@pytest.mark.parametrize(
    ("text", "canonical"), [("+", "0"), ("-", "0"), (".", "0"), ("k", "0"), ("-Ki", "0")]
)
def test_a_missing_number_is_nothing(text: str, canonical: str) -> None:
    assert quantity.canonical(text) == canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("1n", "1n"),
        ("0.1n", "1n"),
        ("-0.1n", "-1n"),
        ("1.0000000001", "1000000001n"),
        ("1.0000000000", "1"),
        ("0.0000000009999", "1n"),
        ("0.9999999999", "1"),
        ("999999999999999999999.9999999999", "1"),
        ("1e-10", "1e-9"),
        ("123e-400", "1e-9"),
        ("0e-400", "0"),
        ("0.00000000001Ki", "11n"),
    ],
)
def test_what_is_finer_than_a_nano_is_rounded_away_from_zero(text: str, canonical: str) -> None:
    assert quantity.canonical(text) == canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("8Ei", MAX),
        ("7Ei", "7Ei"),
        ("9223372036854775807.5Ki", MAX),
        ("-100Ei", f"-{MAX}"),
        ("9" * 30 + "Ki", MAX),
        ("9223372036854775808", "9223372036854775808"),
        ("10E", "10E"),
        ("1000E", "1"),
        ("1000e18", "1e21"),
        ("1e4294967296", "1e4294967296"),
        ("10e4294967296", "10e4294967296"),
        ("1234567890123456789e300", "1234567890123456789e300"),
    ],
)
def test_only_binary_quantities_are_capped(text: str, canonical: str) -> None:
    assert quantity.canonical(text) == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", FORMAT),
        (" ", FORMAT),
        ("\t1", FORMAT),
        ("1 k", FORMAT),
        ("1.2.3", FORMAT),
        ("--1", SUFFIX),
        ("abc", FORMAT),
        ("1x", FORMAT),
        ("\u0661", FORMAT),
        ("1kk", SUFFIX),
        ("1K", SUFFIX),
        ("1ki", SUFFIX),
        ("1i", SUFFIX),
        ("1k3", SUFFIX),
        ("1e", SUFFIX),
        ("1e+", SUFFIX),
        ("1ee3", SUFFIX),
        ("1e9223372036854775808", SUFFIX),
        ("1-3", SUFFIX),
        ("e-30", NUMERIC),
        ("+.Ei", NUMERIC),
    ],
)
def test_what_is_no_quantity_is_refused_in_upstream_s_words(text: str, message: str) -> None:
    with pytest.raises(ValueError, match="quantit") as refusal:
        quantity.canonical(text)
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("left", "right", "order"),
    [
        ("1", "1000m", 0),
        ("1Ki", "1k", 1),
        ("1M", "1Mi", -1),
        ("-1", "1n", -1),
        ("0", "-0", 0),
        ("1e2147483647", "9e2147483646", 1),
        ("0.1n", "1n", 0),
    ],
)
def test_quantities_are_ordered_by_amount(left: str, right: str, order: int) -> None:
    assert quantity.compare(left, right) == order
    assert quantity.compare(right, left) == -order


@pytest.mark.parametrize(
    "text", ["0" * 10_000 + "1k", "1" * 10_000, "1." + "0" * 10_000 + "1Ki", "9" * 10_000 + ".9"]
)
def test_a_quantity_may_have_any_number_of_digits(text: str) -> None:
    once = quantity.canonical(text)
    assert quantity.canonical(once) == once


SUFFIXES = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "e3": 3, "e-5": -5, "E2": 2}
POWERS = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40}
factors = {name: Fraction(10) ** power for name, power in SUFFIXES.items()}
factors |= {name: Fraction(2) ** power for name, power in POWERS.items()}


@st.composite
def written(draw: st.DrawFn) -> tuple[str, Fraction]:
    """Draws the text of a quantity and its numeric value.

    The number has at most four decimals before its suffix.
    """
    sign = draw(st.sampled_from(["", "-", "+"]))
    whole = draw(st.integers(0, 10**6))
    places = draw(st.integers(0, 4))
    decimals = draw(st.integers(0, 10**places - 1))
    suffix = draw(st.sampled_from(sorted(factors)))
    point = f".{decimals:0{places}}" if places else ""
    value = (whole + Fraction(decimals, 10**places)) * factors[suffix]
    return f"{sign}{whole}{point}{suffix}", -value if sign == "-" else value


def rounded(value: Fraction) -> Fraction:
    nanos = abs(value) * 10**9
    up = Fraction(-(-nanos.numerator // nanos.denominator), 10**9)
    return -up if value < 0 else up


@given(written())
@settings(max_examples=200, derandomize=True, database=None)
def test_an_amount_is_what_its_digits_and_suffix_say(pair: tuple[str, Fraction]) -> None:
    text, value = pair
    parsed = quantity.parse(text)
    assert Fraction(parsed.amount) == rounded(value)
    assert quantity.parse(parsed.text) == parsed


@given(written(), written())
@settings(max_examples=200, derandomize=True, database=None)
def test_an_order_is_the_order_of_the_numbers(
    left: tuple[str, Fraction], right: tuple[str, Fraction]
) -> None:
    one, other = rounded(left[1]), rounded(right[1])
    assert quantity.compare(left[0], right[0]) == (one > other) - (one < other)


@given(written(), written())
@settings(max_examples=200)
def test_a_sum_is_that_of_the_amounts_but_for_what_is_finer_than_a_nano(
    left: tuple[str, Fraction], right: tuple[str, Fraction]
) -> None:
    one, other = (quantity.parse(text) for text, _ in (left, right))
    added = quantity.parse(quantity.add(one.text, other.text)).amount
    assert added == one.amount + other.amount or abs(added) >= quantity.MAX_BINARY


@pytest.mark.parametrize(
    ("left", "right", "total"),
    [
        ("1Gi", "1Gi", "2Gi"),
        ("1Gi", "1G", "2073741824"),
        ("0", "1Ki", "1Ki"),
        ("500m", "500m", "1"),
        ("1", "-1", "0"),
    ],
)
def test_a_sum_is_written_in_the_format_of_the_first(left: str, right: str, total: str) -> None:
    assert quantity.add(left, right) == total


@pytest.mark.parametrize(
    ("text", "number"), [("500m", 1), ("-500m", -1), ("1Gi", 1 << 30), ("1e30", 10**30 % (1 << 64))]
)
def test_a_whole_number_is_rounded_away_from_zero_and_fits_an_int64(text: str, number: int) -> None:
    assert quantity.whole(text) == number


@given(st.text(alphabet="0159.+-eEinumkKMGTP ", max_size=10))
@settings(max_examples=300, derandomize=True, database=None)
def test_the_canonical_spelling_is_its_own(text: str) -> None:
    try:
        once = quantity.canonical(text)
    except ValueError:
        return
    assert quantity.canonical(once) == once


@pytest.mark.parametrize(
    ("left", "right", "difference"),
    [
        ("2", "500m", "1500m"),
        ("1Gi", "1Gi", "0"),
        ("1Gi", "512Mi", "512Mi"),
        ("0", "1Gi", "-1Gi"),
        ("1", "-1", "2"),
        ("1", "+1", "0"),
        ("500m", "1", "-500m"),
    ],
)
def test_a_difference_is_written_in_the_format_of_the_first(left: str, right: str, difference: str) -> None:
    assert quantity.subtract(left, right) == difference


@pytest.mark.parametrize(
    ("text", "rounded"),
    [("1500m", "2"), ("-1500m", "-2"), ("1", "1"), ("1Gi", "1Gi"), ("1n", "1"), ("0", "0")],
)
def test_a_quantity_is_rounded_to_the_whole_away_from_zero(text: str, rounded: str) -> None:
    assert quantity.rounded_up_to_whole(text) == rounded
