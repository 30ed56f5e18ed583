"""A rate limit for actions that cost the server more than the client, such as reset HTTP/2 streams."""

from hypothesis import given
from hypothesis import strategies as st

from fakeapi.serving.rate import Allowance


@given(st.lists(st.floats(0, 10), max_size=200), st.integers(1, 20), st.floats(0.1, 50))
def test_never_more_than_the_burst_and_the_rate_allow(
    pauses: list[float], at_once: int, per_second: float
) -> None:
    now = 0.0
    allowance = Allowance(at_once, per_second, lambda: now)
    taken = 0
    for pause in pauses:
        now += pause
        taken += allowance.take()
        assert taken <= at_once + now * per_second + 1e-6


def test_an_allowance_that_was_used_up_grows_again() -> None:
    now = 0.0
    allowance = Allowance(2, 1.0, lambda: now)
    assert [allowance.take() for _ in range(3)] == [True, True, False]
    now = 1.0
    assert [allowance.take() for _ in range(2)] == [True, False]
