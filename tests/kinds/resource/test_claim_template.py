"""ResourceClaimTemplate since v1alpha3, and metadata in the templates of all API versions."""

from typing import Any

import pytest

from fakeapi.kinds.common.template_metadata import template_metadata_errors
from fakeapi.kinds.resource.claim_template import ClaimTemplateStrategy
from fakeapi.kinds.resource.conversion.requests import TEMPLATE_CONVERSIONS
from fakeapi.kinds.resource.layout import Layout
from tests.kinds.resource.builders import (
    ODD_TEMPLATES,
    RULES,
    defaulted,
    devices,
    nested_request,
    places,
    request,
    rules_with,
    subrequest,
    template,
    triples,
)

WORDING = RULES["1.33"].quirks.wording


def v1alpha3(*requests: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return template({"devices": devices(*(requests or (request(),)))}, **metadata)


TEMPLATES = "resourceclaimtemplates"


def strategy(
    release: str = "1.33",
    labels: dict[str, str] | None = None,
    *,
    layout: Layout = Layout.FLAT,
    **gates: bool,
) -> ClaimTemplateStrategy:
    return ClaimTemplateStrategy(rules_with(release, **gates), lambda _: labels or {}, layout=layout)


def test_claims_are_given_labels_and_annotations() -> None:
    metadata = {"creationTimestamp": None, "labels": {"a": "1"}, "annotations": {"b": "2"}}
    assert [*template_metadata_errors(metadata, "m", WORDING)] == []


@pytest.mark.parametrize(
    ("name", "value", "called"),
    [
        ("name", "x", "name"),
        ("uid", "x", "uID"),
        ("creationTimestamp", "2020-01-01T00:00:00Z", "creationTimestamp"),
        ("generation", 1, "generation"),
        ("ownerReferences", [{}], "ownerReferences"),
        ("finalizers", ["a/b"], "finalizers"),
    ],
)
def test_claims_are_given_nothing_else(name: str, value: Any, called: str) -> None:
    errors = [*template_metadata_errors({name: value}, "m", WORDING)]
    assert triples(errors) == [(f"m.{called}", "Forbidden", "Forbidden: cannot be set")]


def test_annotations_are_looked_at_before_labels() -> None:
    metadata = {"labels": {"bad!": "1"}, "annotations": {"bad!": "1"}}
    assert places([*template_metadata_errors(metadata, "m", WORDING)]) == ["m.annotations", "m.labels"]


def test_a_template_s_claims_have_the_defaults_of_claims() -> None:
    bare = v1alpha3({"name": "gpu", "deviceClassName": "gpu.example.com"})
    assert defaulted("1.33", bare, layout=Layout.NESTED, resource=TEMPLATES) == v1alpha3(nested_request())
    exactly = v1alpha3({"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}})
    assert defaulted("1.33", exactly, resource=TEMPLATES)["spec"]["spec"]["devices"]["requests"] == [
        {
            "name": "gpu",
            "exactly": {"deviceClassName": "gpu.example.com", "allocationMode": "ExactCount", "count": 1},
        }
    ]


def test_a_template_s_claims_follow_the_rules_of_claims() -> None:
    assert strategy().validate_create(v1alpha3()) == []
    assert places(strategy().validate_create(v1alpha3(request("Bad_"), name="x"))) == [
        "spec.metadata.name",
        "spec.spec.devices.requests[0].name",
    ]


def test_the_spec_stays_as_it_was_made() -> None:
    assert places(strategy().validate_update(v1alpha3(labels={"a": "1"}), v1alpha3())) == ["spec"]
    assert strategy().validate_update(v1alpha3(), v1alpha3()) == []


def test_what_is_wrong_with_the_spec_is_said_before_and_after() -> None:
    bad = "spec.spec.devices.requests[0].name"
    assert places(strategy("1.32").validate_update(v1alpha3(request("Bad_")), v1alpha3())) == [
        bad,
        "spec",
        bad,
    ]


@pytest.mark.parametrize(
    ("release", "shown"),
    [
        ("1.31", " Count:2, AdminAccess:false}"),
        ("1.32", " Count:2, AdminAccess:(*bool)(nil)}"),
        ("1.33", " Exactly:(*resource.ExactDeviceRequest)("),
    ],
)
def test_a_changed_spec_is_shown_as_the_release_s_own_type_has_it(release: str, shown: str) -> None:
    [error] = strategy(release).validate_update(v1alpha3(request(count=2)), v1alpha3())
    assert error.body.startswith(
        "Invalid value: resource.ResourceClaimTemplateSpec{ObjectMeta:v1.ObjectMeta{"
    )
    assert shown in error.body


@pytest.mark.parametrize(("release", "kept"), [("1.31", True), ("1.32", False), ("1.33", False)])
def test_admin_access_goes_where_its_gate_is_off(release: str, *, kept: bool) -> None:
    made = strategy(release).prepare_create(v1alpha3(request(adminAccess=True)))
    expected = request(adminAccess=True) if kept else request()
    assert made == v1alpha3(expected)


def test_in_1_33_an_empty_list_makes_a_template_s_request_an_exact_one() -> None:
    nested = strategy(layout=Layout.NESTED)
    made = nested.restore_after_decoding(
        v1alpha3({"name": "gpu", "deviceClassName": ""}), v1alpha3({"name": "gpu", "selectors": []})
    )
    assert made == v1alpha3({"name": "gpu", "deviceClassName": "", "selectors": []})
    stored = TEMPLATE_CONVERSIONS["v1beta1"].to_hub(
        defaulted("1.33", made, layout=Layout.NESTED, resource=TEMPLATES)
    )
    assert places(nested.validate_create(stored)) == [
        "spec.spec.devices.requests[0].exactly.deviceClassName",
        "spec.spec.devices.requests[0].exactly.allocationMode",
    ]


def test_fields_that_a_template_has_stay() -> None:
    choice = {"name": "b", "firstAvailable": [subrequest("big")]}
    old = v1alpha3(request(adminAccess=True), choice)
    assert strategy().prepare_update(v1alpha3(*old["spec"]["spec"]["devices"]["requests"]), old) == old


def test_admin_access_asks_for_a_label_on_the_namespace() -> None:
    wanted = v1alpha3(request(adminAccess=True))
    assert places(strategy(DRAAdminAccess=True).authorize_create(wanted)) == [
        "spec.devices.requests[0].adminAccess"
    ]
    granted = strategy("1.33", {"resource.k8s.io/admin-access": "true"}, DRAAdminAccess=True)
    assert granted.authorize_create(wanted) == []


@pytest.mark.parametrize("name", ["ownerReferences", "finalizers", "managedFields"])
@pytest.mark.parametrize(("layout", "asked"), [(Layout.NESTED, nested_request()), (Layout.FLAT, request())])
def test_what_claims_cannot_be_given_is_refused_though_it_is_an_empty_list(
    layout: Layout, asked: dict[str, Any], name: str
) -> None:
    kind, body = strategy(layout=layout), v1alpha3(asked)
    sent = {**body, "spec": {**body["spec"], "metadata": {name: []}}}
    restored = kind.restore_after_decoding({**body, "spec": {**body["spec"]}}, sent)
    stored = TEMPLATE_CONVERSIONS["v1beta1"].to_hub(restored) if layout is Layout.NESTED else restored
    assert places(kind.validate_create(stored)) == [f"spec.metadata.{name}"]
    assert all(kind.restore_after_decoding(body, odd) == body for odd in ODD_TEMPLATES)
