"""DeviceTaintRule since v1alpha3: validation, generation and status."""

from typing import Any

import pytest

from fakeapi.kinds.resource.device_taint_rule import (
    DeviceTaintRuleStrategy,
    ReportedTaintRuleStrategy,
    TaintRuleStatusStrategy,
)
from tests.kinds.resource.builders import RULES, places

NOW, LATER = "2030-01-01T00:00:00Z", "2032-01-01T00:00:00Z"
CONDITION = {"type": "t", "status": "True", "lastTransitionTime": NOW, "reason": "Done", "message": ""}
TAINT = {"key": "k", "effect": "NoSchedule", "timeAdded": NOW}
STRATEGY = DeviceTaintRuleStrategy(RULES["1.33"], lambda: NOW)


def rule(selector: dict[str, Any] | None = None, generation: int = 1, **taint: Any) -> dict[str, Any]:
    spec: dict[str, Any] = {} if selector is None else {"deviceSelector": selector}
    return {"metadata": {"name": "r", "generation": generation}, "spec": {**spec, "taint": TAINT | taint}}


def test_a_taint_is_added_now() -> None:
    bare = {"metadata": {}, "spec": {"taint": {"key": "k", "effect": "NoSchedule"}}}
    assert STRATEGY.default(bare)["spec"]["taint"] == TAINT


def test_a_rule_counts_the_generations_of_its_spec() -> None:
    assert STRATEGY.prepare_create(rule(generation=9)) == rule(generation=1)
    assert STRATEGY.prepare_update(rule(value="v"), rule()) == rule(value="v", generation=2)
    assert STRATEGY.prepare_update(rule(), rule()) == rule()


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (None, []),
        ({}, []),
        ({"deviceClassName": "c", "driver": "d", "pool": "a/b", "device": "e"}, []),
        ({"deviceClassName": ""}, ["deviceClassName"]),
        ({"driver": ""}, ["driver", "driver"]),
        ({"pool": ""}, ["pool"]),
        ({"device": "a.b"}, ["device"]),
        ({"selectors": [{}]}, ["selectors[0].cel"]),
        ({"selectors": [{"cel": {"expression": "true"}}] * 33}, ["selectors"]),
    ],
)
def test_a_selector_names_devices_by_any_of_their_names(
    selector: dict[str, Any] | None, expected: list[str]
) -> None:
    found = [f"spec.deviceSelector.{place}" for place in expected]
    assert places(STRATEGY.validate_create(rule(selector))) == found
    assert places(STRATEGY.validate_update(rule(selector), rule(selector))) == found


def test_the_taint_follows_the_selector_in_what_is_wrong() -> None:
    errors = STRATEGY.validate_create(rule({"device": ""}, effect=""))
    assert places(errors)[-1] == "spec.taint.effect"


@pytest.mark.parametrize(
    ("release", "sent", "stamp"),
    [
        ("1.35", {"effect": "NoExecute"}, NOW),
        ("1.36", {"effect": "NoExecute"}, LATER),
        ("1.36", {"effect": "NoExecute", "timeAdded": "2031-01-01T00:00:00Z"}, "2031-01-01T00:00:00Z"),
        ("1.36", {"value": "v"}, NOW),
    ],
)
def test_from_1_36_on_the_time_is_that_of_the_effect(release: str, sent: dict[str, Any], stamp: str) -> None:
    strategy = DeviceTaintRuleStrategy(RULES[release], lambda: LATER)
    assert strategy.prepare_update(rule(**sent), rule())["spec"]["taint"]["timeAdded"] == stamp


def test_a_status_is_written_through_its_own_path() -> None:
    whole, of_status = (
        each(RULES["1.35"], lambda: NOW) for each in (ReportedTaintRuleStrategy, TaintRuleStatusStrategy)
    )
    reported = {**rule(), "status": {"conditions": [CONDITION]}}
    assert whole.prepare_create({**reported})["status"] == {}
    assert whole.prepare_update({**rule(), "status": {}}, reported)["status"] == reported["status"]
    assert of_status.prepare_update({**reported, "spec": {}}, rule()) == reported


def test_a_status_has_up_to_eight_good_conditions() -> None:
    of_status = TaintRuleStatusStrategy(RULES["1.35"], lambda: NOW)
    many = [{**CONDITION, "type": f"t{number}"} for number in range(9)]
    for conditions, expected in (
        ([CONDITION], []),
        ([{**CONDITION, "reason": ""}], ["status.conditions[0].reason"]),
        (many, ["status.conditions"]),
    ):
        assert places(of_status.validate_update({"status": {"conditions": conditions}}, rule())) == expected
