"""Bodies in protobuf, as kubectl and typed Go clients send them."""

from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI, StatusError
from tests.http.malformed.case import CLAIMS
from tests.machinery.schema.test_protobuf import told

PROTOBUF = "application/vnd.kubernetes.protobuf"
NAMESPACES = "/api/v1/namespaces"

pytestmark = pytest.mark.fakeapi(release="1.32")


def body(api_version: str, kind: str, raw: bytes) -> bytes:
    type_meta = told(1, api_version.encode()) + told(2, kind.encode())
    return b"k8s\0" + told(1, type_meta) + told(2, raw)


def named(name: str) -> bytes:
    """The metadata of an object."""
    return told(1, told(1, name.encode()))


TEAM = body("v1", "Namespace", named("team"))
DEVICES = told(1, told(1, b"gpu") + told(2, b"gpu.example.com"))
SPEC = told(2, told(1, DEVICES))
CLAIM = named("a") + SPEC
NO_PREFIX = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"


def send(server: FakeAPI, content: bytes, method: str = "POST", path: str = NAMESPACES, **query: str) -> Any:
    return server.request(method, path, content, content_type=PROTOBUF, query=query)


def test_a_namespace_is_created_as_kubectl_sends_it(fakeapi: FakeAPI) -> None:
    assert send(fakeapi, TEAM)["metadata"]["labels"] == {"kubernetes.io/metadata.name": "team"}
    assert fakeapi.request("GET", f"{NAMESPACES}/team")["status"] == {"phase": "Active"}


def test_a_claim_is_the_same_in_protobuf_and_in_json(fakeapi: FakeAPI) -> None:
    made = send(fakeapi, body("resource.k8s.io/v1alpha3", "ResourceClaim", CLAIM), path=CLAIMS)
    spec = {
        "devices": {
            "requests": [
                {
                    "name": "gpu",
                    "deviceClassName": "gpu.example.com",
                    "allocationMode": "ExactCount",
                    "count": 1,
                }
            ]
        }
    }
    assert made["spec"] == spec
    labels = told(11, told(1, b"x") + told(2, b"y"))
    changed = body(
        "resource.k8s.io/v1alpha3",
        "ResourceClaim",
        told(1, told(1, b"a") + labels) + CLAIM[len(named("a")) :],
    )
    updated = send(fakeapi, changed, "PUT", f"{CLAIMS}/a")
    assert (updated["metadata"]["labels"], updated["spec"]) == ({"x": "y"}, spec)


def test_a_body_that_does_not_say_what_it_is_is_what_the_path_says(fakeapi: FakeAPI) -> None:
    assert send(fakeapi, b"k8s\0" + told(2, named("team")))["kind"] == "Namespace"


def test_delete_options_are_read_too(fakeapi: FakeAPI) -> None:
    send(fakeapi, TEAM)
    options = body("v1", "DeleteOptions", told(2, told(1, b"another uid")))
    with pytest.raises(StatusError) as caught:
        send(fakeapi, options, "DELETE", f"{NAMESPACES}/team")
    assert "Precondition failed: UID in precondition: another uid" in caught.value.message
    with pytest.raises(StatusError) as caught:
        send(fakeapi, b"{}", "DELETE", f"{NAMESPACES}/team")
    assert (caught.value.code, caught.value.message) == (
        500,
        NO_PREFIX,
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"none",
            f"the object provided is unrecognized (must be of type Namespace): {NO_PREFIX} (6e6f6e65)",
        ),
        (
            b"k8s\0",
            "the object provided is unrecognized (must be of type Namespace): empty body (6b387300)",
        ),
        (
            body("v1", "Namespace", b"\x0a\x03\x0a\x09a"),
            'Namespace in version "v1" cannot be handled as a Namespace: unexpected EOF',
        ),
        (
            body("resource.k8s.io/v1alpha3", "ResourceClaim", CLAIM),
            (
                'ResourceClaim in version "v1alpha3" cannot be handled as a Namespace: converting '
                "(v1alpha3.ResourceClaim) to (core.Namespace): unknown conversion"
            ),
        ),
    ],
)
def test_what_is_no_such_object_is_refused_in_upstreams_words(
    fakeapi: FakeAPI, content: bytes, message: str
) -> None:
    with pytest.raises(StatusError) as caught:
        send(fakeapi, content)
    assert (caught.value.code, caught.value.message) == (400, message)


def test_field_validation_says_nothing_of_protobuf(fakeapi: FakeAPI) -> None:
    unknown = body("v1", "Namespace", named("team") + told(90, b"?"))
    assert send(fakeapi, unknown, fieldValidation="Strict")["metadata"]["name"] == "team"


def test_a_body_of_nested_messages_without_end_is_refused(fakeapi: FakeAPI) -> None:
    nested = b""
    for _ in range(5000):
        nested = told(1, nested)
    with pytest.raises(StatusError) as caught:
        send(fakeapi, body("v1", "Namespace", nested))
    assert caught.value.code in (400, 422)
