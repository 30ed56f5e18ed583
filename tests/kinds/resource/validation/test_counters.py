"""Validation of shared counters, and of the counters that devices consume, in ResourceSlices."""

from typing import Any

import pytest

from fakeapi.kinds.resource.validation.counters import (
    counters_of,
    validate_consumption,
    validate_counter_sets,
    validate_number_of_counters,
)
from tests.kinds.resource.builders import RULES, Triple, triples

REQUIRED = "Required value"
DEFINED = "defined in the ResourceSlice sharedCounters"


def counters(*names: str) -> dict[str, Any]:
    return {name: {"value": "1"} for name in names}


def numbered(count: int) -> dict[str, Any]:
    return counters(*(f"c-{number}" for number in range(count)))


def consumed(*sets: dict[str, Any]) -> list[Triple]:
    known = counters_of([{"name": "s", "counters": numbered(40)}])
    return triples(validate_consumption(list(sets), "d", known, RULES["1.33"]))


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        (None, []),
        ([{"name": "a", "counters": counters("x")}], []),
        (
            [{"name": ""}],
            [("s[0].name", "Required", REQUIRED), ("s[0].counters", "Required", REQUIRED)],
        ),
        (
            [{"name": "a", "counters": counters("x")}] * 2,
            [("s[1].name", "Duplicate", 'Duplicate value: "a"')],
        ),
    ],
)
def test_a_set_has_a_name_of_its_own_and_counters(
    sets: list[dict[str, Any]] | None, expected: list[Triple]
) -> None:
    assert triples(validate_counter_sets(sets, "s", RULES["1.33"])) == expected


def test_a_long_name_is_shortened_in_the_path_alone() -> None:
    [(field, _, message)] = triples(
        validate_counter_sets([{"name": "a", "counters": counters("x" * 70)}], "s", RULES["1.33"])
    )
    assert field == f"s[0].counters[{'x' * 30}...{'x' * 30}]"
    assert "x" * 70 in message


def test_a_device_takes_of_what_is_shared() -> None:
    assert consumed({"counterSet": "s", "counters": counters("c-1")}) == []


@pytest.mark.parametrize(
    ("each", "expected"),
    [
        (
            {"counterSet": "s", "counters": counters("other")},
            (
                "d.consumesCounters[0].counters",
                "Invalid",
                f'Invalid value: "other": must reference a counter {DEFINED}',
            ),
        ),
        (
            {"counterSet": "t", "counters": counters("c-1")},
            (
                "d.consumesCounters[0].counterSet",
                "Invalid",
                f'Invalid value: "t": must reference a counterSet {DEFINED}',
            ),
        ),
        (
            {"counterSet": "s", "counters": numbered(33)},
            ("d", "Invalid", "Invalid value: 33: the total number of counters must not exceed 32"),
        ),
    ],
)
def test_a_device_takes_nothing_else_and_not_too_much(each: dict[str, Any], expected: Triple) -> None:
    assert consumed(each) == [expected]


def test_a_set_is_taken_of_once() -> None:
    each = {"counterSet": "s", "counters": counters("c-1")}
    assert consumed(each, each) == [("d.consumesCounters[1].counterSet", "Duplicate", 'Duplicate value: "s"')]


def test_a_slice_limits_what_is_shared_and_what_is_taken_of_it() -> None:
    device = {"name": "d", "consumesCounters": [{"counterSet": "s", "counters": numbered(32)}]}
    spec = {"devices": [device] * 32, "sharedCounters": [{"name": "s", "counters": numbered(32)}]}
    assert validate_number_of_counters(spec, "spec", RULES["1.33"]) == []
    spec = {"devices": [device] * 33, "sharedCounters": [{"name": "s", "counters": numbered(33)}]}
    assert triples(validate_number_of_counters(spec, "spec", RULES["1.33"])) == [
        (
            "spec.devices",
            "Invalid",
            "Invalid value: 1056: the total number of counters in devices must not exceed 1024",
        ),
        (
            "spec.sharedCounters",
            "Invalid",
            "Invalid value: 33: the total number of shared counters must not exceed 32",
        ),
    ]
