"""The verb, the object and the resourceVersions of a recorded request are recognized."""

import json
from typing import Any

import pytest

from fakeapi.clients.messages import Response
from fakeapi.traces.analysis.request_facts import RequestFacts, facts_of, head_of, version_number
from fakeapi.traces.model import Exchange, Request

CLAIMS = "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims"


def facts(method: str, target: str, sent: Any = None, answer: Any = None, status: int = 200) -> RequestFacts:
    body = b"" if sent is None else json.dumps(sent).encode()
    response = None if answer is None else Response(status, (), json.dumps(answer).encode())
    return facts_of(Exchange(1, 0.0, "me", Request(method, target, (), body), response))


def obj(name: str = "a", version: str = "7", **metadata: Any) -> dict[str, Any]:
    return {
        "kind": "X",
        "metadata": {"name": name, "namespace": "ns", "resourceVersion": version, **metadata},
    }


def test_an_update_names_the_version_before_and_the_response_that_after() -> None:
    request_facts = facts("PUT", f"{CLAIMS}/a/status", obj(version="6"), obj())
    assert (request_facts.verb, request_facts.status, request_facts.is_write) == ("update", 200, True)
    assert (request_facts.requested_version, request_facts.answered_version) == (6, 7)
    assert request_facts.path.key == ("resource.k8s.io", "resourceclaims", "ns", "a")
    assert request_facts.path.full_resource == "resourceclaims/status"
    assert request_facts.path.discovery_path == "/apis/resource.k8s.io/v1/resourceclaims/status"
    assert request_facts.path.collection == CLAIMS


def test_a_created_object_has_the_name_that_the_server_gave() -> None:
    assert facts("POST", CLAIMS, {"metadata": {"generateName": "a-"}}, obj("a-1")).path.name == "a-1"
    assert facts("POST", CLAIMS, obj("b"), {"kind": "Status"}, 409).path.name == "b"


@pytest.mark.parametrize(
    ("method", "metadata", "removes"),
    [
        ("DELETE", {}, True),
        ("DELETE", {"finalizers": ["x"]}, False),
        ("PUT", {"deletionTimestamp": "2026-01-01T00:00:00Z"}, True),
        ("PUT", {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["x"]}, False),
        ("PUT", {}, False),
    ],
)
def test_a_write_removes_its_object_with_the_last_finalizer(
    method: str, metadata: dict[str, Any], *, removes: bool
) -> None:
    assert facts(method, f"{CLAIMS}/a", obj(), obj(**metadata)).removes is removes


def test_preconditions_name_a_version() -> None:
    sent = {"kind": "DeleteOptions", "preconditions": {"resourceVersion": "5"}}
    assert facts("DELETE", f"{CLAIMS}/a", sent, {"kind": "Status"}).requested_version == 5


def test_a_query_names_a_version() -> None:
    assert facts("GET", f"{CLAIMS}?resourceVersion=12&limit=1", None, obj()).requested_version == 12


def test_what_is_no_resource_has_no_versions() -> None:
    request_facts = facts("GET", "/version", None, {"metadata": {"resourceVersion": "1"}})
    assert (request_facts.path.resource, request_facts.verb, request_facts.answered_version) == ("", "get", 0)


@pytest.mark.parametrize("text", ["", "x", "-1", "1.0", "²", "٣", "9" * 5000])
def test_a_text_that_is_no_version_is_zero(text: str) -> None:
    assert version_number(text) == 0


@pytest.mark.parametrize("body", [b"", b"k8s\0", b"[]", b'{"metadata":[]}', b"[" * 100_000])
def test_a_body_that_is_no_object_has_an_empty_head(body: bytes) -> None:
    assert head_of(body).metadata.name == ""


@pytest.mark.parametrize(
    ("target", "status", "creates", "is_write"),
    [
        (f"{CLAIMS}/a?fieldManager=x", 201, True, True),
        (f"{CLAIMS}/a?fieldManager=x", 200, False, True),
        (f"{CLAIMS}/a?dryRun=All", 201, False, False),
    ],
)
def test_an_apply_patch_creates_its_object_if_the_status_is_201_and_a_dry_run_creates_none(
    target: str, status: int, *, creates: bool, is_write: bool
) -> None:
    request_facts = facts("PATCH", target, obj(), obj(), status)
    assert (request_facts.creates, request_facts.is_write) == (creates, is_write)
