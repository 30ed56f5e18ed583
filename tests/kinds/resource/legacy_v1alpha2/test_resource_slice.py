"""Validation of ResourceSlice of resource.k8s.io/v1alpha2."""

from typing import Any

import pytest

from fakeapi.kinds.resource.legacy_v1alpha2.resource_slice import ResourceSliceStrategy
from tests.kinds.resource.builders import RULES, Triple, places, triples

STRATEGY = ResourceSliceStrategy(RULES["1.30"])


def resource_slice(**fields: Any) -> dict[str, Any]:
    return {"nodeName": "n1", "driverName": "d", "namedResources": {"instances": []}} | fields


def with_attributes(*attributes: dict[str, Any]) -> dict[str, Any]:
    instances = [{"name": "gpu-0", "attributes": list(attributes)}]
    return resource_slice(namedResources={"instances": instances})


def test_a_slice_may_be_without_a_node_and_without_instances() -> None:
    assert STRATEGY.validate_create({"driverName": "d", "namedResources": {"instances": None}}) == []


def test_a_slice_has_a_model() -> None:
    errors = STRATEGY.validate_create({"driverName": "d"})
    assert triples(errors) == [
        ("<nil>", "Required", "Required value: exactly one structured model field must be set")
    ]


def test_instances_differ_in_name() -> None:
    instances = [{"name": "a"}, {"name": "a"}, {"name": "Bad_"}]
    errors = STRATEGY.validate_create(resource_slice(namedResources={"instances": instances}))
    assert places(errors) == ["namedResources.instances[1].name", "namedResources.instances[2].name"]


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        ({"int": 0}, []),
        ({"version": "1.2.3"}, []),
        ({"stringSlice": {"strings": None}}, []),
        ({}, [("", "Required", "Required value: exactly one value must be set")]),
        (
            {"string": "", "int": 1},
            [
                (
                    "",
                    "Invalid",
                    'Invalid value: []string{"int", "string"}: exactly one field must be set, not several',
                )
            ],
        ),
        (
            {"version": "1"},
            [
                (
                    ".version",
                    "Invalid",
                    'Invalid value: "1": must be a string compatible with semver.org spec 2.0.0',
                )
            ],
        ),
    ],
)
def test_an_attribute_has_one_value(attribute: dict[str, Any], expected: list[Triple]) -> None:
    path = "namedResources.instances[0].attributes[0]"
    errors = triples(STRATEGY.validate_create(with_attributes({"name": "a", **attribute})))
    assert errors == [(path + field, reason, message) for field, reason, message in expected]


def test_a_slice_stays_with_its_node_and_its_driver() -> None:
    new = resource_slice(driverName="other", nodeName="n2")
    assert triples(STRATEGY.validate_update(new, resource_slice())) == [
        ("nodeName", "Invalid", 'Invalid value: "n2": field is immutable'),
        ("driverName", "Invalid", 'Invalid value: "other": field is immutable'),
    ]
    gone = {name: value for name, value in resource_slice().items() if name != "nodeName"}
    assert triples(STRATEGY.validate_update(gone, resource_slice())) == [
        ("nodeName", "Invalid", 'Invalid value: "": field is immutable')
    ]


def test_the_instances_of_a_slice_may_change() -> None:
    assert STRATEGY.validate_update(with_attributes({"name": "a", "bool": False}), resource_slice()) == []
