"""Exchanges are sorted by their time offset; exchanges with equal offsets keep their order."""

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakeapi.traces.formats.sorting import Spool


@given(offsets=st.lists(st.floats(0, 3, allow_nan=False).map(lambda offset: round(offset, 1)), max_size=20))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_order_is_that_of_a_stable_sort(tmp_path: Path, offsets: list[float]) -> None:
    spool = Spool(tmp_path)
    lines = [(offset, b"%d" % number) for number, offset in enumerate(offsets)]
    for offset, line in lines:
        spool.add(offset, line)
    assert list(spool) == [line for _, line in sorted(lines, key=lambda pair: pair[0])]
    assert list(spool) == list(spool)
    assert len(spool) == len(lines)
    spool.close()
    assert list(tmp_path.iterdir()) == []
