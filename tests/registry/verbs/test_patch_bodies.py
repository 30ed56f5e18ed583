"""Invalid patch bodies get the errors of Kubernetes 1.36 and 1.37."""

from collections.abc import Callable

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI

MAPS = "/api/v1/namespaces/default/configmaps"
JSON, MERGE = "application/json-patch+json", "application/merge-patch+json"
MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "made"}}
STRATEGIC, APPLY = "application/strategic-merge-patch+json", "application/apply-patch+yaml"


def answer(server: FakeAPI, name: str, body: bytes, media_type: str) -> tuple[int, str]:
    query = {"fieldManager": "m"} if media_type == APPLY else None
    with pytest.raises(StatusError) as refused:
        server.request("PATCH", f"{MAPS}/{name}", body, content_type=media_type, query=query)
    return refused.value.code, refused.value.message


@pytest.mark.parametrize("name", ["made", "absent"])
@pytest.mark.parametrize(
    ("media_type", "body", "message"),
    [
        (JSON, b"[", "invalid JSON patch"),
        (MERGE, b"", "invalid JSON patch"),
        (STRATEGIC, b"{]", "invalid JSON patch"),
        (APPLY, b"a: [", "error encoding patch: yaml: line 1: did not find expected node"),
        (
            APPLY,
            b"{",
            "error decoding patch: error converting YAML to JSON: yaml: line 1: did not find expected node",
        ),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_before_its_object_is_looked_for_from_1_37_on(
    fakeapi_factory: Callable[..., FakeAPI], name: str, media_type: str, body: bytes, message: str
) -> None:
    server = fakeapi_factory(release="1.37")
    server.request("POST", MAPS, MAP)
    code, text = answer(server, name, body, media_type)
    assert (code, text.removesuffix(" content")) == (400, message)


def test_until_1_36_the_object_is_looked_for_first(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    server = fakeapi_factory(release="1.36")
    assert answer(server, "absent", b"", MERGE) == (404, 'configmaps "absent" not found')
    server.request("POST", MAPS, MAP)
    assert answer(server, "made", b"", MERGE) == (400, "error decoding patch: unexpected end of JSON input")
    prefix = "error decoding YAML: error converting YAML to JSON: "
    assert answer(server, "made", b"a: [", APPLY)[1].startswith(prefix)


def test_a_number_beyond_a_float64_is_json(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    server = fakeapi_factory(release="1.37")
    assert answer(server, "absent", b'{"a": 1e999}', MERGE)[0] == 404
