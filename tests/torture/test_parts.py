"""Each part of the torture suite runs for a few seconds with a fixed seed."""

import pytest

from tests.torture import run

SECONDS = 2.0
SEED = 1


@pytest.mark.timeout(180)  # the parts start servers, perhaps on a busy machine
@pytest.mark.parametrize("name", run.part_names())
def test_a_part_of_the_torture_suite_finds_nothing_in_seconds(name: str) -> None:
    outcome = run.run_here(name, SECONDS, SEED)
    if outcome.state == "skipped":
        pytest.skip(outcome.text)
    assert outcome.state == "ok", outcome.text
    assert all(figure > 0 for figure in outcome.figures.values()), "a figure of 0: the part did nothing"
