"""The field `adminAccess` in claims: its feature gate, and the namespace label that it requires."""

from typing import Any

import pytest

from fakeapi.kinds.common.gated_fields import drop_disabled_fields
from fakeapi.kinds.resource.admin_access import (
    authorize_requests,
    authorize_results,
)
from fakeapi.kinds.resource.gated_fields import CLAIM_FIELDS, CLAIM_STATUS_FIELDS
from fakeapi.machinery.json_types import Object
from tests.kinds.resource.builders import (
    allocated,
    request,
    result,
    rules_with,
    subrequest,
    triples,
    v1alpha3_claim,
)

LABEL = "resource.k8s.io/admin-access"
GONE = "could not retrieve namespace to verify admin access"
REFUSED = f"Forbidden: admin access to devices requires the `{LABEL}: true` label on the containing namespace"


def granted(_namespace: str) -> dict[str, str]:
    return {LABEL: "true"}


OFF = rules_with("1.33")


def requests_after_drop(new: Object, old: Object | None = None) -> Any:
    return drop_disabled_fields(new, old, CLAIM_FIELDS, OFF)["spec"]["devices"]["requests"]


@pytest.mark.parametrize(
    ("claim", "uses"),
    [
        (v1alpha3_claim(), False),
        (v1alpha3_claim(None, request(adminAccess=False)), True),
        (v1alpha3_claim(None, request(), request("b", adminAccess=True)), True),
        (v1alpha3_claim(allocated()), False),
        (v1alpha3_claim(allocated(results=[result(adminAccess=False)])), True),
    ],
)
def test_a_claim_uses_it_that_says_anything_about_it(claim: dict[str, Any], uses: bool) -> None:  # noqa: FBT001 - a column of the table
    new = v1alpha3_claim(allocated(results=[result(adminAccess=True)]), request(adminAccess=True))
    assert ("adminAccess" in requests_after_drop(new, claim)[0]["exactly"]) is uses
    kept = drop_disabled_fields(new, claim, CLAIM_STATUS_FIELDS, OFF)["status"]
    assert (kept == new["status"]) is uses


def test_dropping_leaves_requests_and_results_without_it() -> None:
    claim = v1alpha3_claim(None, request(adminAccess=True), request("b"))
    assert requests_after_drop(claim) == [request(), request("b")]
    claim = v1alpha3_claim(allocated(results=[result(adminAccess=True)]))
    plain = drop_disabled_fields(claim, v1alpha3_claim(), CLAIM_STATUS_FIELDS, OFF)
    assert plain["status"] == allocated()


def test_dropping_changes_nothing_in_place() -> None:
    claim = v1alpha3_claim(allocated(results=[result(adminAccess=True)]), request(adminAccess=True))
    drop_disabled_fields(claim, None, (*CLAIM_FIELDS, *CLAIM_STATUS_FIELDS), OFF)
    assert claim["spec"]["devices"]["requests"] == [request(adminAccess=True)]
    assert claim["status"] == allocated(results=[result(adminAccess=True)])


def test_a_request_that_wanted_nothing_else_stays_an_exact_one() -> None:
    lonely = {"name": "gpu", "exactly": {"deviceClassName": "", "adminAccess": True}}
    claim = v1alpha3_claim(None, lonely)
    assert requests_after_drop(claim) == [{"name": "gpu", "exactly": {"deviceClassName": ""}}]


def test_a_choice_of_subrequests_says_nothing_about_it() -> None:
    choice = {"name": "any", "firstAvailable": [subrequest("big")]}
    claim = v1alpha3_claim(None, choice)
    assert authorize_requests(claim, lambda _: {}, LABEL) == []


@pytest.mark.parametrize("labels", [{}, {LABEL: "yes"}])
def test_the_first_request_is_refused_in_a_namespace_without_the_label(labels: dict[str, str]) -> None:
    claim = v1alpha3_claim(None, request(), request("b", adminAccess=True), request("c", adminAccess=True))
    assert triples(authorize_requests(claim, lambda _: labels, LABEL)) == [
        ("spec.devices.requests[1].adminAccess", "Forbidden", REFUSED)
    ]
    assert authorize_requests(claim, granted, LABEL) == []


def test_no_access_needs_no_namespace() -> None:
    def unreachable(namespace: str) -> None:
        raise AssertionError(namespace)

    assert authorize_requests(v1alpha3_claim(None, request(adminAccess=False)), unreachable, LABEL) == []
    assert authorize_results(v1alpha3_claim(allocated()), v1alpha3_claim(), unreachable, LABEL) == []


def test_a_namespace_that_is_gone_is_an_internal_error() -> None:
    claim = v1alpha3_claim(None, request(adminAccess=True))
    assert triples(authorize_requests(claim, lambda _: None, LABEL)) == [
        (
            "spec.devices.requests[0].adminAccess",
            "InternalError",
            f'Internal error: {GONE}: namespaces "default" not found',
        )
    ]


def test_results_are_held_to_the_same_unless_they_were_granted_before() -> None:
    claim = v1alpha3_claim(allocated(results=[result(), result(device="b", adminAccess=True)]))
    assert triples(authorize_results(claim, v1alpha3_claim(), lambda _: {}, LABEL)) == [
        ("status.allocation.devices.results[1].adminAccess", "Forbidden", REFUSED)
    ]
    assert authorize_results(claim, claim, lambda _: {}, LABEL) == []
    assert authorize_results(claim, v1alpha3_claim(), granted, LABEL) == []
