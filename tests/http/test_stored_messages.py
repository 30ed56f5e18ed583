"""The cache of protobuf messages does not change the responses, and has a bound."""

import json
import urllib.request
from collections.abc import Iterator

import pytest

from fakeapi.http import stored_messages
from fakeapi.http.protobuf import encode_body
from fakeapi.http.stored_messages import Messages
from fakeapi.releases.release import kinds_of_release
from fakeapi.testing.server import FakeAPI
from fakeapi_storage import Entry
from tests.http.asking import ask

RELEASE = "1.33"
PROTOBUF = "application/vnd.kubernetes.protobuf"
CLAIMS = "/apis/resource.k8s.io/{}/namespaces/default/resourceclaims"
PATHS = [
    "/api/v1/namespaces/default/configmaps",
    "/api/v1/namespaces/default/configmaps?limit=1",
    "/api/v1/namespaces/default/configmaps/a",
    CLAIMS.format("v1beta1"),
    CLAIMS.format("v1beta2"),
    CLAIMS.format("v1beta2") + "/a",
]


@pytest.fixture
def server() -> Iterator[FakeAPI]:
    with FakeAPI(release=RELEASE) as started:
        for name in ("a", "b"):
            started.create(
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": "<é>"}}
            )
            started.create(claim(name))
        yield started


def claim(name: str) -> dict[str, object]:
    return {
        "apiVersion": "resource.k8s.io/v1beta1",
        "kind": "ResourceClaim",
        "metadata": {"name": name},
        "spec": {"devices": {"requests": [{"name": "r", "deviceClassName": "gpu"}]}},
    }


def test_responses_in_protobuf_are_the_same_with_cached_messages(server: FakeAPI) -> None:
    for _ in range(2):
        for path in PATHS:
            assert in_protobuf(server, path) == encode_body(ask(server, path).body, kinds_of_release(RELEASE))


def test_a_changed_object_has_a_new_message(server: FakeAPI) -> None:
    path = PATHS[0]
    before = in_protobuf(server, path)
    merge = "application/merge-patch+json"
    assert ask(server, f"{path}/a", "PATCH", {"data": {"k": "new"}}, content_type=merge).code == 200
    changed = in_protobuf(server, path)
    assert before != changed == encode_body(ask(server, path).body, kinds_of_release(RELEASE))
    server.reset()
    assert in_protobuf(server, path) == encode_body(ask(server, path).body, kinds_of_release(RELEASE))


def test_the_exact_parameters_of_a_driver_are_the_same_with_cached_messages(
    server: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = CLAIMS.format("v1beta1")
    opaque = b'"config":[{"opaque":{"driver":"d.example.com","parameters":{ "a" : 1.50 }}}],'
    body = json.dumps(claim("c")).encode().replace(b'"requests"', opaque + b'"requests"')
    sent = urllib.request.Request(f"{server.url}{path}", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(sent) as created:
        assert created.status == 201
    first, cached = in_protobuf(server, path), in_protobuf(server, path)
    monkeypatch.setattr(Messages, "get", lambda self, entry: None)
    assert first == cached == in_protobuf(server, path)
    assert b'{ "a" : 1.50 }' in cached


def test_the_cached_messages_of_a_resource_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_messages, "KEPT_BYTES_MAX", 100)
    messages = Messages()
    small = [Entry(f"k{number}", b"v" * 20, number, number) for number in range(4)]
    for entry in small:
        messages.put(entry, b"m" * 20)
    assert [messages.get(entry) is not None for entry in small] == [False, False, True, True]
    large = Entry("large", b"v" * 90, 9, 9)
    messages.put(large, b"m" * 20)
    assert messages.get(large) is None


def in_protobuf(server: FakeAPI, path: str) -> bytes:
    found = ask(server, path, accept=PROTOBUF)
    assert (found.code, found.headers["content-type"]) == (200, PROTOBUF)
    return found.body
