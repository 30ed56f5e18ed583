"""Conversion of claims, templates and slices between v1alpha3 or v1beta1 and the internal version.

The internal version has the layout of v1beta2; so the tests use the schema of v1beta2 for it.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.kinds import definition_of
from fakeapi.kinds.resource.conversion.slices import NOT_BASIC
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.decoding import decode
from fakeapi.registry.model.conversion import IDENTITY, Conversion
from fakeapi.releases import load_release

RELEASE = load_release("1.33")
GROUP = "resource.k8s.io"
NESTED = ["v1alpha3", "v1beta1"]
HUB = "v1beta2"

nested_versions = pytest.mark.parametrize("version", NESTED)


def conversion(resource: str, version: str) -> Conversion:
    definition = definition_of(RELEASE.kind(GROUP, version, resource))
    return definition.conversions.get(version, IDENTITY)


def canonical(resource: str, version: str, spec: Object) -> Object:
    """Decodes an object with this spec and returns its canonical form.

    Raises AssertionError if strict decoding reports an error.
    """
    obj, strict = decode(
        {"metadata": {"name": "x"}, "spec": spec}, RELEASE.kind(GROUP, version, resource).schema
    )
    assert strict == []
    return obj


def assert_canonical(obj: Object, resource: str, version: str) -> None:
    again, strict = decode(obj, RELEASE.kind(GROUP, version, resource).schema)
    assert (again, strict) == (obj, [])
    assert repr(again) == repr(obj), "the order of fields is part of the form"


SUBREQUEST = {"name": "small", "deviceClassName": "b"}


@nested_versions
@pytest.mark.parametrize(
    ("nested", "flat"),
    [
        (
            {"name": "r", "deviceClassName": "a", "count": 2},
            {"name": "r", "exactly": {"deviceClassName": "a", "count": 2}},
        ),
        (
            {"name": "r", "deviceClassName": "", "firstAvailable": [SUBREQUEST]},
            {"name": "r", "firstAvailable": [SUBREQUEST]},
        ),
        (
            {
                "name": "r",
                "deviceClassName": "a",
                "firstAvailable": [SUBREQUEST],
                "tolerations": [{"key": "k"}],
            },
            {
                "name": "r",
                "exactly": {"deviceClassName": "a", "tolerations": [{"key": "k"}]},
                "firstAvailable": [SUBREQUEST],
            },
        ),
        ({"name": "r", "deviceClassName": ""}, {"name": "r"}),
        (
            {"name": "r", "deviceClassName": "", "adminAccess": False},
            {"name": "r", "exactly": {"deviceClassName": "", "adminAccess": False}},
        ),
    ],
)
def test_the_hub_says_under_exactly_what_a_request_says_by_itself(
    version: str, nested: Object, flat: Object
) -> None:
    form = conversion("resourceclaims", version)
    obj = canonical("resourceclaims", version, {"devices": {"requests": [nested]}})
    stored = canonical("resourceclaims", HUB, {"devices": {"requests": [flat]}})
    assert form.to_hub(obj) == stored
    assert form.from_hub(stored) == obj


@nested_versions
@pytest.mark.parametrize("name", ["selectors", "tolerations"])
def test_an_empty_list_that_decoding_restored_makes_a_request_an_exact_one(version: str, name: str) -> None:
    obj = canonical("resourceclaims", version, {"devices": {"requests": [{"name": "r"}]}})
    obj["spec"]["devices"]["requests"] = [{"name": "r", "deviceClassName": "", name: []}]
    stored = conversion("resourceclaims", version).to_hub(obj)
    kept: Object = {name: []} if name == "selectors" else {}
    assert stored["spec"]["devices"]["requests"] == [{"name": "r", "exactly": {"deviceClassName": ""} | kept}]


@nested_versions
def test_a_template_s_requests_are_those_of_its_claims(version: str) -> None:
    nested = {"spec": {"devices": {"requests": [{"name": "r", "deviceClassName": "a"}]}}}
    flat = {"spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "a"}}]}}}
    obj = canonical("resourceclaimtemplates", version, nested)
    stored = canonical("resourceclaimtemplates", HUB, flat)
    form = conversion("resourceclaimtemplates", version)
    assert (form.to_hub(obj), form.from_hub(stored)) == (stored, obj)


@pytest.mark.parametrize("version", [*NESTED, HUB])
def test_a_claim_without_requests_has_none_in_any_version(version: str) -> None:
    form, obj = conversion("resourceclaims", version), canonical("resourceclaims", version, {"devices": {}})
    assert form.to_hub(obj)["spec"] == {"devices": {"requests": None}}
    assert form.from_hub(obj)["spec"] == {"devices": {"requests": None}}


POOL = {"name": "p", "generation": 0, "resourceSliceCount": 1}


def slice_spec(*devices: Object, **fields: Any) -> Object:
    return {"driver": "d", "pool": POOL, "nodeName": "n", "devices": list(devices), **fields}


def test_capacity_is_an_object_from_v1beta1_on_and_devices_are_flat_in_the_hub() -> None:
    parts = {"attributes": {"a": {"int": 1}}, "capacity": {"memory": "1Gi"}, "allNodes": True}
    objects = {**parts, "capacity": {"memory": {"value": "1Gi"}}}
    quantities = slice_spec({"name": "d", "basic": parts}, {"name": "e", "basic": {}})
    nested = slice_spec({"name": "d", "basic": objects}, {"name": "e", "basic": {}})
    flat = slice_spec({"name": "d", **objects}, {"name": "e"})
    stored = canonical("resourceslices", HUB, flat)
    for version, spec in (("v1alpha3", quantities), ("v1beta1", nested), (HUB, flat)):
        form, shown = conversion("resourceslices", version), canonical("resourceslices", version, spec)
        assert form.to_hub(shown)["spec"] == stored["spec"]
        assert form.from_hub(stored)["spec"] == shown["spec"]


@nested_versions
def test_a_device_without_basic_stays_one_through_the_hub(version: str) -> None:
    form = conversion("resourceslices", version)
    obj = canonical("resourceslices", version, slice_spec({"name": "d"}, {"name": "e", "basic": {}}))
    stored = form.to_hub(obj)
    assert stored["spec"]["devices"] == [{"name": "d", **NOT_BASIC}, {"name": "e"}]
    assert form.from_hub(stored) == obj


@nested_versions
def test_what_only_v1beta2_can_say_wrongly_is_kept_for_its_refusal(version: str) -> None:
    flat = canonical("resourceslices", HUB, slice_spec(nodeName="", allNodes=False))
    stored = conversion("resourceslices", HUB).to_hub(flat)
    converted = conversion("resourceslices", version).from_hub(stored)
    for kept in (stored["spec"], converted["spec"]):
        assert (kept["nodeName"], kept["allNodes"]) == ("", False)


@pytest.mark.parametrize("resource", ["resourceclaims", "resourceclaimtemplates", "resourceslices"])
def test_v1beta2_is_like_the_hub(resource: str) -> None:
    assert conversion(resource, HUB) is IDENTITY
    assert all(conversion(resource, version) is not IDENTITY for version in NESTED)


names = st.sampled_from(["a", "b", "c"])
selectors = st.lists(st.just({"cel": {"expression": "true"}}), max_size=2)
tolerations = st.lists(
    st.fixed_dictionaries({}, optional={"key": names, "operator": st.just("Exists")}), max_size=2
)
wanted_fields = {
    "selectors": selectors,
    "allocationMode": st.sampled_from(["All", "ExactCount"]),
    "count": st.integers(0, 3),
    "tolerations": tolerations,
}
exact_fields = {**wanted_fields, "adminAccess": st.booleans()}
subrequests = st.fixed_dictionaries({"name": names, "deviceClassName": names}, optional=wanted_fields)
choices = {"firstAvailable": st.lists(subrequests, max_size=2)}
exactly = st.fixed_dictionaries({"deviceClassName": names}, optional=exact_fields)
flat_requests = st.fixed_dictionaries({"name": names}, optional={"exactly": exactly, **choices})
nested_requests = st.fixed_dictionaries(
    {"name": names}, optional={"deviceClassName": names, **exact_fields, **choices}
)

amounts = st.sampled_from(["1", "2Gi"])
quantities = st.dictionaries(names, amounts, max_size=2)
objects = st.dictionaries(names, st.fixed_dictionaries({"value": amounts}), max_size=2)
parts = {
    "attributes": st.dictionaries(names, st.just({"int": 1}), max_size=2),
    "nodeName": names,
    "allNodes": st.booleans(),
}
flat_devices = st.fixed_dictionaries({"name": names}, optional={**parts, "capacity": objects})


def nested_devices(capacity: st.SearchStrategy[Any]) -> st.SearchStrategy[Object]:
    basic = st.fixed_dictionaries({}, optional={**parts, "capacity": capacity})
    return st.fixed_dictionaries({"name": names}, optional={"basic": basic})


@nested_versions
@given(requests=st.lists(flat_requests, max_size=3))
def test_stored_requests_come_back_as_they_went_and_are_canonical_on_the_way(
    version: str, requests: list[Object]
) -> None:
    stored = canonical("resourceclaims", HUB, {"devices": {"requests": requests}})
    form = conversion("resourceclaims", version)
    obj = form.from_hub(stored)
    assert_canonical(obj, "resourceclaims", version)
    assert repr(form.to_hub(obj)) == repr(stored)


@nested_versions
@given(requests=st.lists(nested_requests, max_size=3))
def test_shown_requests_come_back_as_they_went_and_are_canonical_on_the_way(
    version: str, requests: list[Object]
) -> None:
    obj = canonical("resourceclaims", version, {"devices": {"requests": requests}})
    form = conversion("resourceclaims", version)
    stored = form.to_hub(obj)
    assert_canonical(stored, "resourceclaims", HUB)
    assert repr(form.from_hub(stored)) == repr(obj)


@nested_versions
@given(requests=st.lists(nested_requests, max_size=3))
def test_templates_are_converted_as_the_claims_that_are_made_from_them(
    version: str, requests: list[Object]
) -> None:
    spec = {"devices": {"requests": requests}}
    claim = canonical("resourceclaims", version, spec)
    template = canonical("resourceclaimtemplates", version, {"spec": spec})
    form = conversion("resourceclaimtemplates", version)
    stored = form.to_hub(template)
    assert_canonical(stored, "resourceclaimtemplates", HUB)
    assert stored["spec"]["spec"] == conversion("resourceclaims", version).to_hub(claim)["spec"]
    assert repr(form.from_hub(stored)) == repr(template)


@nested_versions
@given(devices=st.lists(flat_devices, max_size=3))
def test_stored_devices_come_back_as_they_went_and_are_canonical_on_the_way(
    version: str, devices: list[Object]
) -> None:
    stored = canonical("resourceslices", HUB, slice_spec(*devices))
    form = conversion("resourceslices", version)
    obj = form.from_hub(stored)
    assert_canonical(obj, "resourceslices", version)
    assert repr(form.to_hub(obj)) == repr(stored)


@pytest.mark.parametrize(
    ("version", "made"), [("v1alpha3", nested_devices(quantities)), ("v1beta1", nested_devices(objects))]
)
@given(data=st.data())
def test_shown_devices_come_back_as_they_went_and_are_canonical_on_the_way(
    version: str, made: st.SearchStrategy[Object], data: st.DataObject
) -> None:
    devices = data.draw(st.lists(made, max_size=3))
    obj = canonical("resourceslices", version, slice_spec(*devices))
    form = conversion("resourceslices", version)
    stored = form.to_hub(obj)
    if all("basic" in device for device in devices):
        assert_canonical(stored, "resourceslices", HUB)
    assert repr(form.from_hub(stored)) == repr(obj)


@given(st.lists(nested_devices(quantities), max_size=3))
def test_v1alpha3_and_v1beta1_show_the_same_devices(devices: list[Object]) -> None:
    obj = canonical("resourceslices", "v1alpha3", slice_spec(*devices))
    alpha3, beta1 = (conversion("resourceslices", version) for version in NESTED)
    converted = beta1.from_hub(alpha3.to_hub(obj))
    assert_canonical(converted, "resourceslices", "v1beta1")
    assert alpha3.from_hub(beta1.to_hub(converted)) == obj


@nested_versions
@given(requests=st.lists(nested_requests, max_size=3), devices=st.lists(flat_devices, max_size=3))
def test_conversion_changes_nothing_in_place(
    version: str, requests: list[Object], devices: list[Object]
) -> None:
    claim = canonical("resourceclaims", version, {"devices": {"requests": requests}})
    stored = canonical("resourceslices", HUB, slice_spec(*devices))
    before = repr((claim, stored))
    conversion("resourceclaims", version).to_hub(claim)
    conversion("resourceslices", version).from_hub(stored)
    assert repr((claim, stored)) == before
