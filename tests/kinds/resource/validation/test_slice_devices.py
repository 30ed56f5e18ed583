"""Validation of the devices in ResourceSlices."""

from typing import Any

import pytest

from fakeapi.kinds.resource.conversion.slices import NOT_BASIC
from fakeapi.kinds.resource.validation.slice_devices import (
    Surroundings,
    validate_basic_device,
    validate_device,
)
from tests.kinds.resource.builders import RULES, Triple, triples


def device(**parts: Any) -> dict[str, Any]:
    return {"name": "gpu-0", **parts}


def quantities(**values: str) -> dict[str, Any]:
    return {name: {"value": value} for name, value in values.items()}


def found(
    release: str,
    value: dict[str, Any],
    *,
    chooses_nodes: bool = False,
    old: dict[str, dict[str, Any]] | None = None,
) -> list[Triple]:
    rules = RULES[release]
    if "DRAPartitionableDevices" in rules.gates:
        return triples(validate_device(value, "d", Surroundings({}, old or {}, chooses_nodes), rules))
    return triples(validate_basic_device(value, "d", rules))


RELEASES = ["1.31", "1.32", "1.33"]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"attributes": {"model": {"string": "A"}, "d.example.com/index": {"int": 0}, "ok": {"bool": False}}},
        {
            "attributes": {"v": {"version": "1.2.3"}},
            "capacity": quantities(**{"memory": "80Gi", "d.example.com/x": "1"}),
        },
        {"attributes": {"a/b/c": {"int": 1}}},
    ],
)
def test_a_device_has_attributes_of_one_value_and_capacities(release: str, parts: dict[str, Any]) -> None:
    assert found(release, device(**parts)) == []


@pytest.mark.parametrize(("release", "expected"), [("1.31", ["d.basic"]), ("1.32", ["d.basic"])])
def test_a_device_has_to_be_basic_up_to_1_32(release: str, expected: list[str]) -> None:
    assert [field for field, _, _ in found(release, {"name": "gpu-0", **NOT_BASIC})] == expected


@pytest.mark.parametrize(
    ("release", "place", "word"),
    [
        ("1.31", "d.basic.attributes[two]", "exactly one field must be specified"),
        ("1.32", "d.basic.attributes[two]", "exactly one value must be specified"),
        ("1.33", "d.attributes[two]", "exactly one value must be specified"),
    ],
)
def test_an_attribute_has_not_two_values(release: str, place: str, word: str) -> None:
    [(field, reason, message)] = found(release, device(attributes={"two": {"int": 1, "string": "a"}}))
    assert (field, reason) == (place, "Invalid")
    assert message == (
        "Invalid value: resource.DeviceAttribute{IntValue:(*int64)(0xc000012345), BoolValue:(*bool)(nil), "
        f"StringValue:(*string)(0xc000012345), VersionValue:(*string)(nil)}}: {word}"
    )


@pytest.mark.parametrize("release", RELEASES)
def test_an_attribute_has_not_no_value(release: str) -> None:
    [(_, reason, message)] = found(release, device(attributes={"none": {}}))
    assert (reason, message) == ("Required", "Required value: exactly one value must be specified")


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        ("1.31", ("d.basic.attributes[a].string", "TooLong", "Too long: may not be longer than 64")),
        ("1.32", ("d.basic.attributes[a].string", "TooLong", "Too long: may not be more than 64 bytes")),
        ("1.33", ("d.attributes[a].string", "TooLong", "Too long: may not be more than 64 bytes")),
    ],
)
def test_an_attribute_is_not_long(release: str, expected: Triple) -> None:
    assert found(release, device(attributes={"a": {"string": "x" * 64}})) == []
    assert found(release, device(attributes={"a": {"string": "x" * 65}})) == [expected]


@pytest.mark.parametrize(
    ("release", "place"),
    [("1.31", "d.basic.capacity"), ("1.32", "d.basic.capacity[bad-id]"), ("1.33", "d.capacity[bad-id]")],
)
def test_what_is_wrong_with_a_key_is_said_of_the_key_from_1_32(release: str, place: str) -> None:
    assert [field for field, _, _ in found(release, device(capacity=quantities(**{"bad-id": "1"})))] == [
        place
    ]


def test_a_key_that_is_too_long_is_shortened_in_paths() -> None:
    key = "d" * 100 + "/x"
    fields = {field for field, _, _ in found("1.33", device(capacity=quantities(**{key: "1"})))}
    assert fields == {f"d.capacity[{'d' * 47}...{'d' * 44}/x]"}


@pytest.mark.parametrize(("release", "place"), [("1.31", "d.basic"), ("1.32", "d.basic"), ("1.33", "d")])
def test_attributes_and_capacities_are_limited_together(release: str, place: str) -> None:
    attributes = {f"a{number}": {"int": number} for number in range(16)}
    capacity = quantities(**{f"c{number}": "1" for number in range(17)})
    assert found(release, device(attributes=attributes, capacity=capacity)) == [
        (
            place,
            "Invalid",
            "Invalid value: 33: the total number of attributes and capacities must not exceed 32",
        )
    ]


def test_a_device_has_at_most_four_taints() -> None:
    taints = [{"key": f"k{number}", "effect": "NoExecute"} for number in range(5)]
    assert found("1.33", device(taints=taints)) == [
        ("d.taints", "TooMany", "Too many: 5: must have at most 4 items")
    ]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"nodeName": "n"}, []),
        ({"allNodes": True}, []),
        ({"nodeSelector": {"nodeSelectorTerms": [{}]}}, []),
        ({}, ["d"]),
        ({"nodeName": "", "allNodes": False}, ["d.nodeName", "d.allNodes", "d"]),
        ({"nodeName": "Bad_", "allNodes": True}, ["d.nodeName", "d"]),
    ],
)
def test_a_device_chooses_nodes_in_one_way_where_it_chooses(
    parts: dict[str, Any], expected: list[str]
) -> None:
    assert [field for field, _, _ in found("1.33", device(**parts), chooses_nodes=True)] == expected


def test_a_device_does_not_choose_nodes_where_the_slice_does() -> None:
    [(field, reason, message)] = found("1.33", device(allNodes=False))
    assert (field, reason) == ("d", "Invalid")
    assert message.startswith(
        'Invalid value: "null": `nodeName`, `nodeSelector` and `allNodes` can only be set'
    )
