"""The comparison of random requests accepts errors in any order. Each server gets its own times back."""

import copy
from typing import Any

import pytest

from tests.conformance.identities import Identities
from tests.conformance.world import WorldIdentities
from tests.differential.exchanges.comparing import ORDER, OrderComparison
from tests.differential.exchanges.known import named

CAUSES = [
    {"field": "spec.limits[0].max[a]", "message": 'Invalid value: "a"', "reason": "FieldValueInvalid"},
    {"field": "spec.limits[0].max[b]", "message": 'Invalid value: "b"', "reason": "FieldValueInvalid"},
]


def refused(kind: str, causes: list[dict[str, str]]) -> dict[str, Any]:
    errors = ", ".join(f"{cause['field']}: {cause['message']}" for cause in causes)
    details = {"name": "a", "kind": kind, "causes": copy.deepcopy(causes)}
    body = {"kind": "Status", "message": f'{kind} "a" is invalid: [{errors}]', "details": details}
    return {"status": 422, "body": body}


def differences(kind: str, causes: list[dict[str, str]]) -> list[str]:
    comparison = OrderComparison(WorldIdentities(), [])
    return [*comparison.answer(refused(kind, CAUSES), refused(kind, causes))]


def test_equal_causes_in_another_order_are_one_difference_with_a_name() -> None:
    lines = differences("LimitRange", CAUSES[::-1])
    assert lines == [f"{ORDER}: recorded 'LimitRange', got 'LimitRange'"]
    assert named(lines) == ["order-of-limits"]
    assert named(differences("Service", CAUSES[::-1])) == []


@pytest.mark.parametrize("member", ["field", "message", "reason"])
def test_another_cause_has_no_name(member: str) -> None:
    causes = [CAUSES[1], {**CAUSES[0], member: "other"}]
    lines = differences("LimitRange", causes)
    assert lines
    assert named(lines) == []


def test_only_the_first_undeclared_field_may_differ() -> None:
    def line(path: str, other: str) -> str:
        why = "field not declared in schema"
        return f".body.message: recorded 'failed (a): {path}: {why}', got 'failed (a): {other}: {why}'"

    assert named([line(".spec.a", ".spec.b")]) == ["first-undeclared-field"]
    assert named([line(".spec.a", ".status.b")]) == []


def test_a_time_that_a_client_sends_back_is_the_time_of_the_tested_server() -> None:
    def rule(second: int, effect: str = "NoSchedule") -> dict[str, Any]:
        taint = {"effect": effect, "timeAdded": f"2026-01-01T00:00:0{second}Z"}
        return {"metadata": {"uid": "u"}, "spec": {"taints": [taint]}}

    identities = Identities()
    identities.learn(rule(1), rule(2))
    assert identities.body(rule(1, "None")) == rule(2, "None")
    assert identities.body(rule(3)) == rule(3)
    other = {**rule(1), "metadata": {"uid": "v"}}
    assert identities.body(other) == other
