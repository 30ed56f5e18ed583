"""The comparison of explanations with kube-scheduler finds differences."""

import pytest

from fakeapi.explaining.explanation import Explanation
from fakeapi.explaining.model import NodeResult, Reason, Reference
from tests.differential.explanations.comparing import Decision, differences
from tests.differential.explanations.playing import nodes_with_unclear_pools

TAINT, DEVICES = "node(s) had untolerated taint {a: b}", "cannot allocate all claims"


def explanation(verdict: str, *nodes: NodeResult) -> Explanation:
    reasons = [Reason("DevicesInUse", "no device is free")] if verdict == "pending" else []
    return Explanation(1, "1.34", Reference("Pod", "p", "n"), verdict, "", reasons, list(nodes))


@pytest.mark.parametrize(
    "decision",
    [
        Decision(message=f"0/2 nodes are available: 1 {DEVICES}, 1 {TAINT}. preemption: none"),
        Decision(message='running "DynamicResources" filter plugin: no such key'),
    ],
)
def test_a_refused_pod_agrees_if_the_reasons_have_the_same_counts(decision: Decision) -> None:
    why = explanation("pending", NodeResult("a", False, DEVICES), NodeResult("b", False, TAINT))
    assert differences(decision, why, ["a", "b"]) == []


def test_another_number_of_nodes_with_a_reason_is_a_difference() -> None:
    decision = Decision(message=f"0/2 nodes are available: 2 {DEVICES}. preemption: none")
    why = explanation("pending", NodeResult("a", False, DEVICES), NodeResult("b", False, TAINT))
    [line] = differences(decision, why, ["a", "b"])
    assert "1 cannot allocate all claims, 1 node(s) had untolerated taint" in line


def test_each_node_with_another_verdict_is_a_difference() -> None:
    decision = Decision("a", frozenset("ab"))
    why = explanation("placed", NodeResult("a", True), NodeResult("b", False), NodeResult("c", False))
    [line] = differences(decision, why, ["a", "b", "c"])
    assert line.startswith("node b is not feasible here, feasible for the scheduler")


def test_an_error_after_the_filters_is_no_difference_if_the_explanation_shows_it() -> None:
    message = 'running PreBind plugin "DynamicResources": add reservation to claim a/c: Too long'
    why = explanation("pending", NodeResult("a", True))
    [line] = differences(Decision(message=message), why, ["a"])
    assert line.endswith("and the explanation does not")
    why.reasons[0].details = [message]
    assert differences(Decision(message=message), why, ["a"]) == []


def test_a_pending_pod_that_the_scheduler_places_is_a_difference() -> None:
    [line] = differences(Decision("a", frozenset("a")), explanation("pending"), ["a"])
    assert line == "the verdict is 'pending', and the scheduler chose node a"
    [line] = differences(Decision(message="0/1 nodes"), explanation("placed"), ["a"])
    assert line == "the verdict is 'placed', and the scheduler says '0/1 nodes'"


def test_a_feasible_node_of_a_refused_pod_is_a_difference() -> None:
    why = explanation("pending", NodeResult("a", True))
    [line] = differences(Decision(message="0/1 nodes are available: x."), why, ["a"])
    assert line.startswith("node a is feasible here, not feasible for the scheduler")


def test_a_pool_is_unclear_if_its_slices_have_different_counts() -> None:
    def of(node: str, count: int) -> dict[str, object]:
        pool = {"name": node, "resourceSliceCount": count}
        return {"spec": {"driver": "gpu.example.com", "nodeName": node, "pool": pool}}

    assert nodes_with_unclear_pools([of("a", 2), of("a", 3), of("b", 2), of("b", 2)]) == {"a"}
