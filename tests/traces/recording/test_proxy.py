"""The recording proxy forwards requests and responses unchanged, records them, and hides credentials."""

import asyncio
import base64
import gzip
import http.client
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import trustme

from fakeapi import FakeAPI
from fakeapi.clients.kubeconfig_reader import target_of_kubeconfig
from fakeapi.clients.target import Target, target_of_url
from fakeapi.machinery.hosts import HostRules
from fakeapi.registry.identity.users import ANYBODY
from fakeapi.serving.runner import Runner
from fakeapi.serving.start_error import StartError
from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.model import Exchange, Gap
from fakeapi.traces.recording.proxy import Proxy
from fakeapi.traces.recording.recording import Recording
from tests.fakeapi_clients.kubeconfigs import kubeconfig
from tests.serving.h2client import Client as HTTP2Client
from tests.traces.streams import CLAIMS, Watch, claim

VERSION = b'{"major":"1","minor":"31+","gitVersion":"v1.31.14-x"}'
TIMEOUT = 30.0


class Proxied:
    """A running recording proxy. `close` stops it and returns the recorded exchanges."""

    def __init__(self, upstream: Target, path: Path, **options: Any) -> None:
        self.path = path
        self._recording = Recording(path, source="proxy", server="")
        self._runner = Runner(Proxy(upstream, self._recording, **options))
        try:
            self._runner.start()
        except BaseException:
            self._recording.abort()
            raise
        self.url = f"http://127.0.0.1:{self._runner.port}"
        self.port = self._runner.port

    def request(
        self, method: str, target: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, target, body, {"user-agent": "test/1", **names})
        response = connection.getresponse()
        data = response.read()
        connection.close()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, data

    def close(self) -> list[Exchange]:
        self._runner.stop()
        self._recording.close()
        with open_trace(self.path) as reader:
            self.header = reader.header
            return list(reader)


@pytest.fixture
def proxied(tmp_path: Path) -> Iterator[Callable[..., Proxied]]:
    with ExitStack() as stack:

        def start(upstream: Target, **options: Any) -> Proxied:
            proxy = Proxied(upstream, tmp_path / "t.jsonl", **options)
            stack.callback(proxy._recording.abort)
            stack.callback(proxy._runner.stop)
            return proxy

        yield start


@contextmanager
def upstream(*answers: bytes, tls: ssl.SSLContext | None = None) -> Iterator[tuple[str, list[bytes]]]:
    """Runs a server that sends one response on each connection; yields its URL and a list of requests.

    `answers`: the responses in the order of the connections. The server appends the headers of each request
    to the list, with the body bytes that it has received by then.
    """
    heads: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for answer in answers:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            try:
                if tls is not None:
                    connection = tls.wrap_socket(connection, server_side=True)
                with connection:
                    data = b""
                    while b"\r\n\r\n" not in data:
                        data += connection.recv(65_536)
                    heads.append(data)
                    connection.sendall(answer)
            except OSError:
                continue

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{listener.getsockname()[1]}", heads
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def answer(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), b"Connection: close", *headers]
    return b"\r\n".join([*lines, b"", body])


HELLO = answer(VERSION)


def test_what_clients_and_a_cluster_say_is_recorded(
    fakeapi: FakeAPI, proxied: Callable[..., Proxied]
) -> None:
    proxy = proxied(target_of_url(fakeapi.url))
    status, _, data = proxy.request("POST", f"{CLAIMS}?fieldManager=m", json.dumps(claim("a")).encode())
    assert status == 201
    assert json.loads(data)["metadata"] == fakeapi.get("ResourceClaim", "a")["metadata"]
    assert proxy.request("GET", f"{CLAIMS}/none")[0] == 404
    exchanges = proxy.close()
    assert [(each.request.method, each.response and each.response.status) for each in exchanges] == [
        ("POST", 201),
        ("GET", 404),
    ]
    assert exchanges[0].request.target == f"{CLAIMS}?fieldManager=m"
    assert exchanges[0].response is not None
    assert exchanges[0].response.body == data
    assert proxy.header.source == "proxy"


def test_the_release_of_the_upstream_is_learned(proxied: Callable[..., Proxied]) -> None:
    with upstream(HELLO) as (url, _):
        proxy = proxied(target_of_url(url))
        proxy.close()
    assert (proxy.header.server, proxy.header.release) == ("kubernetes v1.31.14-x", "1.31")


def test_target_headers_and_body_go_through_untouched(proxied: Callable[..., Proxied]) -> None:
    target = "/api/v1/namespaces/a%2Fb/x%20y?fieldSelector=a%3Db,c=d&empty=&p=%e4"
    packed = gzip.compress(b'{"a":1}\n')
    reply = answer(
        packed, b"Content-Encoding: gzip", b"Warning: 299 - a", b"Warning: 299 - b", b"X-Odd: \xe4"
    )
    with upstream(HELLO, reply) as (url, heads):
        proxy = proxied(target_of_url(url))
        status, headers, data = proxy.request(
            "PATCH", target, b'[ {"op":"test"} ]', accept="a;b", content_type="application/json-patch+json"
        )
        (exchange,) = proxy.close()
    lines = heads[1].split(b"\r\n")
    assert lines[0] == f"PATCH {target} HTTP/1.1".encode()
    sent = {
        line.partition(b":")[0].lower(): line.partition(b":")[2].strip() for line in lines[1:] if b":" in line
    }
    assert sent[b"accept"] == b"a;b"
    assert sent[b"content-type"] == b"application/json-patch+json"
    assert sent[b"user-agent"] == b"test/1"
    assert sent[b"host"] == url.removeprefix("http://").encode()
    assert (status, data, headers["content-encoding"]) == (200, packed, "gzip")
    assert exchange.request.target == target
    assert exchange.request.body == b'[ {"op":"test"} ]'
    assert exchange.response is not None
    assert exchange.response.body == b'{"a":1}\n'
    assert [value for name, value in exchange.response.headers if name == "warning"] == ["299 - a", "299 - b"]


def test_a_request_without_headers_gets_none_of_the_proxys(proxied: Callable[..., Proxied]) -> None:
    with upstream(HELLO, answer(b"{}")) as (url, heads):
        proxy = proxied(target_of_url(url))
        with socket.create_connection(("127.0.0.1", proxy.port), TIMEOUT) as client:
            client.sendall(b"GET /api HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            while client.recv(65_536):
                pass
        proxy.close()
    names = {line.partition(b":")[0].lower() for line in heads[1].split(b"\r\n")[1:] if line}
    assert names == {b"host"}


def test_a_watch_streams_through_while_it_is_recorded(
    fakeapi: FakeAPI, proxied: Callable[..., Proxied]
) -> None:
    proxy = proxied(target_of_url(fakeapi.url))
    with Watch(proxy.url) as watch:
        for name in ("a", "b"):
            created = fakeapi.create(claim(name))
            assert json.loads(watch.line()) == {"type": "ADDED", "object": created}
    (exchange,) = proxy.close()
    assert [json.loads(event.line)["object"]["metadata"]["name"] for event in exchange.events or ()] == [
        "a",
        "b",
    ]
    offsets = [event.offset for event in exchange.events or ()]
    assert exchange.offset <= offsets[0] <= offsets[1] <= exchange.offset + exchange.duration


def test_a_watch_that_the_server_ends_ends_for_the_client(
    fakeapi: FakeAPI, proxied: Callable[..., Proxied]
) -> None:
    proxy = proxied(target_of_url(fakeapi.url))
    with Watch(proxy.url) as watch:
        fakeapi.reset()
        assert watch.line() == b""
    (exchange,) = proxy.close()
    assert (exchange.ended, exchange.events) == ("server", ())


def test_a_watch_that_the_client_leaves_ends_upstream(proxied: Callable[..., Proxied]) -> None:
    left = threading.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if b"/version" in head:
            writer.write(HELLO)
        else:
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n")
            await reader.read()
            left.set()
        writer.close()

    with _serving(serve) as url:
        proxy = proxied(target_of_url(url))
        with Watch(proxy.url) as watch:
            assert watch.line() == b"{}\n"
        assert left.wait(TIMEOUT)
        (exchange,) = proxy.close()
    assert (exchange.ended, [event.line for event in exchange.events or ()]) == ("client", [b"{}"])


def test_a_watch_is_open_when_the_proxy_stops(fakeapi: FakeAPI, proxied: Callable[..., Proxied]) -> None:
    proxy = proxied(target_of_url(fakeapi.url))
    with Watch(proxy.url):
        (exchange,) = proxy.close()
    assert exchange.ended == "open"


def test_an_upstream_that_breaks_off_is_seen_to(proxied: Callable[..., Proxied]) -> None:
    chunk = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n"
    with upstream(HELLO, chunk) as (url, _):
        proxy = proxied(target_of_url(url))
        with Watch(proxy.url) as watch:
            assert watch.line() == b"{}\n"
            assert watch.line() == b""
        (exchange,) = proxy.close()
    assert exchange.ended == "cut"


def test_http2_in_front_is_recorded_alike(fakeapi: FakeAPI, proxied: Callable[..., Proxied]) -> None:
    proxy = proxied(target_of_url(fakeapi.url), hosts=HostRules.parse(".*"))
    sock = socket.create_connection(("127.0.0.1", proxy.port), TIMEOUT)
    with HTTP2Client(sock) as client:
        stream = client.request(
            CLAIMS, json.dumps(claim("a")).encode(), (("content-type", "application/json"),)
        )
        while stream not in client.ended:
            client.receive()
        assert client.statuses[stream] == "201"
    (exchange,) = proxy.close()
    assert (exchange.request.method, exchange.request.target) == ("POST", CLAIMS)
    assert exchange.response is not None
    assert exchange.response.body == client.bodies[stream]
    assert {name for name, _ in exchange.request.headers} == {"content-type"}


def test_a_kubeconfig_gives_server_authority_and_token(
    tmp_path: Path, proxied: Callable[..., Proxied]
) -> None:
    with FakeAPI(token="s3cr3t", tls=True) as api:
        proxy = proxied(target_of_kubeconfig(api.kubeconfig))
        assert proxy.request("GET", "/api/v1/namespaces")[0] == 200
        assert proxy.request("GET", "/api/v1/namespaces", authorization="Bearer other")[0] == 401
        assert proxy.request("GET", "/api/v1/namespaces", authorization=f"Bearer {ANYBODY}")[0] == 200
        exchanges = proxy.close()
    assert "authorization" not in dict(exchanges[0].request.headers)
    assert dict(exchanges[1].request.headers)["authorization"] == "Bearer redacted"
    text = (tmp_path / "t.jsonl").read_bytes()
    assert b"s3cr3t" not in text
    assert b"Bearer other" not in text


def test_a_client_certificate_is_shown_and_not_kept(tmp_path: Path, proxied: Callable[..., Proxied]) -> None:
    authority = trustme.CA()
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("cluster.example").configure_cert(server)
    authority.configure_trust(server)
    server.verify_mode = ssl.CERT_REQUIRED
    client = authority.issue_cert("me@example.com")
    files = {"ca.pem": authority.cert_pem.bytes(), "c.pem": client.cert_chain_pems[0].bytes()}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    key = base64.b64encode(client.private_key_pem.bytes()).decode()
    with upstream(HELLO, answer(b"{}"), tls=server) as (url, _):
        config = kubeconfig(
            tmp_path,
            cluster={"server": url, "certificate-authority": "ca.pem", "tls-server-name": "cluster.example"},
            user={"client-certificate": "c.pem", "client-key-data": key},
        )
        proxy = proxied(target_of_kubeconfig(config))
        assert proxy.request("GET", "/api")[0] == 200
        proxy.close()
    assert (tmp_path / "t.jsonl").read_bytes().count(b"BEGIN") == 0


def test_a_certificate_that_is_not_trusted_is_refused(proxied: Callable[..., Proxied]) -> None:
    with FakeAPI(tls=True) as api:
        with pytest.raises(StartError, match=r"cannot be reached: .*certificate verify failed"):
            proxied(target_of_url(api.url))
        assert proxied(target_of_url(api.url, insecure=True)).request("GET", "/api")[0] == 200


def test_clients_of_a_proxy_with_a_token_send_it_and_get_the_upstreams(
    proxied: Callable[..., Proxied],
) -> None:
    with FakeAPI(token="inner") as api:
        proxy = proxied(target_of_kubeconfig(api.kubeconfig), token="outer")
        assert proxy.request("GET", "/api", authorization="Bearer outer")[0] == 200
        status, _, data = proxy.request("GET", "/api", authorization="Bearer inner")
        assert (status, json.loads(data)["reason"]) == (401, "Unauthorized")
        assert len(proxy.close()) == 1


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (b"", "cannot be reached"),
        (b"SSH-2.0-OpenSSH\r\n", "cannot be reached"),
        (answer(b"<html>"), "is not a Kubernetes API server: /version answers 200 without a version"),
        (answer(b"{}"), "is not a Kubernetes API server"),
        (answer(b"no", status=b"404 Not Found"), "is not a Kubernetes API server: /version answers 404"),
    ],
)
def test_an_upstream_that_is_no_api_server_is_told(
    tmp_path: Path, proxied: Callable[..., Proxied], reply: bytes, problem: str
) -> None:
    with upstream(reply, reply) as (url, _), pytest.raises(StartError, match=problem):
        proxied(target_of_url(url))
    assert list(tmp_path.iterdir()) == []


def test_an_upstream_that_is_down_is_told(proxied: Callable[..., Proxied]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(StartError, match="cannot be reached: Connect"):
        proxied(target_of_url(f"http://127.0.0.1:{port}"))


def test_an_upstream_that_keeps_its_version_to_itself_is_one(proxied: Callable[..., Proxied]) -> None:
    with upstream(answer(b"no", status=b"403 Forbidden")) as (url, _):
        proxy = proxied(target_of_url(url))
        proxy.close()
    assert proxy.header.server == ""


def test_an_upstream_that_goes_away_is_answered_502_and_recorded_as_no_response(
    proxied: Callable[..., Proxied],
) -> None:
    with upstream(HELLO) as (url, _):
        proxy = proxied(target_of_url(url))
    status, _, data = proxy.request("GET", "/api")
    assert (status, json.loads(data)["reason"]) == (502, "BadGateway")
    (exchange,) = proxy.close()
    assert exchange.response is None
    assert str(exchange.missing[0]).startswith("response (the upstream cannot be reached: ")


def test_exec_and_websockets_are_refused(fakeapi: FakeAPI, proxied: Callable[..., Proxied]) -> None:
    proxy = proxied(target_of_url(fakeapi.url))
    target = "/api/v1/namespaces/d/pods/p/exec"
    status, _, data = proxy.request("POST", target, connection="Upgrade", upgrade="SPDY/3.1")
    assert (status, json.loads(data)["reason"]) == (501, "NotImplemented")
    assert proxy.close() == []


@contextmanager
def _serving(handler: Any) -> Iterator[str]:
    """Runs an asyncio server in a thread; yields its URL. `handler`: handles a connection."""
    ready: list[int] = []
    started, stopped = threading.Event(), threading.Event()

    async def main() -> None:
        server = await asyncio.start_server(handler, "127.0.0.1", 0)
        ready.append(server.sockets[0].getsockname()[1])
        started.set()
        await asyncio.to_thread(stopped.wait)
        server.close()

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    started.wait(TIMEOUT)
    try:
        yield f"http://127.0.0.1:{ready[0]}"
    finally:
        stopped.set()
        thread.join()


def test_a_url_may_have_a_path_in_front(proxied: Callable[..., Proxied]) -> None:
    with upstream(HELLO, answer(b"{}")) as (url, heads):
        proxy = proxied(target_of_url(f"{url}/k8s/clusters/c-1/"))
        proxy.request("GET", "/api?a=b")
        (exchange,) = proxy.close()
    assert heads[1].startswith(b"GET /k8s/clusters/c-1/api?a=b HTTP/1.1")
    assert exchange.request.target == "/api?a=b"
    assert urlsplit(url).netloc.encode() not in (proxy.path).read_bytes()


@pytest.mark.parametrize("target", [b"1/steal", b"@127.0.0.1:1/steal", b":1/steal", b".evil.example/", b"*"])
def test_a_target_that_would_change_the_upstreams_address_is_refused(
    proxied: Callable[..., Proxied], target: bytes
) -> None:
    with upstream(HELLO) as (url, heads):
        proxy = proxied(target_of_url(url, token="upstreams"))
        with socket.create_connection(("127.0.0.1", proxy.port), TIMEOUT) as client:
            client.sendall(b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert client.makefile("rb").readline().split()[1] == b"400"
        assert proxy.close() == []
    assert len(heads) == 1


@pytest.mark.parametrize(
    "headers", [{"host": "evil.example"}, {"origin": "http://evil.example"}, {"origin": "null"}]
)
def test_a_web_page_cannot_use_the_upstreams_credential(
    proxied: Callable[..., Proxied], headers: dict[str, str]
) -> None:
    with upstream(HELLO) as (url, heads):
        proxy = proxied(target_of_url(url, token="upstreams"))
        status, _, data = proxy.request("GET", "/api", None, **headers)
        assert (status, json.loads(data)["reason"]) == (403, "Forbidden")
        assert "--accept-hosts" in json.loads(data)["message"]
        assert proxy.close() == []
    assert len(heads) == 1


def test_accepted_hosts_may_be_widened_and_with_a_token_any_host_is(proxied: Callable[..., Proxied]) -> None:
    with upstream(HELLO, answer(b"{}")) as (url, _):
        proxy = proxied(target_of_url(url), hosts=HostRules.parse("^proxy$"))
        assert proxy.request("GET", "/api", host="proxy:80")[0] == 200
        proxy.close()
    with upstream(HELLO, answer(b"{}")) as (url, _):
        proxy = proxied(target_of_url(url), token="mine")
        assert proxy.request("GET", "/api", host="any", authorization="Bearer mine")[0] == 200


def test_a_response_that_is_cut_off_is_a_502_and_recorded_without_its_end(
    proxied: Callable[..., Proxied],
) -> None:
    cut = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"
    with upstream(HELLO, cut) as (url, _):
        proxy = proxied(target_of_url(url))
        status, _, data = proxy.request("GET", "/api")
    assert (status, json.loads(data)["reason"]) == (502, "BadGateway")
    (exchange,) = proxy.close()
    assert exchange.lacks(Gap.RESPONSE_END)


def test_credentials_that_the_upstream_echoes_are_not_recorded(proxied: Callable[..., Proxied]) -> None:
    echo = answer(b'{"you": "upstreams-token"}', b"X-You-Sent: Bearer upstreams-token")
    with upstream(HELLO, echo) as (url, heads):
        proxy = proxied(target_of_url(url, token="upstreams-token"))
        _, headers, data = proxy.request("GET", "/api")
    assert b"upstreams-token" in heads[1]
    assert "upstreams-token" in headers["x-you-sent"]
    assert b"upstreams-token" in data
    proxy.close()
    assert b"upstreams-token" not in proxy.path.read_bytes()


def test_headers_that_connection_names_are_for_one_hop_alone(proxied: Callable[..., Proxied]) -> None:
    with upstream(HELLO, answer(b"{}", b"Connection: X-Theirs", b"X-Theirs: 1")) as (url, heads):
        proxy = proxied(target_of_url(url))
        _, headers, _ = proxy.request("GET", "/api", connection="X-Ours", x_ours="1", x_end="1")
    assert b"x-ours" not in heads[1].lower()
    assert b"x-end" in heads[1].lower()
    assert "x-theirs" not in headers


def test_a_request_that_is_too_long_for_the_proxy_is_a_413(
    proxied: Callable[..., Proxied], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.traces.recording.proxy.REQUEST_MAX", 10)
    with upstream(HELLO) as (url, heads):
        proxy = proxied(target_of_url(url))
        assert proxy.request("POST", "/api", b"x" * 11)[0] == 413
    assert len(heads) == 1
    (exchange,) = proxy.close()
    assert exchange.response is None


def test_a_long_response_is_passed_on_as_it_arrives(
    proxied: Callable[..., Proxied], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.traces.recording.proxy.WHOLE_MAX", 9)
    seen = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(HELLO)
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234")
                seen.wait(TIMEOUT)
                connection.sendall(b"56789")

        thread = threading.Thread(target=serve)
        thread.start()
        proxy = proxied(target_of_url(f"http://127.0.0.1:{listener.getsockname()[1]}"))
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=TIMEOUT)
        connection.request("GET", "/version")
        response = connection.getresponse()
        assert response.read(5) == b"01234"
        seen.set()
        assert response.read() == b"56789"
        connection.close()
        thread.join()
