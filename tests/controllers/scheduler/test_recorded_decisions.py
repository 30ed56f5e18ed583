"""fakeapi's scheduler makes the recorded decisions of kube-scheduler 1.31, 1.33 and 1.36."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.controllers.scheduler.cases import Recorded, play, recorded_cases, stop_stages

CASES = list(recorded_cases())
EXACT = [each for each in CASES if each.is_unique]
FREE = [each for each in CASES if not each.is_unique and each.agrees_on_nodes]


@pytest.fixture(scope="module", autouse=True)
def _stages() -> Iterator[None]:
    yield
    stop_stages()


@pytest.mark.parametrize("recorded", EXACT, ids=lambda each: each.name)
def test_where_the_scheduler_had_no_choice_the_outcome_is_the_same(recorded: Recorded) -> None:
    assert play(recorded.case) == recorded.outcome


@pytest.mark.parametrize("recorded", FREE, ids=lambda each: each.name)
def test_where_it_had_one_the_same_nodes_were_good_up_to_there(recorded: Recorded) -> None:
    assert _nodes(play(recorded.case), recorded.outcome) == _nodes(recorded.outcome, recorded.outcome)


def _nodes(outcome: dict[str, Any], recorded: dict[str, Any]) -> dict[str, Any]:
    """Returns (feasible nodes, best nodes, whether the pod got a node) for each pod in an outcome.

    Stops after the first pod for which the recorded scheduler chose at random among several best nodes.
    """
    found = {}
    for name, pod in sorted(recorded["pods"].items()):
        own = outcome["pods"].get(name, {})
        found[name] = own.get("feasible"), own.get("best"), bool(own.get("node"))
        if len(pod.get("best", ())) > 1:
            break
    return found
