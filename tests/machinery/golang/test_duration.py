import pytest

from fakeapi.machinery.golang.duration import duration_error


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
    ],
)
def test_what_is_no_duration_is_refused_in_gos_words(text: str, error: str) -> None:
    assert duration_error(text) == error
