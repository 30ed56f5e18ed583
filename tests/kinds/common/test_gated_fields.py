"""The server drops fields while their feature gate is off, unless the stored object uses them."""

from typing import Any

import pytest

from fakeapi.kinds.common.gated_fields import REMOVED, GatedFields, drop_disabled_fields
from fakeapi.kinds.resource import gates
from tests.kinds.resource.builders import rules_with

OFF = rules_with("1.36", DRAListTypeAttributes=False)
ON = rules_with("1.36", DRAListTypeAttributes=True)


def gated(*paths: str, **options: Any) -> GatedFields:
    return GatedFields(gates.LIST_TYPE_ATTRIBUTES, paths, **options)


@pytest.mark.parametrize(
    ("path", "spec", "left"),
    [
        ("spec.a", {"a": 1, "b": 2}, {"b": 2}),
        ("spec.list[].a", {"list": [{"a": 1}, {"b": 2}]}, {"list": [{}, {"b": 2}]}),
        ("spec.map{}.a", {"map": {"x": {"a": 1}, "y": {"b": 2}}}, {"map": {"x": {}, "y": {"b": 2}}}),
        (
            "spec.@requests.a",
            {"requests": [{"exactly": {"a": 1}}, {"firstAvailable": [{"a": 1}]}]},
            {"requests": [{"exactly": {}}, {"firstAvailable": [{}]}]},
        ),
        ("spec.list[].a", {"list": None}, {"list": None}),
    ],
)
def test_disabled_fields_are_dropped_unless_the_stored_object_has_them(
    path: str, spec: dict[str, Any], left: dict[str, Any]
) -> None:
    new = {"metadata": {}, "spec": spec}
    assert drop_disabled_fields(new, None, [gated(path)], OFF)["spec"] == left
    assert drop_disabled_fields(new, {"spec": {}}, [gated(path)], OFF)["spec"] == left
    assert drop_disabled_fields(new, new, [gated(path)], OFF) is new
    assert drop_disabled_fields(new, None, [gated(path)], ON) is new


def test_dropping_disabled_fields_does_not_change_the_object_in_place() -> None:
    new: dict[str, Any] = {"spec": {"map": {"x": {"a": 1}}}}
    drop_disabled_fields(new, None, [gated("spec.map{}.a")], OFF)
    assert new == {"spec": {"map": {"x": {"a": 1}}}}


def test_an_empty_value_of_the_stored_object_uses_the_field_but_null_does_not() -> None:
    new = {"spec": {"a": [1]}}
    assert drop_disabled_fields(new, {"spec": {"a": []}}, [gated("spec.a")], OFF) == new
    assert drop_disabled_fields(new, {"spec": {"a": None}}, [gated("spec.a")], OFF) == {"spec": {}}


def test_other_fields_of_the_stored_object_can_show_the_use() -> None:
    line = gated("spec.a", used_at=("status.b",))
    new = {"spec": {"a": 1}}
    assert drop_disabled_fields(new, {"spec": {}, "status": {"b": 1}}, [line], OFF) == new
    assert drop_disabled_fields(new, new, [line], OFF) == {"spec": {}}


def test_one_of_several_gates_is_enough_to_keep_the_fields() -> None:
    line = GatedFields((gates.LIST_TYPE_ATTRIBUTES, gates.DEVICE_TAINTS), ("spec.a",))
    new = {"spec": {"a": 1}}
    off = {gates.LIST_TYPE_ATTRIBUTES: False, gates.DEVICE_TAINTS: False}
    for gate, on in ((gates.LIST_TYPE_ATTRIBUTES, False), (gates.DEVICE_TAINTS, True)):
        left = drop_disabled_fields(new, None, [line], rules_with("1.36", **{**off, gate: on}))
        assert left == (new if on else {"spec": {}})


def test_fields_of_a_removed_feature_are_dropped_unless_the_stored_object_has_them() -> None:
    line = GatedFields(REMOVED, ("spec.a",))
    new = {"spec": {"a": 1}}
    assert drop_disabled_fields(new, None, [line], ON) == {"spec": {}}
    assert drop_disabled_fields(new, new, [line], ON) is new


def test_a_rule_that_the_release_does_not_have_drops_nothing() -> None:
    new = {"spec": {"a": 1}}
    assert drop_disabled_fields(new, None, [gated("spec.a", when=lambda quirks: False)], OFF) is new
