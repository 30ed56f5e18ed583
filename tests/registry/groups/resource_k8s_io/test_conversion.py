"""The forms of claims, templates and slices in each version."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.decoding import decode
from fakeapi.registry.conversion import CONVERSIONS
from fakeapi.releases import load_release

RELEASE = load_release("1.33")
GROUP = "resource.k8s.io"


def canonical(resource: str, version: str, spec: Object) -> Object:
    obj, strict = decode(
        {"metadata": {"name": "x"}, "spec": spec}, RELEASE.kind(GROUP, version, resource).schema
    )
    assert strict == []
    return obj


def converted(resource: str, spec: Object, version: str = "v1beta2") -> Object:
    """The spec of a v1alpha3 object in another version."""
    form = CONVERSIONS[resource, version]
    result: Object = form.from_hub(canonical(resource, "v1alpha3", spec))["spec"]
    return result


SUBREQUEST = {"name": "small", "deviceClassName": "b"}


@pytest.mark.parametrize(
    ("plain", "nested"),
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
def test_v1beta2_says_under_exactly_what_a_request_says_by_itself(plain: Object, nested: Object) -> None:
    form = CONVERSIONS["resourceclaims", "v1beta2"]
    before = canonical("resourceclaims", "v1alpha3", {"devices": {"requests": [plain]}})
    after = canonical("resourceclaims", "v1beta2", {"devices": {"requests": [nested]}})
    assert form.from_hub(before) == after
    assert form.to_hub(after) == before


def test_a_template_s_requests_are_those_of_its_claims() -> None:
    plain = {"spec": {"devices": {"requests": [{"name": "r", "deviceClassName": "a"}]}}}
    [request] = converted("resourceclaimtemplates", plain)["spec"]["devices"]["requests"]
    assert request == {"name": "r", "exactly": {"deviceClassName": "a"}}


def test_a_claim_without_requests_has_none_in_any_version() -> None:
    assert converted("resourceclaims", {"devices": {}}) == {"devices": {"requests": None}}


POOL = {"name": "p", "generation": 0, "resourceSliceCount": 1}


def slice_spec(*devices: Object, **fields: Any) -> Object:
    return {"driver": "d", "pool": POOL, "nodeName": "n", "devices": list(devices), **fields}


def test_capacity_is_an_object_from_v1beta1_on_and_devices_are_flat_in_v1beta2() -> None:
    parts = {"attributes": {"a": {"int": 1}}, "capacity": {"memory": "1Gi"}, "allNodes": True}
    plain = slice_spec({"name": "d", "basic": parts}, {"name": "e", "basic": {}})
    objects = {**parts, "capacity": {"memory": {"value": "1Gi"}}}
    assert converted("resourceslices", plain, "v1beta1")["devices"] == [
        {"name": "d", "basic": objects},
        {"name": "e", "basic": {}},
    ]
    assert converted("resourceslices", plain)["devices"] == [{"name": "d", **objects}, {"name": "e"}]


def test_what_only_v1beta2_can_say_wrongly_is_kept_for_its_refusal() -> None:
    flat = canonical("resourceslices", "v1beta2", slice_spec(nodeName="", allNodes=False))
    kept = CONVERSIONS["resourceslices", "v1beta2"].to_hub(flat)["spec"]
    assert (kept["nodeName"], kept["allNodes"]) == ("", False)


names = st.sampled_from(["a", "b", "c"])
selectors = st.lists(st.just({"cel": {"expression": "true"}}), max_size=2)
tolerations = st.lists(
    st.fixed_dictionaries({}, optional={"key": names, "operator": st.just("Exists")}), max_size=2
)
exact_fields = {
    "selectors": selectors,
    "allocationMode": st.sampled_from(["All", "ExactCount"]),
    "count": st.integers(0, 3),
    "tolerations": tolerations,
}
subrequests = st.fixed_dictionaries({"name": names, "deviceClassName": names}, optional=exact_fields)
exactly = st.fixed_dictionaries(
    {"deviceClassName": names}, optional={**exact_fields, "adminAccess": st.booleans()}
)
nested_requests = st.fixed_dictionaries(
    {"name": names}, optional={"exactly": exactly, "firstAvailable": st.lists(subrequests, max_size=2)}
)
capacities = st.dictionaries(
    names, st.fixed_dictionaries({"value": st.sampled_from(["1", "2Gi"])}), max_size=2
)
flat_devices = st.fixed_dictionaries(
    {"name": names},
    optional={
        "attributes": st.dictionaries(names, st.just({"int": 1}), max_size=2),
        "capacity": capacities,
        "nodeName": names,
        "allNodes": st.booleans(),
    },
)


@given(st.lists(nested_requests, max_size=3))
def test_requests_come_back_as_they_went(requests: list[Object]) -> None:
    form = CONVERSIONS["resourceclaims", "v1beta2"]
    obj = canonical("resourceclaims", "v1beta2", {"devices": {"requests": requests}})
    assert form.from_hub(form.to_hub(obj)) == obj


@given(st.lists(nested_requests, max_size=3))
def test_converted_requests_are_canonical(requests: list[Object]) -> None:
    obj = canonical("resourceclaims", "v1beta2", {"devices": {"requests": requests}})
    stored = CONVERSIONS["resourceclaims", "v1beta2"].to_hub(obj)
    again, strict = decode(stored, RELEASE.kind(GROUP, "v1alpha3", "resourceclaims").schema)
    assert (again, strict) == (stored, [])
    assert repr(again) == repr(stored), "the order of fields is part of the form"


@given(st.lists(flat_devices, max_size=3))
def test_devices_come_back_as_they_went_and_are_canonical_on_the_way(devices: list[Object]) -> None:
    form = CONVERSIONS["resourceslices", "v1beta2"]
    obj = canonical("resourceslices", "v1beta2", slice_spec(*devices))
    stored = form.to_hub(obj)
    assert form.from_hub(stored) == obj
    again, strict = decode(stored, RELEASE.kind(GROUP, "v1alpha3", "resourceslices").schema)
    assert (repr(again), strict) == (repr(stored), [])


@given(st.lists(flat_devices, max_size=3))
def test_v1beta1_and_v1beta2_show_the_same_devices(devices: list[Object]) -> None:
    obj = canonical("resourceslices", "v1beta2", slice_spec(*devices))
    beta1, beta2 = (CONVERSIONS["resourceslices", version] for version in ("v1beta1", "v1beta2"))
    shown = beta1.from_hub(beta2.to_hub(obj))
    assert beta2.from_hub(beta1.to_hub(shown)) == obj
