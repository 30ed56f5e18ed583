"""The cache of converted objects drops the oldest entries to stay below a limit in bytes."""

from hypothesis import given
from hypothesis import strategies as st

from fakeapi.registry.stored.converted_values import ConvertedValues

VALUES = [bytes([65 + number]) * (number + 1) for number in range(6)]


def form_of(value: bytes) -> bytes:
    return value.lower() * 3


@given(st.integers(0, 40), st.lists(st.sampled_from(VALUES), max_size=30))
def test_what_is_kept_is_the_form_of_its_value_and_never_more_than_the_bound(
    bound: int, put: list[bytes]
) -> None:
    kept = ConvertedValues(bound)
    for value in put:
        kept.put(value, form_of(value))
        assert all(kept.get(each) in (None, form_of(each)) for each in VALUES)
        assert kept.size == sum(len(form_of(each)) for each in VALUES if each in kept) <= bound
        assert (value in kept) == (len(form_of(value)) <= bound)


def test_those_that_were_put_in_first_go_first() -> None:
    kept = ConvertedValues(6)
    for value in (b"a", b"b", b"c"):
        kept.put(value, value * 2)
    kept.put(b"a", b"aa")
    kept.put(b"d", b"dd")
    assert [value for value in (b"a", b"b", b"c", b"d") if value in kept] == [b"a", b"c", b"d"]
    kept.clear()
    assert (len(kept), kept.size) == (0, 0)
