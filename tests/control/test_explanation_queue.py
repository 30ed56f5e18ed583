"""The server computes one explanation at a time, and stops when the client has disconnected."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from queue import Empty
from urllib.parse import urlsplit

import httpx
import pytest

from fakeapi import FakeAPI
from fakeapi.clients.control import ControlClient, ControlError
from tests.control.explanations import WAIT_SECONDS, EndlessExplanations


@pytest.fixture
def explanations(monkeypatch: pytest.MonkeyPatch) -> EndlessExplanations:
    return EndlessExplanations(monkeypatch)


@pytest.fixture
def connections() -> Iterator[ExitStack]:
    """Yields the stack that closes the connections of `request_explanation`."""
    with ExitStack() as opened:
        yield opened


def request_explanation(connections: ExitStack, api: FakeAPI, pod: str) -> socket.socket:
    """Requests the explanation of a pod, and returns the connection without reading a response."""
    url = urlsplit(api.url)
    connection = connections.enter_context(socket.create_connection((url.hostname, url.port)))
    connection.sendall(
        f"GET /_fakeapi/explain/pod/default/{pod} HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n".encode()
    )
    return connection


def test_an_explanation_ends_when_its_client_disconnects(
    api: FakeAPI, explanations: EndlessExplanations, connections: ExitStack
) -> None:
    client = request_explanation(connections, api, "a")
    assert explanations.started.get(timeout=WAIT_SECONDS) == "a"
    client.close()
    assert explanations.ended.get(timeout=WAIT_SECONDS) == "a"


def test_one_explanation_is_computed_at_a_time_and_other_requests_do_not_wait(
    api: FakeAPI, explanations: EndlessExplanations, connections: ExitStack
) -> None:
    first = request_explanation(connections, api, "a")
    assert explanations.started.get(timeout=WAIT_SECONDS) == "a"
    request_explanation(connections, api, "b")
    for path in ("/_fakeapi/claims", "/_fakeapi/devices", "/api/v1/pods"):
        assert httpx.get(f"{api.url}{path}").status_code == 200
    with pytest.raises(Empty):
        explanations.started.get_nowait()
    first.close()
    assert explanations.started.get(timeout=WAIT_SECONDS) == "b"


def test_an_explanation_whose_client_disconnects_while_it_waits_is_not_computed(
    api: FakeAPI, explanations: EndlessExplanations, connections: ExitStack
) -> None:
    first = request_explanation(connections, api, "a")
    assert explanations.started.get(timeout=WAIT_SECONDS) == "a"
    request_explanation(connections, api, "b").close()
    assert httpx.get(f"{api.url}/_fakeapi/state").status_code == 200
    last = request_explanation(connections, api, "c")
    first.close()
    assert explanations.started.get(timeout=WAIT_SECONDS) == "c"
    last.close()
    assert explanations.ended.get(timeout=WAIT_SECONDS) == "a"
    assert explanations.ended.get(timeout=WAIT_SECONDS) == "c"


def test_an_explanation_is_refused_if_too_many_requests_wait(
    api: FakeAPI,
    explanations: EndlessExplanations,
    connections: ExitStack,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fakeapi.control.explanation_queue.WAITING_MAX", 0)
    first = request_explanation(connections, api, "a")
    assert explanations.started.get(timeout=WAIT_SECONDS) == "a"
    with ControlClient(api.url) as client:
        with pytest.raises(ControlError, match="0 other requests already wait") as refusal:
            client.get("/explain/pod/default/b")
        assert refusal.value.code == 429
        first.close()
        assert explanations.ended.get(timeout=WAIT_SECONDS) == "a"
    request_explanation(connections, api, "b")
    assert explanations.started.get(timeout=WAIT_SECONDS) == "b"
