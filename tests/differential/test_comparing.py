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


def differences(
    kind: str, causes: list[dict[str, str]], recorded: list[dict[str, str]] = CAUSES
) -> list[str]:
    comparison = OrderComparison(WorldIdentities(), [])
    return [*comparison.answer(refused(kind, recorded), refused(kind, causes))]


def test_equal_causes_in_another_order_are_one_difference_with_a_name() -> None:
    lines = differences("LimitRange", CAUSES[::-1])
    moved = "'LimitRange spec.limits.max'"
    assert lines == [f"{ORDER}: recorded {moved}, got {moved}"]
    assert named(lines) == ["order-of-limits"]
    assert named(differences("Service", CAUSES[::-1])) == []


def test_an_order_has_a_name_only_for_the_fields_of_its_reason() -> None:
    amounts = [
        {**cause, "field": f"spec.containers[0].resources.limits[{index}]"}
        for index, cause in enumerate(CAUSES)
    ]
    assert named(differences("Pod", amounts[::-1], amounts)) == ["order-of-container-resources"]
    assert named(differences("Pod", CAUSES[::-1])) == []


@pytest.mark.parametrize(
    ("message", "other", "names"),
    [
        ("{0}:\n  .a: x y\n  .b: z", "{0}:\n  .b: z\n  .a: x y", ["order-of-apply-errors"]),
        ("{0}:\n  .a: x y\n  .b: z", "{0}:\n  .b: z\n  .a: y x", []),
        ('strict: "a", "b"', 'strict: "b", "a"', []),
    ],
)
def test_a_message_without_causes_may_have_only_the_errors_of_an_apply_in_another_order(
    message: str, other: str, names: list[str]
) -> None:
    prefix = "failed to create typed patch object (/a; v1, Kind=Pod): errors"
    one, two = ({"status": 500, "body": {"message": text.format(prefix)}} for text in (message, other))
    lines = OrderComparison(WorldIdentities(), []).answer(one, two)
    assert lines
    assert named(lines) == names


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
