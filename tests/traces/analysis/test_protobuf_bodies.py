"""Recorded protobuf bodies are converted to JSON, for kinds of every release."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.clients.messages import Response, first_header
from fakeapi.traces.analysis.protobuf_bodies import ProtobufBodies
from fakeapi.traces.messages import PROTOBUF
from fakeapi.traces.model import Exchange, Request, StreamEvent
from tests.traces.protobuf import envelope, watch_event
from tests.traces.samples import EXCHANGES

CLAIMS = "/apis/resource.k8s.io/v1beta1/namespaces/ns/resourceclaims"
HEADERS = (("content-type", PROTOBUF), ("accept", f"{PROTOBUF},application/json"))
CLAIM: dict[str, Any] = {
    "kind": "ResourceClaim",
    "apiVersion": "resource.k8s.io/v1beta1",
    "metadata": {"name": "a", "uid": "u", "resourceVersion": "7", "labels": {"x": "y"}},
    "spec": {"devices": {"requests": [{"name": "gpu", "deviceClassName": "g", "count": 2}]}},
}


def exchange(sent: bytes, answer: bytes, status: int = 201) -> Exchange:
    request = Request("POST", CLAIMS, HEADERS, sent)
    return Exchange(1, 0.0, "me", request, Response(status, HEADERS[:1], answer))


@pytest.mark.parametrize("release", ["1.33", "1.27", "", "9.9"])
def test_bodies_become_json(release: str) -> None:
    converted = ProtobufBodies(release).in_json(exchange(envelope(CLAIM), envelope(CLAIM)))
    assert converted.response is not None
    for headers, body in (
        (converted.request.headers, converted.request.body),
        (converted.response.headers, converted.response.body),
    ):
        assert first_header(headers, "content-type") == "application/json"
        value = json.loads(body)
        assert value["metadata"].pop("creationTimestamp", None) is None
        value.pop("status", None)
        assert value == CLAIM
    assert first_header(converted.request.headers, "accept") == "application/json"


def test_a_list_becomes_json() -> None:
    items = {**CLAIM, "kind": "ResourceClaimList", "metadata": {"resourceVersion": "9"}, "items": [CLAIM]}
    converted = ProtobufBodies("1.33").in_json(exchange(b"", envelope(items)))
    assert converted.response is not None
    value = json.loads(converted.response.body)
    assert value["kind"] == "ResourceClaimList"
    assert value["items"][0]["metadata"]["name"] == "a"


def test_the_frames_of_a_watch_become_lines() -> None:
    watch = replace(
        exchange(b"", b"", 200), events=(StreamEvent(1.0, watch_event("ADDED", CLAIM)),), ended="client"
    )
    converted = ProtobufBodies("1.33").in_json(watch)
    assert converted.events is not None
    event = json.loads(converted.events[0].line)
    assert (event["type"], event["object"]["metadata"]["name"]) == ("ADDED", "a")
    assert converted.events[0].offset == 1.0


@pytest.mark.parametrize("body", [b"\xff", b"k8s\0", b"k8s\0\xff\xff\xff", b"{}"])
def test_a_body_that_cannot_be_decoded_stays_as_it_is(body: bytes) -> None:
    converted = ProtobufBodies("1.33").in_json(exchange(body, body))
    assert converted.request.body == body
    assert first_header(converted.request.headers, "content-type") == PROTOBUF
    assert converted.response == Response(201, HEADERS[:1], body)


def test_a_kind_of_no_release_stays_as_it_is() -> None:
    body = envelope(CLAIM).replace(b"ResourceClaim", b"ResourceClown")
    assert ProtobufBodies("1.33").in_json(exchange(body, b"")).request.body == body


def test_a_request_that_was_refused_for_its_accept_keeps_it() -> None:
    converted = ProtobufBodies("1.33").in_json(exchange(b"", b"", 406))
    assert converted.request.headers == HEADERS


def test_an_exchange_in_json_stays_the_same_object() -> None:
    bodies = ProtobufBodies("1.33")
    assert all(bodies.in_json(each) is each for each in EXCHANGES)


@given(body=st.binary(max_size=200).map(lambda data: b"k8s\0" + data), frame=st.binary(max_size=60))
def test_no_bytes_raise(body: bytes, frame: bytes) -> None:
    watch = replace(exchange(body, b"", 200), events=(StreamEvent(1.0, frame),), ended="client")
    ProtobufBodies("1.33").in_json(watch)
    ProtobufBodies("1.33").in_json(exchange(body, body))
