"""A server behind an APIService may send too much, nothing or nonsense: other clients do not notice it."""

import socket
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress

import pytest

from fakeapi import FakeAPI
from fakeapi.aggregation import availability
from fakeapi.http import delegating
from fakeapi.outbound import forwarding, posting
from fakeapi.registry.identity.users import User
from tests.aggregation.services import AGGREGATED, METRICS, NAME, api_service, condition, delegate, served
from tests.http import wire
from tests.http.asking import ask
from tests.http.small_servers import raw_server

STOPS = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"
"""A response whose body never comes whole, on a connection that stays open."""

DISCOVERY = b'HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n{"resources": 1  }'


def server_that_sends(answer: bytes, discovery: bytes = DISCOVERY) -> AbstractContextManager[str]:
    """Runs a server; gives the block its URL. An empty answer and STOPS keep the connection open.

    `discovery`: the answer to requests for the resources of the API. All other requests get `answer`.
    """

    def respond(connection: socket.socket) -> None:
        with suppress(OSError):
            asks_for_resources = connection.recv(1 << 16).startswith(f"GET {METRICS} ".encode())
            if sent := discovery if asks_for_resources else answer:
                connection.sendall(sent)
                if sent is not STOPS:
                    connection.close()

    return raw_server(respond)


def test_a_discovery_document_that_never_comes_fails_the_check(
    fakeapi_factory: Callable[..., FakeAPI], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(availability, "SECONDS", 0.05)
    with server_that_sends(b"", discovery=b"") as url:
        api = served(fakeapi_factory, url)
        assert condition(api, "FailedDiscoveryCheck")["message"].endswith("context deadline exceeded")


def test_a_discovery_document_that_stops_in_the_middle_fails_the_check(
    fakeapi_factory: Callable[..., FakeAPI], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(availability, "SECONDS", 0.05)
    with server_that_sends(b"", discovery=STOPS) as url:
        api = served(fakeapi_factory, url)
        assert condition(api, "FailedDiscoveryCheck")["message"].endswith("context deadline exceeded")


def test_a_body_that_stops_in_the_middle_becomes_503(
    fakeapi_factory: Callable[..., FakeAPI], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forwarding, "HEAD_SECONDS", 0.05)
    with server_that_sends(STOPS) as url:
        api = delegate(fakeapi_factory, url)
        answer = ask(api, f"{METRICS}/pods")
        assert (answer.code, answer.body) == (503, b"context deadline exceeded\n")


def test_a_path_with_bytes_that_http_does_not_allow_is_refused(
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    with server_that_sends(DISCOVERY) as url:
        api = delegate(fakeapi_factory, url)
        head = b"GET " + METRICS.encode() + b"/\xff HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        assert wire.exchange(api.url, head).code in (400, 503)


def test_a_discovery_document_without_an_end_is_not_kept(
    fakeapi_factory: Callable[..., FakeAPI], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(availability, "DOCUMENT_BYTES_MAX", 1000)
    document = b'{"resources": [{"name": "pods", "kind": "Pod"}]' + b" " * 2000 + b"}"
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(document)
    with server_that_sends(b"", discovery=head + document) as url:
        api = delegate(fakeapi_factory, url)
        assert b'"resources":[],"freshness":"Current"' in ask(api, "/apis", accept=AGGREGATED).body


@pytest.mark.parametrize("text", [b"{", b"[1]", b"\xff", b'{"resources": [1, {"name": 2}, {}]}', b"[" * 5000])
def test_checks_go_on_after_a_discovery_document_that_lists_no_valid_resources(
    fakeapi_factory: Callable[..., FakeAPI], text: bytes
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(text)
    with server_that_sends(b"", discovery=head + text) as url:
        api = delegate(fakeapi_factory, url)
        api.delete("APIService", NAME)
        api.create(api_service())
        condition(api, "Passed")


def test_a_server_that_never_answers_gets_503(
    fakeapi_factory: Callable[..., FakeAPI], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forwarding, "HEAD_SECONDS", 0.05)
    with server_that_sends(b"") as url:
        api = delegate(fakeapi_factory, url)
        answer = ask(api, f"{METRICS}/pods")
        assert (answer.code, answer.body) == (503, b"context deadline exceeded\n")


@pytest.mark.parametrize(
    "sent",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * (posting.HEAD_MAX + 1),
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\nb\x00\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}",
    ],
    ids=["short body", "endless head", "no HTTP", "control characters", "two lengths", "negative length"],
)
def test_a_response_that_is_not_valid_http_becomes_503(
    fakeapi_factory: Callable[..., FakeAPI], sent: bytes
) -> None:
    with server_that_sends(sent) as url:
        api = delegate(fakeapi_factory, url)
        assert ask(api, f"{METRICS}/pods").code == 503
        assert ask(api, "/version").code == 200


def test_a_body_of_tiny_chunks_arrives_whole(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    chunks = b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n"
    sent = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
    with server_that_sends(sent) as url:
        api = delegate(fakeapi_factory, url)
        assert ask(api, f"{METRICS}/pods").body == b"x" * 20_000


def test_user_headers_escape_the_keys_of_extra_values() -> None:
    user = User("ana", ("a", "b"), "7", {"Example.com/Scope": ("r", "w")})
    assert delegating.user_headers(user, with_uid=True) == [
        (b"x-remote-user", b"ana"),
        (b"x-remote-uid", b"7"),
        (b"x-remote-group", b"a"),
        (b"x-remote-group", b"b"),
        (b"x-remote-extra-example.com%2fscope", b"r"),
        (b"x-remote-extra-example.com%2fscope", b"w"),
    ]
