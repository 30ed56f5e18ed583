"""Malformed requests get the responses of kube-apiserver 1.31 and change nothing.

The expected codes in the tables come from kube-apiserver. If a request violates HTTP itself, a 400 in plain
text or a closed connection is enough, because Go's server and fakeapi stop reading at different bytes.
"""

import contextlib
import json
import socket
from pathlib import Path

import pytest

from fakeapi.testing.server import FakeAPI
from tests.http import wire
from tests.http.malformed import bodies, headers, large, paths, queries, writes, yamls
from tests.http.malformed.case import CLAIMS, GROUP, Case, claim, post

CASES = [
    *bodies.CASES, *yamls.CASES, *paths.CASES, *queries.CASES, *writes.CASES, *headers.MEDIA_TYPES,
]  # fmt: skip
MESSAGES: dict[str, str] = json.loads((Path(__file__).parent / "malformed" / "messages.json").read_text())
REFUSED_MIN = 120


@pytest.fixture(scope="module")
def url(api: FakeAPI) -> str:
    api.reset()
    api.create(claim({"name": "held", "finalizers": ["example.com/hold"]}))
    return api.url


def state(url: str) -> bytes:
    """Returns the list of all claims with its resourceVersion. Malformed requests must not change it."""
    answer = wire.exchange(
        url, wire.head(b"GET", f"{GROUP}/resourceclaims".encode(), [(b"Host", b"localhost")])
    )
    assert answer.code == 200, answer
    return answer.body


def ask(url: str, case: Case) -> wire.Answer:
    return wire.exchange(url, case.head() + (case.body or b""))


def test_the_tables_hold_many_requests_that_are_refused_each_under_its_own_name() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names))
    assert sum(case.refused for case in CASES) >= REFUSED_MIN
    assert set(MESSAGES) <= set(names)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_odd_request_gets_kubernetes_answer_and_changes_nothing(url: str, case: Case) -> None:
    before = state(url)
    answer = ask(url, case)
    assert answer.code == case.answers, answer.body[:500]
    if case.plain:
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    elif case.refused:
        assert answer.is_status, answer.body[:500]
        status = answer.json()
        assert status.get("reason", "") == case.expected_reason
        assert status["message"].startswith(MESSAGES.get(case.name, ""))
    assert state(url) == before


@pytest.mark.parametrize("case", headers.BROKEN_HTTP, ids=lambda case: case.name)
def test_what_is_no_http_is_refused_and_changes_nothing(url: str, case: Case) -> None:
    before = state(url)
    answer = ask(url, case)
    assert answer.code in (0, case.answers), answer.body[:500]
    assert state(url) == before


@pytest.mark.parametrize(
    "data",
    [
        b"\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"GET  /  HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /ä HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
        b"GET / HTTP/1.1\nHost x\n\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 64,
        b"A" * 2_000_000,
    ],
    ids=lambda data: repr(data[:24]),
)
def test_what_is_not_even_a_request_ends_the_connection_and_nothing_else(url: str, data: bytes) -> None:
    before = state(url)
    with wire.connection(url) as sock, contextlib.suppress(OSError):
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
        while sock.recv(65536):
            pass
    assert state(url) == before


BODY = bodies.VALID
LENGTH = ("Content-Length", str(len(BODY)))
HALF = len(BODY) // 2
HELD = f"{CLAIMS}/held"
UNFINISHED = [
    ("POST", CLAIMS, "application/json"),
    ("PUT", HELD, "application/json"),
    ("PUT", f"{HELD}/status", "application/json"),
    ("PATCH", HELD, "application/json-patch+json"),
    ("PATCH", HELD, "application/merge-patch+json"),
    ("PATCH", HELD, "application/strategic-merge-patch+json"),
    ("PATCH", f"{HELD}?fieldManager=x", "application/apply-patch+yaml"),
    ("PATCH", HELD, "text/plain"),
    ("DELETE", HELD, "application/json"),
    ("DELETE", CLAIMS, "application/json"),
    ("GET", HELD, "application/json"),
    ("GET", f"{CLAIMS}?watch=1", "application/json"),
]


@pytest.mark.parametrize(("method", "path", "media_type"), UNFINISHED)
@pytest.mark.parametrize("chunked", [False, True], ids=["with a length", "in chunks"])
def test_a_client_that_leaves_in_the_middle_of_a_body_has_asked_for_nothing(
    url: str, method: str, path: str, media_type: str, *, chunked: bool
) -> None:
    before = state(url)
    framing = ("Transfer-Encoding", "chunked") if chunked else LENGTH
    case = Case("", 0, method, path, b"", (("Content-Type", media_type), framing))
    body = b"%x\r\n%b\r\n" % (HALF, BODY[:HALF]) if chunked else BODY[:HALF]
    with wire.connection(url) as sock:
        sock.sendall(case.head() + body)
        sock.shutdown(socket.SHUT_WR)
        while sock.recv(65536):
            pass
    assert state(url) == before


@pytest.mark.parametrize(("method", "path", "media_type"), UNFINISHED)
def test_a_client_that_vanishes_in_the_middle_of_a_body_has_asked_for_nothing(
    url: str, method: str, path: str, media_type: str
) -> None:
    before = state(url)
    case = Case("", 0, method, path, b"", (("Content-Type", media_type), LENGTH))
    with wire.connection(url) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        sock.sendall(case.head() + BODY[:HALF])
    assert state(url) == before


@pytest.mark.parametrize("piece", [1, 7])
def test_a_body_that_arrives_in_small_pieces_is_read_as_one(url: str, piece: int) -> None:
    before = state(url)
    case = Case("", 0, "POST", f"{CLAIMS}?dryRun=All", b"", (("Content-Type", "application/json"), LENGTH))
    with wire.connection(url) as sock:
        sock.sendall(case.head())
        for start in range(0, len(BODY), piece):
            sock.sendall(BODY[start : start + piece])
        answer = wire.read_answer(sock)
    assert answer.code == 201
    assert state(url) == before


def test_a_refusal_leaves_the_connection_usable_for_the_next_request(url: str) -> None:
    refused = Case("", 0, "POST", CLAIMS, bodies.padded(bodies.LIMIT + 1), (("Content-Type", "text/plain"),))
    following = Case("", 0, "GET", HELD)
    with wire.connection(url) as sock:
        sock.sendall(refused.head() + (refused.body or b"") + following.head())
        reader = sock.makefile("rb")
        for code in (415, 200):
            answered, found = wire.read_head(reader)
            reader.read(int(found["content-length"]))
            assert answered == code


@pytest.mark.parametrize("case", large.CASES, ids=lambda case: case.name)
def test_a_request_as_large_as_allowed_is_answered_before_its_client_gives_up(url: str, case: Case) -> None:
    """Sends requests of maximum size; work that grows quadratically would exceed the timeout of `wire`."""
    before = state(url)
    answer = ask(url, case)
    assert answer.code == case.answers, answer.body[:500]
    assert state(url) == before


def test_a_warning_cannot_add_headers_to_the_answer(url: str) -> None:
    case = next(case for case in bodies.CASES if "line break in its name" in case.name)
    answer = ask(url, case)
    assert answer.headers["warning"] == r'299 - "unknown field \"a\\r\\nSet-Cookie: b\""'
    assert "set-cookie" not in answer.headers


def test_deep_nesting_is_dropped_as_unknown_or_refused_with_a_status(url: str) -> None:
    """Kubernetes accepts 10,000 levels of nesting.

    The decoders of Python accept about 10,000 levels since Python 3.12, and 1,000 levels before.
    """
    before = state(url)
    nested = bodies.with_unknown(b"[" * 9_000 + b"]" * 9_000)
    answer = ask(url, post("", 400, nested, query="?dryRun=All"))
    assert answer.code == 201 or (answer.code == 400 and answer.is_status)
    assert state(url) == before
