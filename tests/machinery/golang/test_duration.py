from functools import partial

import pytest

from fakeapi.machinery.golang.duration import duration_error
from tests.machinery.steps import assert_linear


@pytest.mark.parametrize("text", ["0", "-0", "1s", "-1.5h", ".5s", "1.s", "1h2m3.4s", "5µs", "9223372036s"])
def test_what_go_reads_as_a_duration_has_no_error(text: str) -> None:
    assert duration_error(text) == ""


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("x", 'time: invalid duration "x"'),
        ("", 'time: invalid duration ""'),
        ("-", 'time: invalid duration "-"'),
        (".s", 'time: invalid duration ".s"'),
        ("5", 'time: missing unit in duration "5"'),
        ("1s5", 'time: missing unit in duration "1s5"'),
        ("5d", 'time: unknown unit "d" in duration "5d"'),
        ("9223372037s", 'time: invalid duration "9223372037s"'),
        ("9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'),
        ("9223372036854775808", 'time: missing unit in duration "9223372036854775808"'),
        ("99999999999999999999", 'time: invalid duration "99999999999999999999"'),
    ],
)
def test_what_is_no_duration_is_refused_in_gos_words(text: str, error: str) -> None:
    assert duration_error(text) == error


@pytest.mark.parametrize("text", ["0" * 5000 + "1h", "1." + "9" * 5000 + "ns", "-9223372036854775808ns"])
def test_digits_that_do_not_count_may_be_as_many_as_one_likes(text: str) -> None:
    assert duration_error(text) == ""


@pytest.mark.parametrize("text", ["1" * 5000 + "h", "1" * 5000])
def test_thousands_of_digits_are_an_invalid_duration(text: str) -> None:
    assert duration_error(text) == f'time: invalid duration "{text}"'


@pytest.mark.parametrize("repeated", ["1ns", "1", ".", "0.1ns", "x", "-"])
def test_checking_takes_steps_in_proportion_to_the_text(repeated: str) -> None:
    assert_linear(lambda n: partial(duration_error, repeated * n), 1000)
    duration_error(repeated * 300_000)
