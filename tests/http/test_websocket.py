"""Clients can watch over WebSocket instead of plain HTTP."""

import base64
from collections.abc import Callable

import pytest
from wsproto.events import (
    AcceptConnection,
    CloseConnection,
)

from fakeapi.clock.adjustable import AdjustableClock
from fakeapi.http.websocket import split_protocols
from fakeapi.testing.server import FakeAPI
from tests.http.malformed.case import claim
from tests.http.websocket_client import connected

CLAIMS = "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims"
BEARER = "base64url.bearer.authorization.k8s.io."


def test_each_event_is_a_message_of_its_own(fakeapi: FakeAPI) -> None:
    with connected(fakeapi, f"{CLAIMS}?watch=true") as client:
        assert isinstance(client.next(), AcceptConnection)
        created = fakeapi.create({**claim({"name": "a"}), "apiVersion": "resource.k8s.io/v1beta1"})
        patched = fakeapi.patch(
            "ResourceClaim", "a", {"metadata": {"labels": {"x": "y"}}}, api_version="resource.k8s.io/v1beta1"
        )
        client.say("dropped, as a watch takes nothing")
        assert client.event() == {"type": "ADDED", "object": created}
        assert client.event() == {"type": "MODIFIED", "object": patched}


def test_initial_events_come_one_by_one_too(fakeapi: FakeAPI) -> None:
    with connected(fakeapi, "/api/v1/namespaces?watch=1&resourceVersion=0") as client:
        client.next()
        assert [client.event()["object"]["kind"] for _ in range(4)] == ["Namespace"] * 4


def test_the_server_closes_when_the_time_of_the_watch_has_come(
    frozen: Callable[[str], FakeAPI], clock: AdjustableClock
) -> None:
    server = frozen("1.33")
    with connected(server, f"{CLAIMS}?watch=true&timeoutSeconds=30") as client:
        client.next()
        clock.advance(30)
        closed = client.next()
        assert isinstance(closed, CloseConnection)
        assert closed.code == 1000


def test_a_version_that_is_not_kept_is_a_message_that_says_expired(
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    server = fakeapi_factory(history=2)
    for number in range(5):
        server.create_namespace(f"n-{number}")
    with connected(server, "/api/v1/namespaces?watch=1&resourceVersion=2") as client:
        client.next()
        error = client.event()
        assert (error["type"], error["object"]["code"]) == ("ERROR", 410)
        assert isinstance(client.next(), CloseConnection)


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("/apis/resource.k8s.io/v1beta1/nothing?watch=true", 404),
        (f"{CLAIMS}?watch=true&timeoutSeconds=x", 400),
    ],
)
def test_what_cannot_be_watched_is_refused_as_over_http(fakeapi: FakeAPI, target: str, code: int) -> None:
    with connected(fakeapi, target) as client:
        status, body = client.refusal()
        assert (status, body["kind"], body["code"]) == (code, "Status", code)


def test_a_request_that_watches_nothing_is_answered_without_an_upgrade(fakeapi: FakeAPI) -> None:
    with connected(fakeapi, "/api/v1/namespaces/default") as client:
        status, body = client.refusal()
        assert (status, body["metadata"]["name"]) == (200, "default")


def encoded(token: str) -> str:
    return BEARER + base64.urlsafe_b64encode(token.encode()).decode().rstrip("=")


@pytest.mark.fakeapi(token="secret")
def test_a_token_can_come_in_a_subprotocol_beside_another(fakeapi: FakeAPI) -> None:
    target = "/api/v1/namespaces?watch=1"
    with connected(fakeapi, target, encoded("secret"), "v4.channel.k8s.io") as client:
        accepted = client.next()
        assert isinstance(accepted, AcceptConnection)
        assert accepted.subprotocol == "v4.channel.k8s.io"
    for protocols in ([], [encoded("secret")], [encoded("wrong"), "v4.channel.k8s.io"]):
        with connected(fakeapi, target, *protocols) as client:
            assert client.refusal()[0] == 401


def test_a_subprotocol_is_a_token_only_where_it_can_be_read() -> None:
    assert split_protocols([encoded("é"), "x"]) == ("é".encode(), ["x"])
    assert split_protocols([f"{BEARER}a", "x"]) == (None, ["x"])
    assert split_protocols([f"{BEARER}!!!!", "x"]) == (None, ["x"])
    assert split_protocols([encoded("a"), encoded("b"), "x"]) == (None, ["x"])


def test_a_client_that_closes_is_forgotten(fakeapi: FakeAPI) -> None:
    with connected(fakeapi, f"{CLAIMS}?watch=true") as client:
        client.next()
        client.close()
        assert isinstance(client.next(), CloseConnection)
    assert fakeapi.create_namespace("later")
