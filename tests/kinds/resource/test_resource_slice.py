"""ResourceSlice since v1alpha3: validation, generation and gated fields."""

import copy
from typing import Any

import pytest

from fakeapi.kinds.resource.conversion.slices import SLICE_CONVERSIONS
from fakeapi.kinds.resource.layout import Layout
from fakeapi.kinds.resource.resource_slice import ResourceSliceStrategy
from tests.kinds.resource.builders import Triple, places, rules_with, triples

NOW = "2030-01-01T00:00:00Z"
RELEASES = ["1.31", "1.32", "1.33"]
TERM = {"matchExpressions": [{"key": "gpu", "operator": "Exists"}]}
ONE_OF_THREE = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required"
ONE_OF_FOUR = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
CONSUMED = {"counterSet": "a", "counters": {"c": {"value": "1"}}}
TAINT = {"key": "k", "effect": "NoSchedule"}


def strategy(release: str = "1.33", *, layout: Layout = Layout.FLAT, **gates: bool) -> ResourceSliceStrategy:
    return ResourceSliceStrategy(rules_with(release, **gates), lambda: NOW, layout=layout)


def resource_slice(generation: int = 1, **spec: Any) -> dict[str, Any]:
    pool = {"name": "pool-1", "generation": 0, "resourceSliceCount": 1}
    whole = {"driver": "d", "pool": pool, "nodeName": "n1", "devices": None} | spec
    spec = {name: value for name, value in whole.items() if value is not None or name == "devices"}
    return {"metadata": {"name": "s", "generation": generation}, "spec": spec}


def device(name: str = "gpu-0", **parts: Any) -> dict[str, Any]:
    """Returns a device of a ResourceSlice in the layout of v1beta2 and v1. `parts`: the device's fields."""
    return {"name": name, **parts}


def nested_device(**parts: Any) -> dict[str, Any]:
    """Returns a device of a ResourceSlice in the layout of v1alpha3 and v1beta1.

    `parts`: the device's fields.
    """
    return {"name": "gpu-0", "basic": parts}


def created(release: str, **spec: Any) -> list[Triple]:
    return triples(strategy(release).validate_create(resource_slice(**spec)))


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"devices": [device(), device("gpu-1")]},
        {"nodeName": None, "allNodes": True},
        {"nodeName": None, "nodeSelector": {"nodeSelectorTerms": [TERM]}},
    ],
)
def test_a_slice_has_a_pool_and_says_where_it_can_be_used(release: str, spec: dict[str, Any]) -> None:
    assert created(release, **spec) == []


@pytest.mark.parametrize("release", RELEASES)
def test_a_pool_has_a_name_a_size_and_a_generation(release: str) -> None:
    pool = {"name": "", "generation": -1, "resourceSliceCount": 0}
    assert [field for field, _, _ in created(release, pool=pool)] == [
        "spec.pool.name",
        "spec.pool.resourceSliceCount",
        "spec.pool.generation",
    ]


@pytest.mark.parametrize(
    ("release", "expected"),
    [("1.31", ONE_OF_THREE), ("1.32", ONE_OF_THREE), ("1.33", ONE_OF_FOUR)],
)
def test_some_choice_of_nodes_is_required(release: str, expected: str) -> None:
    assert created(release, nodeName=None) == [("spec", "Required", f"Required value: {expected}")]


SHOWN = (
    'resource.ResourceSliceSpec{Driver:"d", Pool:resource.ResourcePool{Name:"pool-1", Generation:0, '
    'ResourceSliceCount:1}, NodeName:"n1", NodeSelector:(*core.NodeSelector)(nil), AllNodes:true, '
    "Devices:[]resource.Device(nil)}"
)


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        ("1.31", f"{SHOWN}: {ONE_OF_THREE}"),
        ("1.32", f'"null": {ONE_OF_THREE}'),
        ("1.33", f'"{{`nodeName`, `allNodes`}}": {ONE_OF_FOUR}, but multiple fields are set'),
    ],
)
def test_no_two_choices_of_nodes_are_made(release: str, expected: str) -> None:
    assert created(release, allNodes=True) == [("spec", "Invalid", f"Invalid value: {expected}")]


def test_1_31_shows_the_devices_of_a_slice_without_a_clear_choice_of_nodes() -> None:
    capacity = {"memory": {"value": "1Gi"}}
    [(_, _, message)] = created("1.31", allNodes=True, devices=[device(capacity=capacity)])
    shown = SHOWN.replace(
        "[]resource.Device(nil)",
        '[]resource.Device{resource.Device{Name:"gpu-0", Basic:(*resource.BasicDevice)(0xc000012345)}}',
    )
    assert message == f"Invalid value: {shown}: {ONE_OF_THREE}"


@pytest.mark.parametrize(
    ("release", "word"), [("1.31", "selector"), ("1.32", "node selector"), ("1.33", "node selector")]
)
def test_a_selector_of_nodes_has_one_term(release: str, word: str) -> None:
    terms: list[dict[str, Any]] = [
        {},
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]},
    ]
    [(field, reason, message)] = created(release, nodeName=None, nodeSelector={"nodeSelectorTerms": terms})
    nothing = "[]core.NodeSelectorRequirement(nil)"
    requirement = 'core.NodeSelectorRequirement{Key:"metadata.name", Operator:"In", Values:[]string{"n"}}'
    assert (field, reason) == ("spec.nodeSelector.nodeSelectorTerms", "Invalid")
    assert message == (
        f"Invalid value: []core.NodeSelectorTerm{{core.NodeSelectorTerm{{MatchExpressions:{nothing}, "
        f"MatchFields:{nothing}}}, core.NodeSelectorTerm{{MatchExpressions:{nothing}, "
        f"MatchFields:[]core.NodeSelectorRequirement{{{requirement}}}}}}}: "
        f"must have exactly one {word} term"
    )


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"nodeName": ""}, ["spec.nodeName", "spec"]),
        ({"nodeName": None, "allNodes": False}, ["spec.allNodes", "spec"]),
        ({"perDeviceNodeSelection": False}, ["spec.perDeviceNodeSelection"]),
        ({"nodeName": None, "perDeviceNodeSelection": True}, []),
    ],
)
def test_a_choice_is_made_or_absent(spec: dict[str, Any], expected: list[str]) -> None:
    assert [field for field, _, _ in created("1.33", **spec)] == expected


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        ("1.31", ("spec.devices", "TooLong", "Too long: may not be longer than 128")),
        ("1.33", ("spec.devices", "TooMany", "Too many: 129: must have at most 128 items")),
    ],
)
def test_a_slice_has_at_most_128_devices(release: str, expected: Triple) -> None:
    assert created(release, devices=[device(f"gpu-{number}") for number in range(129)]) == [expected]


@pytest.mark.parametrize("release", RELEASES)
def test_devices_differ_in_name(release: str) -> None:
    obj = created(release, devices=[device(), device()])
    assert obj == [("spec.devices[1].name", "Duplicate", 'Duplicate value: "gpu-0"')]


@pytest.mark.parametrize(("release", "nothing"), [("1.31", '""'), ("1.33", '"null"')])
def test_a_slice_stays_with_its_pool_its_driver_and_its_node(release: str, nothing: str) -> None:
    pool = {"name": "other", "generation": 1, "resourceSliceCount": 2}
    new = resource_slice(pool=pool, driver="other", nodeName=None, allNodes=True)
    assert triples(strategy(release).validate_update(new, resource_slice())) == [
        ("spec.pool.name", "Invalid", 'Invalid value: "other": field is immutable'),
        ("spec.driver", "Invalid", 'Invalid value: "other": field is immutable'),
        ("spec.nodeName", "Invalid", f"Invalid value: {nothing}: field is immutable"),
    ]


def test_a_slice_counts_the_generations_of_its_spec() -> None:
    assert strategy().prepare_create(resource_slice(9)) == resource_slice(1)
    changed = strategy().prepare_update(resource_slice(devices=[device()]), resource_slice())
    assert changed == resource_slice(2, devices=[device()])
    assert strategy().prepare_update(resource_slice(), resource_slice()) == resource_slice()


def test_taints_are_added_now() -> None:
    added = {**TAINT, "timeAdded": NOW}
    nested = strategy(layout=Layout.NESTED).default(
        resource_slice(devices=[nested_device(taints=[dict(TAINT)])])
    )
    assert nested["spec"]["devices"] == [nested_device(taints=[added])]
    flat = strategy().default(resource_slice(devices=[{"name": "d", "taints": [dict(TAINT)]}]))
    assert flat["spec"]["devices"] == [{"name": "d", "taints": [added]}]


@pytest.mark.parametrize(("release", "expected"), [("1.32", {}), ("1.33", {"basic": {}})])
def test_1_33_makes_every_device_basic(release: str, expected: dict[str, Any]) -> None:
    obj = strategy(release, layout=Layout.NESTED).default(resource_slice(devices=[{"name": "d"}]))
    assert obj["spec"]["devices"] == [{"name": "d", **expected}]


@pytest.mark.parametrize("version", ["v1alpha3", "v1beta1"])
@pytest.mark.parametrize(
    ("release", "expected"),
    [("1.31", ["spec.devices[0].basic"]), ("1.32", ["spec.devices[0].basic"]), ("1.33", [])],
)
def test_a_device_that_is_not_basic_is_refused_up_to_1_32(
    release: str, version: str, expected: list[str]
) -> None:
    rules = strategy(release, layout=Layout.NESTED)
    sent = rules.default(resource_slice(devices=[{"name": "d"}]))
    stored = rules.prepare_create(SLICE_CONVERSIONS[version].to_hub(sent))
    assert places(rules.validate_create(stored)) == expected


PARTITIONED: dict[str, Any] = {
    "nodeName": "n",
    "allNodes": True,
    "nodeSelector": {},
    "consumesCounters": [{}],
}


def test_fields_behind_a_gate_that_is_off_go() -> None:
    full = resource_slice(
        devices=[device(taints=[TAINT], **PARTITIONED)],
        sharedCounters=[{"name": "s"}],
        perDeviceNodeSelection=True,
    )
    assert strategy().prepare_create(copy.deepcopy(full)) == resource_slice(devices=[device()])
    tainted = strategy(DRADeviceTaints=True).prepare_create(copy.deepcopy(full))
    assert tainted == resource_slice(devices=[device(taints=[TAINT])])
    parted = strategy(DRAPartitionableDevices=True).prepare_create(copy.deepcopy(full))
    assert parted["spec"]["sharedCounters"] == [{"name": "s"}]
    assert parted["spec"]["devices"] == [device(**PARTITIONED)]


@pytest.mark.parametrize(
    "used",
    [
        {"devices": [device(taints=[TAINT])]},
        {"devices": [device(consumesCounters=[{}])]},
        {"sharedCounters": [{"name": "s"}]},
        {"perDeviceNodeSelection": True},
    ],
)
def test_fields_that_a_slice_has_stay(used: dict[str, Any]) -> None:
    old = resource_slice(**used)
    assert strategy().prepare_update(copy.deepcopy(old), old) == old


def test_a_field_that_is_dropped_makes_a_new_generation_all_the_same() -> None:
    new = resource_slice(devices=[device(taints=[TAINT])])
    assert strategy().prepare_update(new, resource_slice(devices=[device()])) == resource_slice(
        2, devices=[device()]
    )


def test_what_is_wrong_is_said_in_upstream_s_order() -> None:
    new = resource_slice(
        driver="",
        allNodes=True,
        devices=[device("Bad_", consumesCounters=[{"counterSet": "t", "counters": {"x": {"value": "1"}}}])],
        sharedCounters=[{"name": "s"}],
    )
    errors = places(strategy(DRAPartitionableDevices=True).validate_create(new))
    assert errors == [
        "spec.driver",
        "spec.driver",
        "spec",
        "spec.devices[0].name",
        "spec.devices[0].consumesCounters[0].counterSet",
        "spec.sharedCounters[0].counters",
    ]


def counter_set(name: str, counters: int = 1) -> dict[str, Any]:
    return {"name": name, "counters": {f"c{number}": {"value": "1"} for number in range(counters)}}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"devices": None, "sharedCounters": [counter_set("a", 32)]}, []),
        ({"devices": [device()], "sharedCounters": [counter_set("a")]}, ["spec"]),
        ({"devices": None, "sharedCounters": [counter_set("a", 33)]}, ["spec.sharedCounters[0].counters"]),
        (
            {"devices": None, "sharedCounters": [counter_set(f"a{number}") for number in range(9)]},
            ["spec.sharedCounters"],
        ),
        ({"devices": None, "sharedCounters": [counter_set("a")] * 2}, ["spec.sharedCounters[1]"]),
        ({"devices": [device(consumesCounters=[CONSUMED])]}, []),
        (
            {"devices": [device(consumesCounters=[{**CONSUMED, "counterSet": f"s{n}"} for n in range(3)])]},
            ["spec.devices[0].consumesCounters"],
        ),
        (
            {"devices": [device(consumesCounters=[{**CONSUMED, "counterSet": "Bad_"}])]},
            ["spec.devices[0].consumesCounters[0].counterSet"],
        ),
        ({"devices": [device(f"d{n}") for n in range(128)]}, []),
        ({"devices": [device(f"d{n}", taints=[TAINT]) for n in range(65)]}, ["spec.devices"]),
    ],
)
def test_from_1_35_on_counter_sets_have_slices_and_limits_of_their_own(
    spec: dict[str, Any], expected: list[str]
) -> None:
    assert [field for field, _, _ in created("1.35", **spec)] == expected


def test_from_1_35_on_taints_that_stay_are_not_looked_at() -> None:
    odd = resource_slice(devices=[device(taints=[{"key": "bad key!", "effect": "Maybe"}])])
    assert strategy("1.35").validate_update(odd, odd) == []
    assert places(strategy("1.34").validate_update(odd, odd)) != []


def test_from_1_35_on_a_driver_in_uppercase_is_warned_of() -> None:
    assert strategy("1.34").warnings_on_create(resource_slice(driver="GPU")) == []
    assert strategy("1.35").warnings_on_create(resource_slice(driver="gpu")) == []
    assert strategy("1.35").warnings_on_update(resource_slice(driver="GPU"), resource_slice()) == [
        'spec.driver: driver names should be lowercase; "GPU" contains uppercase characters'
    ]


def test_a_device_of_1_36_has_up_to_48_values() -> None:
    many = device(attributes={"a": {"ints": list(range(49))}})
    assert [field for field, _, _ in created("1.36", devices=[many])] == ["spec.devices[0]"]
