"""Objects are encoded as the JSON of Kubernetes' internal types."""

import json

import pytest

from fakeapi.machinery.codec import RawJson
from fakeapi.machinery.schema.unversioned_json import unversioned_json
from fakeapi.releases import load_release

SCHEMAS = load_release("1.34").schemas


def shown(value: object, name: str) -> str:
    return unversioned_json(value, SCHEMAS.struct(name))


def test_every_field_is_written_under_its_go_name_whether_it_is_set_or_not() -> None:
    text = shown({"devices": {"requests": [{"name": "gpu"}]}}, "resource/v1.ResourceClaimSpec")
    assert text == (
        '{"Devices":{"Requests":[{"Name":"gpu","Exactly":null,"FirstAvailable":null}],"Constraints":null,'
        '"Config":null}}'
    )


def test_what_is_no_pointer_has_its_zero_value() -> None:
    decoded = json.loads(shown({}, "resource/v1.DeviceSubRequest"))
    assert decoded == {
        "Name": "",
        "DeviceClassName": "",
        "Selectors": None,
        "AllocationMode": "",
        "Count": 0,
        "Tolerations": None,
        "Capacity": None,
    }


def test_metadata_of_a_template_is_embedded_and_keeps_its_tags() -> None:
    value = {"metadata": {"labels": {"a": "1"}}, "spec": {"devices": {"requests": None}}}
    text = shown(value, "resource/v1.ResourceClaimTemplateSpec")
    assert text.startswith('{"labels":{"a":"1"},"Spec":{"Devices":{')


@pytest.mark.parametrize(
    ("name", "go"),
    [("resource/v1.DeviceAttribute", "IntValue"), ("resource/v1.ResourceClaimConsumerReference", "APIGroup")],
)
def test_names_that_go_spells_otherwise(name: str, go: str) -> None:
    assert go in json.loads(shown({}, name))


def test_texts_of_drivers_are_compact_and_html_is_escaped() -> None:
    value = {"driver": "a<b", "parameters": RawJson(b'{ "x": "&" }', {"x": "&"})}
    assert shown(value, "resource/v1.OpaqueDeviceConfiguration") == (
        '{"Driver":"a\\u003cb","Parameters":{"x":"\\u0026"}}'
    )


def test_the_empty_lists_of_a_nested_label_selector_are_left_out() -> None:
    expressions = [{"key": "a", "operator": "In", "values": []}]
    constraint = {"labelSelector": {"matchExpressions": expressions}, "matchLabelKeys": []}
    decoded = json.loads(shown(constraint, "core/v1.TopologySpreadConstraint"))
    assert decoded["LabelSelector"] == {"matchExpressions": [{"key": "a", "operator": "In"}]}
    assert decoded["MatchLabelKeys"] == []
    empty: dict[str, object] = {"labelSelector": {"matchExpressions": []}}
    assert json.loads(shown(empty, "core/v1.TopologySpreadConstraint"))["LabelSelector"] == {}
