"""The proxy passes everything on untouched, records it, and keeps the upstream's credentials to itself."""

import asyncio
import base64
import gzip
import http.client
import json
import socket
import ssl
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import trustme
import yaml

from fakeapi import FakeAPI
from fakeapi.kubeconfig import ANYBODY
from fakeapi.serving.runner import Runner, StartError
from fakeapi.traces.client.kubeconfig import target_of_kubeconfig
from fakeapi.traces.client.target import Target, TargetError, target_of_url
from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.model import Exchange
from fakeapi.traces.recording.proxy import Proxy
from fakeapi.traces.recording.recording import Recording
from tests.serving.h2client import Client as HTTP2Client
from tests.traces.streams import CLAIMS, Watch, claim

VERSION = b'{"major":"1","minor":"31+","gitVersion":"v1.31.14-x"}'
TIMEOUT = 30.0


class Proxied:
    """A running proxy; `close` ends it and gives what it recorded."""

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
    """A server that answers one request after the other with these bytes, each on a connection of its own.

    Gives its URL and the heads that it got.
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
    found = proxy.close()
    assert [(each.request.method, each.response and each.response.status) for each in found] == [
        ("POST", 201),
        ("GET", 404),
    ]
    assert found[0].request.target == f"{CLAIMS}?fieldManager=m"
    assert found[0].response is not None
    assert found[0].response.body == data
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
        (found,) = proxy.close()
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
    assert found.request.target == target
    assert found.request.body == b'[ {"op":"test"} ]'
    assert found.response is not None
    assert found.response.body == b'{"a":1}\n'
    assert [value for name, value in found.response.headers if name == "warning"] == ["299 - a", "299 - b"]


def test_a_request_without_headers_gets_none_of_the_proxys(proxied: Callable[..., Proxied]) -> None:
    with upstream(HELLO, answer(b"{}")) as (url, heads):
        proxy = proxied(target_of_url(url))
        with socket.create_connection(("127.0.0.1", proxy.port), TIMEOUT) as client:
            client.sendall(b"GET /api HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
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
    (found,) = proxy.close()
    assert [json.loads(event.line)["object"]["metadata"]["name"] for event in found.events or ()] == [
        "a",
        "b",
    ]
    offsets = [event.offset for event in found.events or ()]
    assert found.offset <= offsets[0] <= offsets[1] <= found.offset + found.duration


def test_a_watch_that_the_server_ends_ends_for_the_client(
    fakeapi: FakeAPI, proxied: Callable[..., Proxied]
) -> None:
    proxy = proxied(target_of_url(fakeapi.url))
    with Watch(proxy.url) as watch:
        fakeapi.reset()
        assert watch.line() == b""
    (found,) = proxy.close()
    assert (found.ended, found.events) == ("server", ())


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
        (found,) = proxy.close()
    assert (found.ended, [event.line for event in found.events or ()]) == ("client", [b"{}"])


def test_a_watch_is_open_when_the_proxy_stops(fakeapi: FakeAPI, proxied: Callable[..., Proxied]) -> None:
    proxy = proxied(target_of_url(fakeapi.url))
    with Watch(proxy.url):
        (found,) = proxy.close()
    assert found.ended == "open"


def test_an_upstream_that_breaks_off_is_seen_to(proxied: Callable[..., Proxied]) -> None:
    chunk = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n"
    with upstream(HELLO, chunk) as (url, _):
        proxy = proxied(target_of_url(url))
        with Watch(proxy.url) as watch:
            assert watch.line() == b"{}\n"
            assert watch.line() == b""
        (found,) = proxy.close()
    assert found.ended == "cut"


def test_http2_in_front_is_recorded_alike(fakeapi: FakeAPI, proxied: Callable[..., Proxied]) -> None:
    proxy = proxied(target_of_url(fakeapi.url))
    sock = socket.create_connection(("127.0.0.1", proxy.port), TIMEOUT)
    with HTTP2Client(sock) as client:
        stream = client.request(
            CLAIMS, json.dumps(claim("a")).encode(), (("content-type", "application/json"),)
        )
        while stream not in client.ended:
            client.receive()
        assert client.statuses[stream] == "201"
    (found,) = proxy.close()
    assert (found.request.method, found.request.target) == ("POST", CLAIMS)
    assert found.response is not None
    assert found.response.body == client.bodies[stream]
    assert {name for name, _ in found.request.headers} == {"content-type"}


def test_a_kubeconfig_gives_server_authority_and_token(
    tmp_path: Path, proxied: Callable[..., Proxied]
) -> None:
    with FakeAPI(token="s3cr3t", tls=True) as api:
        proxy = proxied(target_of_kubeconfig(api.kubeconfig))
        assert proxy.request("GET", "/api/v1/namespaces")[0] == 200
        assert proxy.request("GET", "/api/v1/namespaces", authorization="Bearer other")[0] == 401
        assert proxy.request("GET", "/api/v1/namespaces", authorization=f"Bearer {ANYBODY}")[0] == 200
        found = proxy.close()
    assert "authorization" not in dict(found[0].request.headers)
    assert dict(found[1].request.headers)["authorization"] == "Bearer redacted"
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


def kubeconfig(directory: Path, **parts: Any) -> Path:
    """One with a context `c`; `cluster` and `user` as given."""
    config = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        "clusters": [{"name": "k", "cluster": parts.get("cluster", {"server": "http://127.0.0.1:1"})}],
        "users": [{"name": "u", "user": parts.get("user", {})}],
    }
    path = directory / "config"
    path.write_text(yaml.safe_dump(config))
    return path


def credential(directory: Path, **user: Any) -> str | None:
    return asyncio.run(target_of_kubeconfig(kubeconfig(directory, user=user)).authorize())


def test_credentials_of_a_kubeconfig_become_a_header(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("from-file\n")
    assert credential(tmp_path) is None
    assert credential(tmp_path, token="t") == "Bearer t"
    assert credential(tmp_path, tokenFile="token", token="t") == "Bearer from-file"
    assert credential(tmp_path, username="u", password="p") == "Basic dTpw"


def plugin(directory: Path, answer: str) -> dict[str, Any]:
    script = directory / "plugin"
    script.write_text(f"#!/bin/sh\necho asked >> {directory}/asked\n{answer}\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "./plugin",
        "args": ["x"],
        "env": None,
    }


@pytest.mark.parametrize(("until", "asked"), [("2999-01-01T00:00:00Z", 1), ("2000-01-01T00:00:00Z", 2)])
def test_a_credential_plugin_is_asked_when_its_answer_is_over(tmp_path: Path, until: str, asked: int) -> None:
    reply = json.dumps({"status": {"token": "t", "expirationTimestamp": until}})
    found = target_of_kubeconfig(kubeconfig(tmp_path, user={"exec": plugin(tmp_path, f"echo '{reply}'")}))
    assert asyncio.run(found.authorize()) == "Bearer t"
    assert asyncio.run(found.authorize()) == "Bearer t"
    assert (tmp_path / "asked").read_text().count("asked") == asked


@pytest.mark.parametrize("reply", ["exit 3", "echo no JSON", "echo {}"])
def test_a_credential_plugin_that_fails_is_told(tmp_path: Path, reply: str) -> None:
    with pytest.raises(TargetError, match="the credential plugin"):
        credential(tmp_path, exec=plugin(tmp_path, reply))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [", "config:1: is not YAML"),
        ("[]", "is not a kubeconfig"),
        ("{}", "has no current-context"),
        ("current-context: c", "has no context named 'c'"),
        ("{current-context: c, contexts: [{name: c, context: {cluster: k}}]}", "has no cluster named 'k'"),
    ],
)
def test_a_kubeconfig_that_is_none_is_told(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "config").write_text(text)
    with pytest.raises(TargetError, match=problem):
        target_of_kubeconfig(tmp_path / "config")


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"cluster": {"server": "tcp://x"}}, "is not the URL of a server"),
        ({"cluster": {"server": "https://x", "certificate-authority": "none"}}, "cannot read .*none"),
        ({"cluster": {"server": "https://x", "certificate-authority-data": "?"}}, "is not base64"),
        (
            {"cluster": {"server": "https://x", "certificate-authority-data": "eA=="}},
            "authority is not a PEM certificate",
        ),
        ({"cluster": {"server": "https://x", "proxy-url": "http://p"}}, "proxy-url, which is not supported"),
        ({"user": {"auth-provider": {"name": "gcp"}}}, "auth-provider was removed"),
        ({"user": {"exec": {"apiVersion": "v0"}}}, "exec plugins of 'v0' are not supported"),
        (
            {"cluster": {"server": "https://x"}, "user": {"client-certificate-data": "eA=="}},
            "the client certificate or its key is invalid",
        ),
    ],
)
def test_what_a_kubeconfig_cannot_have_is_told(tmp_path: Path, parts: dict[str, Any], problem: str) -> None:
    with pytest.raises(TargetError, match=problem):
        target_of_kubeconfig(kubeconfig(tmp_path, **parts))


@pytest.mark.parametrize("url", ["127.0.0.1:1", "http://", "http://a:x", "http://a/?q", "ftp://a"])
def test_a_url_that_is_none_is_told(url: str) -> None:
    with pytest.raises(TargetError, match="is not the URL of a server"):
        target_of_url(url)


def test_a_password_in_a_url_is_refused() -> None:
    with pytest.raises(TargetError, match="process lists"):
        target_of_url("http://me:secret@a")


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
    (found,) = proxy.close()
    assert found.response is None
    assert str(found.missing[0]).startswith("response (the upstream cannot be reached: ")


def test_exec_and_websockets_are_refused(fakeapi: FakeAPI, proxied: Callable[..., Proxied]) -> None:
    proxy = proxied(target_of_url(fakeapi.url))
    target = "/api/v1/namespaces/d/pods/p/exec"
    status, _, data = proxy.request("POST", target, connection="Upgrade", upgrade="SPDY/3.1")
    assert (status, json.loads(data)["reason"]) == (501, "NotImplemented")
    assert proxy.close() == []


@contextmanager
def _serving(handler: Any) -> Iterator[str]:
    """An asyncio server in a thread."""
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
        (found,) = proxy.close()
    assert heads[1].startswith(b"GET /k8s/clusters/c-1/api?a=b HTTP/1.1")
    assert found.request.target == "/api?a=b"
    assert urlsplit(url).netloc.encode() not in (proxy.path).read_bytes()
