"""Explanations agree with the recorded decisions of kube-scheduler 1.31, 1.33 and 1.36, node by node."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi.controllers.scheduler.status import nodes_message
from fakeapi.explaining.explanation import Explanation
from tests.controllers.scheduler.cases import Recorded, play, recorded_cases, stage, stop_stages

EVERY = 9
"""Explains every ninth of the recorded cases with only one possible outcome."""

CASES = [each for each in recorded_cases() if each.is_unique][::EVERY]


@pytest.fixture(scope="module", autouse=True)
def _stages() -> Iterator[None]:
    yield
    stop_stages()


@pytest.mark.parametrize("recorded", CASES, ids=lambda each: each.name)
def test_the_verdict_of_each_node_agrees_with_the_scheduler(recorded: Recorded) -> None:
    outcome = play(recorded.case)
    api = stage(recorded.case["release"], recorded.case["gates"]).api
    for name, pod in outcome["pods"].items():
        why = api.explain("pod", f"{recorded.case['id']}/{name}")
        if pod["node"]:
            assert why.verdict in {"placed", "starting"}
        elif pod["condition"]:
            assert why.verdict == "pending"
            assert why.reasons
            _check_nodes(why, pod["condition"])


def _check_nodes(why: Explanation, condition: dict[str, Any]) -> None:
    """Checks that the reasons of the refused nodes match the counts in the scheduler's message."""
    message: str = condition["message"]
    if not message.startswith("0/") or not why.nodes:
        return
    assert not any(node.feasible for node in why.nodes)
    reasons = Counter(text for node in why.nodes for text in node.message.split(", "))
    assert message.startswith(nodes_message(len(why.nodes), "", dict(reasons)).removesuffix("."))
