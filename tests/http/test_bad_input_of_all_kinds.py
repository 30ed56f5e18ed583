"""All served kinds refuse malformed request bodies with the same errors."""

import json
from collections.abc import Iterator

import pytest

from fakeapi.http.request import BODY_MAX
from fakeapi.testing.server import FakeAPI
from tests.http import wire

JSON, PROTOBUF = "application/json", "application/vnd.kubernetes.protobuf"
SCHEMES = {
    "apiextensions.k8s.io": "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55",
    "apiregistration.k8s.io": "k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28",
}
LEGACY_SCHEME = "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"
OFFERED = f"{JSON}, application/yaml, {PROTOBUF}"


@pytest.fixture(scope="module")
def api() -> Iterator[FakeAPI]:
    gates = "ClusterTrustBundle=true,StorageVersionMigrator=true"
    with FakeAPI(release="1.33", runtime_config="api/all=true", feature_gates=gates) as server:
        yield server


def creatable(api: FakeAPI) -> list[tuple[str, str, str]]:
    """Returns (apiVersion, kind, URL path) of every kind that clients can create."""
    groups = api.request("GET", "/apis")["groups"]
    versions = ["v1", *(each["groupVersion"] for group in groups for each in group["versions"])]
    items = []
    for version in versions:
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        for each in api.request("GET", root)["resources"]:
            if "/" not in each["name"] and "create" in each["verbs"]:
                place = "/namespaces/default" if each["namespaced"] else ""
                items.append((version, each["kind"], f"{root}{place}/{each['name']}"))
    assert len(items) > 80
    return items


def post(api: FakeAPI, path: str, data: bytes, media_type: str) -> wire.Answer:
    lines = [(b"Host", b"localhost"), (b"Connection", b"close"), (b"Content-Length", b"%d" % len(data))]
    lines.append((b"Content-Type", media_type.encode()))
    return wire.exchange(api.url, wire.head(b"POST", path.encode(), lines) + data)


def refusals(api: FakeAPI, data: bytes, media_type: str) -> Iterator[tuple[str, str, int, str]]:
    """Sends a POST with this body for each kind that clients can create.

    Yields (apiVersion, kind, code, message) of each response.
    """
    for version, kind, path in creatable(api):
        answer = post(api, path, data, media_type)
        assert answer.is_status, (kind, answer.body)
        yield version, kind, answer.code, answer.json()["message"]


def test_a_media_type_that_is_not_taken(api: FakeAPI) -> None:
    words = "the body of the request was in an unknown format - accepted media types include"
    for _, kind, code, message in refusals(api, b"{}", "text/plain"):
        assert (code, message) == (415, f"{words}: {OFFERED}"), kind


def test_json_that_is_cut_off(api: FakeAPI) -> None:
    why = "couldn't get version/kind; json parse error: unexpected end of JSON input"
    for _, kind, code, message in refusals(api, b'{"metadata":', JSON):
        start = f"the object provided is unrecognized (must be of type {kind})"
        assert (code, message) == (400, f'{start}: {why} ({{"metadata":)'), kind


def test_an_object_of_a_kind_that_is_not_there(api: FakeAPI) -> None:
    for version, kind, code, message in refusals(api, b'{"kind":"Odd","apiVersion":"v1"}', JSON):
        scheme = SCHEMES.get(version.partition("/")[0], LEGACY_SCHEME)
        problem = f'no kind "Odd" is registered for version "v1" in scheme "{scheme}"'
        assert (code, message) == (400, f'Odd in version "v1" cannot be handled as a {kind}: {problem}'), kind


def test_an_object_of_another_kind(api: FakeAPI) -> None:
    for version, kind, code, message in refusals(api, b'{"kind":"Node","apiVersion":"v1"}', JSON):
        if kind == "Node":
            continue
        group = version.rpartition("/")[0]
        problem = f"converting (v1.Node) to ({group.partition('.')[0] or 'core'}.{kind}): unknown conversion"
        if group in SCHEMES:
            problem = f'no kind "Node" is registered for version "v1" in scheme "{SCHEMES[group]}"'
        expected = f'Node in version "v1" cannot be handled as a {kind}: {problem}'
        assert (code, message) == (400, expected), kind


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"k8s\0", "empty body (6b387300)"),
        (b"k8s\0\x0a\x0f", "unexpected EOF (6b3873000a0f)"),
        (b"k8s\0\x0f", "proto: wrong wireType = 7 for field TypeMeta (6b3873000f)"),
        (
            b"\x0a\x0f",
            "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (0a0f)",
        ),
    ],
)
def test_an_envelope_of_protobuf_that_is_none(api: FakeAPI, data: bytes, problem: str) -> None:
    for _, kind, code, message in refusals(api, data, PROTOBUF):
        expected = f"the object provided is unrecognized (must be of type {kind}): {problem}"
        assert (code, message) == (400, expected), kind


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"\x0a\x05\x0a", "unexpected EOF"),
        (b"\x08\x01", "proto: wrong wireType = 0 for field "),
        (b"\x0c", "proto: {}: wiretype end group for non-group"),
        (b"\x00", "proto: {}: illegal tag 0 (wire type 0)"),
    ],
)
def test_an_object_in_protobuf_that_is_none(api: FakeAPI, raw: bytes, problem: str) -> None:
    for version, kind, path in creatable(api):
        type_meta = b"".join(
            bytes((10 + 8 * at, len(text))) + text.encode() for at, text in enumerate((version, kind))
        )
        envelope = b"\x0a" + bytes((len(type_meta),)) + type_meta + b"\x12" + bytes((len(raw),)) + raw
        answer = post(api, path, b"k8s\0" + envelope, PROTOBUF)
        short = version.rpartition("/")[2]
        expected = f'{kind} in version "{short}" cannot be handled as a {kind}: {problem.format(kind)}'
        assert answer.code == 400, kind
        assert answer.json()["message"].startswith(expected), kind


def test_more_than_three_megabytes(api: FakeAPI) -> None:
    data = b'{"metadata":{"annotations":{"a":"' + b"x" * BODY_MAX + b'"}}}'
    kinds = [
        each for each in creatable(api) if each[1] in ("Pod", "ConfigMap", "Node", "Lease", "Role", "Event")
    ]
    for _, kind, path in kinds:
        answer = post(api, path, data, JSON)
        assert (answer.code, answer.json()["reason"]) == (413, "RequestEntityTooLarge"), kind
        assert answer.json()["message"] == f"Request entity too large: limit is {BODY_MAX}"


def test_an_object_with_more_annotations_than_it_may_have(api: FakeAPI) -> None:
    text = "x" * (256 * 1024)
    for version, kind in (("v1", "ConfigMap"), ("v1", "Secret"), ("v1", "ServiceAccount")):
        place = f"/api/v1/namespaces/default/{kind.lower()}s"
        body = {"apiVersion": version, "kind": kind, "metadata": {"name": "a", "annotations": {"a": text}}}
        answer = post(api, place, json.dumps(body).encode(), JSON)
        assert answer.code == 422
        assert "may not be more than 262144 bytes" in answer.json()["message"]
