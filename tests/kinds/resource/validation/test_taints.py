"""Validation of the taints of devices."""

from typing import Any

import pytest

from fakeapi.kinds.resource.validation.taints import default_taint, validate_taint
from tests.kinds.resource.builders import RULES, Triple, places, triples

NOW = "2030-01-01T00:00:00Z"
EARLIER = "2020-01-01T00:00:00Z"


def test_a_taint_is_added_now_unless_it_says_when() -> None:
    taint = {"key": "k", "effect": "NoSchedule"}
    assert default_taint(taint, lambda: NOW) == {**taint, "timeAdded": NOW}
    said = {**taint, "timeAdded": EARLIER}
    assert default_taint(said, lambda: NOW) == said


@pytest.mark.parametrize(
    "taint",
    [
        {"key": "k", "effect": "NoSchedule"},
        {"key": "example.com/k", "value": "v", "effect": "NoExecute"},
    ],
)
def test_a_taint_has_a_key_and_an_effect(taint: dict[str, Any]) -> None:
    assert validate_taint(taint, "t", RULES["1.33"]) == []


@pytest.mark.parametrize(
    ("taint", "expected"),
    [
        ({"key": "k", "effect": ""}, [("t.effect", "Required", "Required value")]),
        (
            {"key": "k", "effect": "Maybe"},
            [
                (
                    "t.effect",
                    "NotSupported",
                    'Unsupported value: "Maybe": supported values: "NoExecute", "NoSchedule"',
                )
            ],
        ),
    ],
)
def test_only_two_effects_are_known(taint: dict[str, Any], expected: list[Triple]) -> None:
    assert triples(validate_taint(taint, "t", RULES["1.33"])) == expected


def test_key_and_value_are_those_of_labels() -> None:
    taint = {"key": "bad key", "value": "bad value!", "effect": "NoExecute"}
    assert places(validate_taint(taint, "t", RULES["1.33"])) == ["t.key", "t.value"]


def test_from_1_35_a_taint_may_inform_and_keep_the_effect_that_it_had() -> None:
    rules, odd = RULES["1.35"], {"key": "k", "effect": "Maybe"}
    assert validate_taint({"key": "k", "effect": "None"}, "t", rules) == []
    assert places(validate_taint(odd, "t", rules, {"key": "k", "effect": "None"})) == ["t.effect"]
    assert validate_taint(odd, "t", rules, {"key": "other", "effect": "Maybe"}) == []
