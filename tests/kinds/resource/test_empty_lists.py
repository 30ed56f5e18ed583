"""Claims and slices keep the empty lists of a request if Kubernetes distinguishes them from missing lists."""

from typing import Any

import pytest

from fakeapi.kinds.resource.empty_lists import restore_in_slice, restore_in_status
from fakeapi.kinds.resource.layout import Layout
from tests.kinds.resource.builders import RULES, rules_with

ODD: tuple[Any, ...] = (None, [], {"spec": 1, "status": []}, {"spec": {"devices": [None]}})


def restored(device: dict[str, Any], sent: dict[str, Any], release: str = "1.36") -> dict[str, Any]:
    each = {"spec": {"devices": [device]}}
    restore_in_slice(each, {"spec": {"devices": [sent]}}, Layout.FLAT, RULES[release])
    return device


def test_an_empty_list_of_conditions_is_restored_beside_one_that_is_not() -> None:
    sent: dict[str, Any] = {"bindingConditions": [], "bindingFailureConditions": ["a"]}
    claim = {"status": {"allocation": {"devices": {"results": [{"bindingFailureConditions": ["a"]}]}}}}
    restore_in_status(claim, {"status": {"allocation": {"devices": {"results": [sent]}}}})
    assert claim["status"]["allocation"]["devices"]["results"] == [sent]
    assert restored({"bindingFailureConditions": ["a"]}, sent) == sent
    assert restored({}, {"bindingConditions": [], "bindingFailureConditions": []}) == {}


def test_an_empty_list_of_values_is_restored_where_attributes_can_be_lists() -> None:
    sent: dict[str, Any] = {"attributes": {"a": {"ints": []}}}
    assert restored({"attributes": {"a": {}}}, sent) == sent
    assert restored({"attributes": {"a": {}}}, sent, "1.35") == {"attributes": {"a": {}}}


@pytest.mark.parametrize(
    ("release", "on", "expected"),
    [
        ("1.35", True, {"devices": [], "sharedCounters": []}),
        ("1.35", False, {}),
        ("1.34", True, {}),
    ],
)
def test_empty_devices_and_counter_sets_exclude_each_other_where_sets_stand_alone(
    release: str,
    on: bool,  # noqa: FBT001 - a column of the table
    expected: dict[str, Any],
) -> None:
    each: dict[str, Any] = {"spec": {}}
    rules = rules_with(release, DRAPartitionableDevices=on)
    restore_in_slice(each, {"spec": {"devices": [], "sharedCounters": []}}, Layout.FLAT, rules)
    assert each["spec"] == expected


@pytest.mark.parametrize("sent", ODD)
def test_bodies_of_any_shape_are_looked_into(sent: Any) -> None:
    each: dict[str, Any] = {"spec": {"devices": [{"basic": {}}]}, "status": {}}
    restore_in_slice(each, sent, Layout.NESTED, RULES["1.36"])
    restore_in_status(each, sent)
    assert each == {"spec": {"devices": [{"basic": {}}]}, "status": {}}
