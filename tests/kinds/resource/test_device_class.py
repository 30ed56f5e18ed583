"""DeviceClass since v1alpha3: generation, validation and gated fields."""

from typing import Any

import pytest

from fakeapi.kinds.resource.device_class import DeviceClassStrategy
from fakeapi.machinery.cel.compiler import Invalid
from tests.kinds.resource.builders import RULES, places, rules_with

NODES = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "gpu", "operator": "Exists"}]}]}
LARGE = {"opaque": {"driver": "d", "parameters": {"big": "x" * 10 * 1024}}}


def device_class(generation: int | None = None, **spec: Any) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": "gpu"}
    if generation is not None:
        metadata["generation"] = generation
    return {"metadata": metadata, "spec": spec}


def strategy(release: str = "1.33", **gates: bool) -> DeviceClassStrategy:
    return DeviceClassStrategy(rules_with(release, **gates))


def selector(expression: str = "true") -> dict[str, Any]:
    return {"cel": {"expression": expression}}


def test_a_new_class_is_of_the_first_generation() -> None:
    assert strategy().prepare_create(device_class(7)) == device_class(1)


def test_a_class_whose_spec_changes_is_of_the_next_generation() -> None:
    old = device_class(3, selectors=[selector()])
    assert strategy().prepare_update(device_class(3), old) == device_class(4)
    assert strategy().prepare_update(device_class(3, selectors=[selector()]), old) == old


def test_suitable_nodes_of_1_31_go_where_no_controller_is_asked_for() -> None:
    new = device_class(suitableNodes=NODES)
    assert "suitableNodes" not in strategy("1.31").prepare_create(device_class(suitableNodes=NODES))["spec"]
    kept = strategy("1.31", DRAControlPlaneController=True).prepare_create(new)
    assert kept["spec"]["suitableNodes"] == NODES


def test_suitable_nodes_stay_with_a_class_that_has_them() -> None:
    old = device_class(1, suitableNodes=NODES)
    assert strategy("1.31").prepare_update(device_class(1, suitableNodes=NODES), old) == old
    assert strategy("1.31").prepare_update(
        device_class(1, suitableNodes=NODES), device_class(1)
    ) == device_class(1)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, []),
        ({"selectors": [selector()], "config": [{"opaque": {"driver": "d", "parameters": {}}}]}, []),
        ({"selectors": [{}], "config": [{}]}, ["spec.selectors[0].cel", "spec.config[0].opaque"]),
        ({"selectors": [selector()] * 33}, ["spec.selectors"]),
        ({"config": [LARGE]}, ["spec.config[0].opaque.parameters"]),
        ({"suitableNodes": {"nodeSelectorTerms": None}}, ["suitableNodes.nodeSelectorTerms"]),
    ],
)
def test_a_class_has_selectors_and_configuration(spec: dict[str, Any], expected: list[str]) -> None:
    assert places(strategy().validate_create(device_class(**spec))) == expected


def test_what_is_wrong_with_an_update_is_said_twice() -> None:
    errors = strategy().validate_update(device_class(selectors=[{}]), device_class())
    assert places(errors) == ["spec.selectors[0].cel"] * 2


def test_configuration_that_is_as_it_was_is_let_pass_the_second_time() -> None:
    same = device_class(config=[LARGE])
    assert places(strategy().validate_update(same, device_class(config=[LARGE]))) == [
        "spec.config[0].opaque.parameters"
    ]
    assert len(strategy().validate_update(same, device_class(config=[]))) == 2


def test_expressions_are_asked_of_the_check_for_devices() -> None:
    checked = DeviceClassStrategy(RULES["1.33"], lambda _: Invalid("does not compile"))
    errors = checked.validate_create(device_class(selectors=[selector()]))
    assert places(errors) == ["spec.selectors[0].cel.expression"]


def test_the_name_of_an_extended_resource_goes_with_its_gate() -> None:
    named = device_class(1, extendedResourceName="example.com/gpu")
    assert strategy("1.34").prepare_create(named) == device_class(1)
    assert strategy("1.34").prepare_update({**named}, device_class(1)) == device_class(1)
    on = strategy("1.34", DRAExtendedResource=True)
    assert on.prepare_create({**named, "spec": {"extendedResourceName": "cpu"}})["spec"] != {}
    assert places(on.validate_create(device_class(1, extendedResourceName="cpu"))) == [
        "spec.extendedResourceName"
    ]


@pytest.mark.parametrize(("release", "times"), [("1.34", 2), ("1.35", 1)])
def test_from_1_35_on_an_update_says_once_what_is_wrong(release: str, times: int) -> None:
    bad = device_class(1, selectors=[{}])
    assert places(strategy(release).validate_update(bad, bad)) == ["spec.selectors[0].cel"] * times
