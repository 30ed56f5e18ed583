"""The size of values that CEL expressions create is limited. In cel-go only the cost is limited."""

from fakeapi.machinery.cel.runtime.functions import formatting, lists


def test_a_range_has_a_number_of_items() -> None:
    assert len(lists._range(3)) == 3
    assert len(lists._range(lists.RANGE_MAX + 1)) == lists.RANGE_MAX


def test_a_number_is_written_with_a_number_of_digits() -> None:
    for digits in (formatting.PRECISION_MAX, formatting.PRECISION_MAX + 1, 10**9):
        assert formatting._clause(str(digits), "f", 1.5) == "1.5" + "0" * (formatting.PRECISION_MAX - 1)
