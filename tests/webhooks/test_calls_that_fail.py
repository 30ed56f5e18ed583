"""Failed webhook calls give the errors of Go's net/http and crypto/x509."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from unittest.mock import Mock

import pytest
import trustme

from fakeapi.machinery.patch import json_patch
from fakeapi.outbound import posting
from fakeapi.outbound.certificates import name_problem
from fakeapi.outbound.posting import PostingClient
from fakeapi.registry.offloading.heavy_steps import HEAVY_BYTES
from fakeapi.registry.webhooks import clients, transport
from fakeapi.registry.webhooks.answers import ReviewType, read_answer
from fakeapi.registry.webhooks.transport import TOO_LATE, Answer, Endpoint, Unreachable, answer_limit
from fakeapi.testing.server import FakeAPI
from tests.webhooks.conftest import config_map, configure, refusal, webhook
from tests.webhooks.server import WebhookServer, patching

X509 = "tls: failed to verify certificate: x509: "


def posted(endpoint: Endpoint, seconds: float = 20.0) -> Answer:
    async def post() -> Answer:
        client = PostingClient()
        try:
            return await client.post(endpoint, "/", b"{}", seconds)
        finally:
            client.close()

    return asyncio.run(post())


def problem(endpoint: Endpoint, seconds: float = 20.0) -> str:
    with pytest.raises(Unreachable) as failed:
        posted(endpoint, seconds)
    return str(failed.value)


@pytest.fixture
def peer() -> Iterator[Callable[[bytes], str]]:
    """Yields a function that starts a server for one connection and returns its host and port.

    The server reads a request, sends the given bytes and closes the connection. With None it never responds.
    """
    listeners: list[socket.socket] = []
    silent: list[socket.socket] = []

    def start(data: bytes | None) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def serve() -> None:
            connection, _ = listener.accept()
            if data is None:
                silent.append(connection)
                return
            with closing(connection):
                connection.recv(1 << 16)
                connection.sendall(data)

        threading.Thread(target=serve, daemon=True).start()
        return f"127.0.0.1:{listener.getsockname()[1]}"

    yield start
    for each in (*listeners, *silent):
        each.close()


def test_nobody_listens() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port = listener.getsockname()[1]
    wanted = f"dial tcp 127.0.0.1:{port}: connect: connection refused"
    assert problem(Endpoint(f"https://127.0.0.1:{port}/")) == wanted


def test_the_host_does_not_exist() -> None:
    message = problem(Endpoint("https://no-such-host.invalid/"))
    assert message.startswith("dial tcp: lookup no-such-host.invalid")
    assert message.endswith(": no such host")


def test_an_authority_that_nobody_trusts(webhooks: Callable[..., WebhookServer]) -> None:
    server = webhooks()
    other = trustme.CA().cert_pem.bytes()
    for authority in (b"", other):
        message = problem(Endpoint(server.url, authority))
        assert message == f"{X509}certificate signed by unknown authority"


def test_a_certificate_of_another_name(webhooks: Callable[..., WebhookServer]) -> None:
    server = webhooks(names=("a.example", "b.example"))
    message = problem(Endpoint(f"https://localhost:{server.port}", server.ca))
    assert message == f"{X509}certificate is valid for a.example, b.example, not localhost"
    message = problem(Endpoint(server.url, server.ca))
    assert (
        message == f"{X509}cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs"
    )


@pytest.mark.parametrize(
    ("certificate", "host", "why"),
    [
        ({"subjectAltName": (("DNS", "*.ns.svc"),)}, "hook.ns.svc", ""),
        ({"subjectAltName": (("DNS", "HOOK.ns.svc"),)}, "hook.NS.svc", ""),
        (
            {"subjectAltName": (("DNS", "*.svc"),)},
            "hook.ns.svc",
            "certificate is valid for *.svc, not hook.ns.svc",
        ),
        ({"subjectAltName": (("IP Address", "10.0.0.1"), ("IP Address", "0:0:0:0:0:0:0:1"))}, "::1", ""),
        (
            {"subjectAltName": (("IP Address", "10.0.0.1"), ("IP Address", "0:0:0:0:0:0:0:1"))},
            "127.0.0.1",
            "certificate is valid for 10.0.0.1, ::1, not 127.0.0.1",
        ),
        (
            {"subject": ((("commonName", "localhost"),),)},
            "localhost",
            "certificate relies on legacy Common Name field, use SANs instead",
        ),
        (
            {"subject": ((("commonName", "not a host"),),)},
            "localhost",
            "certificate is not valid for any names, but wanted to match localhost",
        ),
    ],
)
def test_names_of_certificates_are_checked_as_go_does(
    certificate: dict[str, object], host: str, why: str
) -> None:
    assert name_problem(certificate, host) == (X509 + why if why else "")


def test_plain_http_where_tls_is_expected(webhooks: Callable[..., WebhookServer]) -> None:
    server = webhooks(tls=False)
    message = problem(Endpoint(f"https://127.0.0.1:{server.port}/"))
    assert message == "http: server gave HTTP response to HTTPS client"


def test_a_connection_that_ends_without_an_answer(peer: Callable[[bytes], str]) -> None:
    assert problem(Endpoint(f"http://{peer(b'')}/")) == "EOF"


def test_an_answer_that_ends_in_its_body(peer: Callable[[bytes], str]) -> None:
    address = peer(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
    answer = posted(Endpoint(f"http://{address}/"))
    assert answer.problem == "unexpected EOF"


def test_an_answer_that_is_not_http(peer: Callable[[bytes], str]) -> None:
    address = peer(b"hello there\r\n\r\n")
    message = problem(Endpoint(f"http://{address}/"))
    assert message.startswith("net/http: HTTP/1.x transport connection broken: ")


def test_a_server_that_is_silent_is_waited_for_no_longer_than_said(peer: Callable[[None], str]) -> None:
    assert problem(Endpoint(f"http://{peer(None)}/"), seconds=0.05) == TOO_LATE


def test_a_webhook_that_takes_too_long_fails_the_write(api: FakeAPI, hook: WebhookServer) -> None:
    done = threading.Event()

    def wait(path: str) -> None:
        done.wait(20)

    hook.before = wait
    configure(api, "Validating", webhook(hook.client_config("/slow"), timeoutSeconds=1))
    refused = refusal(lambda: api.create(config_map()))
    done.set()
    start = 'Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: '
    url = f"{hook.url}/slow?timeout=1s"
    assert refused.message == f'{start}Post "{url}": context deadline exceeded'
    assert refused.status["details"] == {"causes": [{"message": refused.message.partition(": ")[2]}]}


def test_a_kept_connection_that_ended_is_replaced(webhooks: Callable[..., WebhookServer]) -> None:
    server = webhooks(tls=False)

    async def twice() -> list[int]:
        client = PostingClient()
        body = b'{"kind":"k","apiVersion":"v","request":{"uid":"u"}}'
        try:
            first = await client.post(Endpoint(server.url), "/", body, 20.0)
            for kept in client._idle.values():
                for connection in kept:
                    connection._writer.transport.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
            second = await client.post(Endpoint(server.url), "/", body, 20.0)
        finally:
            client.close()
        return [first.status, second.status]

    assert asyncio.run(twice()) == [200, 200]


def test_an_answer_without_end_is_not_kept(
    webhooks: Callable[..., WebhookServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "ANSWER_MAX", 1000)
    server = webhooks(tls=False)
    server.raw["/"] = (200, {}, b"x" * 1001)

    async def post() -> Answer:
        client = PostingClient()
        body = b'{"kind":"k","apiVersion":"v","request":{"uid":"u"}}'
        try:
            return await client.post(Endpoint(server.url), "/", body, 20.0)
        finally:
            client.close()

    answer = asyncio.run(post())
    assert (answer.body, answer.problem) == (b"", "the body is longer than 1000 bytes")


def test_an_answer_may_be_longer_if_more_was_sent() -> None:
    assert answer_limit(0) == transport.ANSWER_BYTES
    assert answer_limit(100) == transport.ANSWER_BYTES + 100 * transport.ANSWER_RATIO
    assert answer_limit(1 << 40) == transport.ANSWER_MAX


def test_informational_answers_without_end_are_refused(
    monkeypatch: pytest.MonkeyPatch, peer: Callable[[bytes], str]
) -> None:
    monkeypatch.setattr(posting, "HEAD_MAX", 1000)
    host = peer(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 5000)
    expected = "net/http: server response headers exceeded 1000 bytes; aborted"
    assert problem(Endpoint(f"http://{host}/")) == expected


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"])
def test_other_clients_have_their_turns_while_an_answer_is_parsed(head: bytes) -> None:
    pieces = 10 * posting.EVENTS_IN_A_TURN
    chunk = b"1\r\n \r\n" if head else b"HTTP/1.1 100 Continue\r\n\r\n"
    turns = 0

    async def take_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def read() -> None:
        reader = asyncio.StreamReader()
        reader.feed_data(
            head + chunk * pieces + (b"0\r\n\r\n" if head else b"HTTP/1.1 204 No Content\r\n\r\n")
        )
        connection = posting._Connection(reader, Mock())
        other = asyncio.create_task(take_turns())
        await connection.ask("host", "/", b"{}")
        await connection.body(1 << 20)
        other.cancel()

    asyncio.run(read())
    assert turns >= 10


def test_the_timeout_of_a_webhook_covers_the_parsing_of_its_answer(
    api: FakeAPI, hook: WebhookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed_out = threading.Event()

    def parse(answer: Answer, wanted: ReviewType) -> object:
        if not answer.problem:
            timed_out.wait(20)
        return read_answer(answer, wanted)

    monkeypatch.setattr(clients, "read_answer", parse)
    monkeypatch.setattr("fakeapi.registry.offloading.heavy_steps.HEAVY_BYTES", 0)
    configure(api, "Validating", webhook(hook.client_config(), timeoutSeconds=1))
    refused = refusal(lambda: api.create(config_map()))
    timed_out.set()
    assert refused.message.endswith(f"Please retry. Original error: {TOO_LATE}")


def test_long_answers_and_patches_are_read_beside_the_event_loop(
    api: FakeAPI, hook: WebhookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []

    def parse(answer: Answer, wanted: ReviewType) -> object:
        threads.append(threading.current_thread().name)
        return read_answer(answer, wanted)

    decode_operations = json_patch.decode_operations

    def decode(patch: bytes, *, checked: bool) -> object:
        threads.append(threading.current_thread().name)
        return decode_operations(patch, checked=checked)

    monkeypatch.setattr(clients, "read_answer", parse)
    monkeypatch.setattr(json_patch, "decode_operations", decode)
    configure(api, "Mutating", webhook(hook.client_config()))
    hook.answers["/"] = patching({"op": "add", "path": "/data", "value": {"a": "x" * HEAVY_BYTES}})
    assert len(api.create(config_map())["data"]["a"]) == HEAVY_BYTES
    assert len(threads) == 2
    assert all(name.startswith("asyncio_") for name in threads)


def test_calls_beyond_those_at_once_wait_within_their_time(
    webhooks: Callable[..., WebhookServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.outbound.posting.CALLS_MAX", 1)
    server = webhooks(tls=False)
    done = threading.Event()

    def wait(path: str) -> None:
        done.wait(20)

    server.before = wait
    body = b'{"kind":"k","apiVersion":"v","request":{"uid":"u"}}'

    async def two() -> tuple[int, str]:
        client = PostingClient()
        try:
            first = asyncio.create_task(client.post(Endpoint(server.url), "/", body, 20.0))
            await asyncio.sleep(0)
            with pytest.raises(Unreachable) as late:
                await client.post(Endpoint(server.url), "/", body, 0.05)
            done.set()
            return (await first).status, str(late.value)
        finally:
            client.close()

    assert asyncio.run(two()) == (200, TOO_LATE)


def test_connections_are_kept_for_a_few_endpoints_only(
    webhooks: Callable[..., WebhookServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.outbound.posting.PLACES_MAX", 2)
    servers = [webhooks(tls=False) for _ in range(3)]
    body = b'{"kind":"k","apiVersion":"v","request":{"uid":"u"}}'

    async def ask_all() -> list[int]:
        client = PostingClient()
        kept = []
        try:
            for server in servers:
                await client.post(Endpoint(server.url), "/", body, 20.0)
                kept.append(sum(map(len, client._idle.values())))
        finally:
            client.close()
        return kept

    assert asyncio.run(ask_all()) == [1, 2, 1]


def test_a_few_connections_are_kept_for_an_endpoint(
    webhooks: Callable[..., WebhookServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.outbound.posting.IDLE_MAX", 2)
    server = webhooks(tls=False)
    together = threading.Barrier(4)

    def wait(path: str) -> None:
        together.wait(20)

    server.before = wait
    body = b'{"kind":"k","apiVersion":"v","request":{"uid":"u"}}'

    async def ask_at_once() -> tuple[set[int], int]:
        client = PostingClient()
        try:
            calls = (client.post(Endpoint(server.url), "/", body, 20.0) for _ in range(4))
            answers = await asyncio.gather(*calls)
            return {answer.status for answer in answers}, sum(map(len, client._idle.values()))
        finally:
            client.close()

    assert asyncio.run(ask_at_once()) == ({200}, 2)


def test_a_head_without_end_is_refused(monkeypatch: pytest.MonkeyPatch, peer: Callable[[bytes], str]) -> None:
    monkeypatch.setattr("fakeapi.outbound.posting.HEAD_MAX", 1000)
    host = peer(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 2000)
    assert problem(Endpoint(f"http://{host}/")).startswith("net/http: HTTP/1.x transport connection broken")


def test_certificates_are_kept_parsed_for_a_number_of_authorities(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.outbound.posting.CONTEXTS_MAX", 2)

    async def ask_all() -> list[int]:
        client, kept = PostingClient(), []
        for _ in range(3):
            authority = trustme.CA().cert_pem.bytes()
            with pytest.raises(Unreachable):
                await client.post(Endpoint("https://127.0.0.1:1/", authority=authority), "/", b"{}", 20.0)
            kept.append(len(client._contexts))
        return kept

    assert asyncio.run(ask_all()) == [1, 2, 1]
