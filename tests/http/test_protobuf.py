"""The server sends protobuf responses. The tests decode them with fakeapi's decoder for requests."""

import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi.http.protobuf import split_frames
from fakeapi.machinery.schema import protobuf
from fakeapi.machinery.schema.protobuf_wire import fields_of
from fakeapi.releases.release import kinds_of_release
from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask

PROTOBUF = "application/vnd.kubernetes.protobuf"
RELEASE = "1.33"
PATH = "/api/v1/namespaces/default/configmaps"
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"b": "2", "a": ""}}
AGGREGATED = f"{PROTOBUF};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


@pytest.fixture(scope="module")
def server() -> Iterator[FakeAPI]:
    with FakeAPI(release=RELEASE) as started:
        started.create(CONFIG_MAP)
        yield started


def read(body: bytes) -> dict[str, Any]:
    """Decodes a protobuf body to JSON values, with the apiVersion and kind from its envelope."""
    kind, api_version, raw = protobuf.unwrap(body)
    schema = kinds_of_release(RELEASE).type_of(api_version, kind)
    assert schema is not None
    return {"kind": kind, "apiVersion": api_version, **protobuf.decode(raw, schema)}


def without_zeros(value: Any) -> Any:
    """Returns a JSON value without zero values, which protobuf writes and JSON omits."""
    if isinstance(value, dict):
        by_name = {name: without_zeros(each) for name, each in value.items()}
        return {name: each for name, each in by_name.items() if each not in ("", 0, False, None, [], {})}
    return [without_zeros(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "path",
    [
        f"{PATH}/a",
        PATH,
        f"{PATH}?limit=1",
        f"{PATH}/nothing",
        "/api/v1/namespaces/default",
        "/api/v1/nothing",
        "/api",
        "/api/v1",
        "/apis",
        "/apis/apps",
        "/apis/apps/v1",
    ],
)
def test_an_answer_says_in_protobuf_what_it_says_in_json(server: FakeAPI, path: str) -> None:
    found, expected = ask(server, path, accept=PROTOBUF), ask(server, path)
    assert (found.code, found.headers["content-type"]) == (expected.code, PROTOBUF)
    assert without_zeros(read(found.body)) == without_zeros(expected.json())


def test_aggregated_discovery_is_had_in_protobuf(server: FakeAPI) -> None:
    answer = ask(server, "/apis", accept=AGGREGATED)
    expected = ask(server, "/apis", accept=AGGREGATED.replace(PROTOBUF, "application/json"))
    assert answer.headers["content-type"] == AGGREGATED
    assert answer.headers["etag"] == expected.headers["etag"]
    assert without_zeros(read(answer.body)) == without_zeros(expected.json())


@pytest.mark.parametrize(
    ("kind", "path"), [("PartialObjectMetadata", f"{PATH}/a"), ("PartialObjectMetadataList", PATH)]
)
def test_metadata_is_had_in_protobuf(server: FakeAPI, kind: str, path: str) -> None:
    form = f"as={kind};g=meta.k8s.io;v=v1"
    found = read(ask(server, path, accept=f"{PROTOBUF};{form}").body)
    assert (found["kind"], found["apiVersion"]) == (kind, "meta.k8s.io/v1")
    expected = ask(server, path, accept=f"application/json;{form}").json()
    for item in expected.get("items", ()):
        del item["kind"], item["apiVersion"]  # protobuf omits the type of items
    assert without_zeros(found) == without_zeros(expected)


def test_a_table_has_no_protobuf_form_which_is_said_in_protobuf(server: FakeAPI) -> None:
    table = "as=Table;g=meta.k8s.io;v=v1"
    refused = ask(server, PATH, accept=f"{PROTOBUF};{table}")
    assert (refused.code, refused.headers["content-type"]) == (406, PROTOBUF)
    message = (
        "object *v1.Table does not implement the protobuf marshalling interface and cannot be encoded to a "
        "protobuf message"
    )
    assert read(refused.body)["message"] == message
    other = ask(server, PATH, accept=f"application/json;{table},{PROTOBUF}")
    assert other.json()["kind"] == "Table"


def test_writes_are_answered_in_protobuf_and_refusals_too(server: FakeAPI) -> None:
    named = {**CONFIG_MAP, "metadata": {"name": "written"}}
    created = ask(server, PATH, "POST", named, accept=PROTOBUF)
    assert (created.code, read(created.body)["data"]) == (201, {"a": "", "b": "2"})
    again = ask(server, PATH, "POST", named, accept=f"{PROTOBUF},application/json")
    assert (again.code, read(again.body)["reason"]) == (409, "AlreadyExists")
    deleted = ask(server, f"{PATH}/written", "DELETE", accept=PROTOBUF)
    assert (deleted.code, read(deleted.body)["status"]) == (200, "Success")


def test_a_watch_sends_frames_with_their_length_before_them(server: FakeAPI) -> None:
    answer = ask(server, f"{PATH}?watch=1&timeoutSeconds=1", accept=f"{PROTOBUF};stream=watch,{PROTOBUF}")
    assert answer.headers["content-type"] == f"{PROTOBUF};stream=watch"
    (frame,) = split_frames(answer.body)
    event = fields_of(frame)
    assert event[1] == [b"ADDED"]
    assert isinstance(event[2][0], bytes)
    (content,) = fields_of(event[2][0])[1]
    assert isinstance(content, bytes)
    assert without_zeros(read(content)) == without_zeros(ask(server, f"{PATH}/a").json())


def test_drivers_own_values_are_to_the_byte_in_every_answer_about_their_object(server: FakeAPI) -> None:
    written = '{ "share" : 1.50 }'
    opaque = f'{{"driver": "d.example.com", "parameters": {written}}}'
    body = (
        '{"apiVersion": "resource.k8s.io/v1beta1", "kind": "DeviceClass", "metadata": {"name": "spaced"}, '
        f'"spec": {{"config": [{{"opaque": {opaque}}}]}}}}'
    ).encode()
    path = "/apis/resource.k8s.io/v1beta1/deviceclasses"
    for method, target in (
        ("POST", f"{path}?dryRun=All"),
        ("POST", path),
        ("PUT", f"{path}/spaced?dryRun=All"),
        ("PUT", f"{path}/spaced?fieldManager=other"),
        ("GET", f"{path}/spaced"),
        ("GET", path),
        ("DELETE", f"{path}/spaced?dryRun=All"),
        ("DELETE", f"{path}/spaced"),
    ):
        sent = body if method in ("POST", "PUT") else None
        headers = {"Accept": PROTOBUF, "Content-Type": "application/json"}
        request = urllib.request.Request(f"{server.url}{target}", sent, headers, method=method)
        with urllib.request.urlopen(request) as answer:
            assert written.encode() in answer.read(), (method, target)
