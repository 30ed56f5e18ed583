"""The server publishes the same API as OpenAPI 2, OpenAPI 3 and protobuf."""

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.http.discovery.openapi.documents import document_of
from fakeapi.http.discovery.openapi.gnostic import encode_document
from fakeapi.releases import KNOWN_RELEASES
from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask

V3 = "/openapi/v3"
CLAIMS = "/apis/resource.k8s.io/v1alpha3/namespaces/{namespace}/resourceclaims"
PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
Document = dict[str, Any]


@pytest.fixture(scope="module", params=[None, *KNOWN_RELEASES])
def server(request: pytest.FixtureRequest) -> Iterator[FakeAPI]:
    with FakeAPI(release=request.param) as started:
        yield started


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(references, value.values()))
    return set().union(*map(references, value)) if isinstance(value, list) else set()


def documents(api: FakeAPI) -> dict[str, Document]:
    index = ask(api, V3).json()["paths"]
    return {name: ask(api, entry["serverRelativeURL"]).json() for name, entry in index.items()}


def test_every_document_of_the_index_is_there_and_complete(server: FakeAPI) -> None:
    found = documents(server)
    assert "api/v1" in found
    assert any(name.startswith("apis/resource.k8s.io/v1") for name in found)
    for name, document in found.items():
        schemas = {f"#/components/schemas/{each}" for each in document["components"].get("schemas", ())}
        assert references(document) == schemas
        assert all(path.startswith(f"/{name}/") for path in document["paths"])


def test_operations_have_names_of_their_own(server: FakeAPI) -> None:
    names = [
        operation["operationId"]
        for document in documents(server).values()
        for item in document["paths"].values()
        for method, operation in item.items()
        if method != "parameters"
    ]
    assert len(names) == len(set(names)) > 40


def test_every_path_is_one_that_the_server_answers(server: FakeAPI) -> None:
    for document in documents(server).values():
        for path, item in document["paths"].items():
            if "get" in item and "/watch/" not in path:
                code = ask(server, path.format(namespace="default", name="nothing", path="x")).code
                missing = (404, 500) if "componentstatuses" in path else (404,)  # 500 up to 1.32
                assert code in (missing if "{name}" in path else (200,)), path


def test_version_2_holds_the_paths_and_types_of_all_documents(server: FakeAPI) -> None:
    swagger = ask(server, "/openapi/v2").json()
    found = documents(server).values()
    assert set(swagger["paths"]) == set(itertools.chain.from_iterable(each["paths"] for each in found))
    assert references(swagger) == {f"#/definitions/{name}" for name in swagger["definitions"]}
    everything = itertools.chain.from_iterable(each["components"].get("schemas", ()) for each in found)
    assert set(swagger["definitions"]) == set(everything)


def test_kubectl_finds_field_validation_where_it_looks(api: FakeAPI) -> None:
    """The client kubectl sends `fieldValidation` only if the kind's PATCH operation has this parameter."""
    paths = ask(api, f"{V3}/apis/resource.k8s.io/v1alpha3").json()["paths"]
    patch = paths[f"{CLAIMS}/{{name}}"]["patch"]
    assert "fieldValidation" in {parameter["name"] for parameter in patch["parameters"]}
    marked = {"group": "resource.k8s.io", "kind": "ResourceClaim", "version": "v1alpha3"}
    assert patch["x-kubernetes-group-version-kind"] == marked


def test_operations_are_the_verbs_of_the_resource(api: FakeAPI) -> None:
    paths = ask(api, f"{V3}/apis/resource.k8s.io/v1alpha3").json()["paths"]

    def methods(path: str) -> set[str]:
        return set(paths[path]) - {"parameters"}

    assert methods(CLAIMS) == {"get", "post", "delete"}
    assert methods(f"{CLAIMS}/{{name}}") == {"get", "put", "patch", "delete"}
    assert methods(f"{CLAIMS}/{{name}}/status") == {"get", "put", "patch"}
    assert methods("/apis/resource.k8s.io/v1alpha3/watch/resourceclaims") == {"get"}
    assert set(ask(api, f"{V3}/api/v1").json()["paths"]["/api/v1/namespaces"]) == {
        "get",
        "post",
        "parameters",
    }


def test_an_address_with_the_right_hash_holds_for_ever(api: FakeAPI) -> None:
    url = ask(api, V3).json()["paths"]["api/v1"]["serverRelativeURL"]
    answer = ask(api, url)
    assert answer.headers["cache-control"] == "public, immutable"
    assert answer.headers["expires"]
    assert answer.headers["etag"] == f'"{url.partition("hash=")[2]}"'


def test_an_address_with_an_old_hash_leads_to_the_new_one(api: FakeAPI) -> None:
    url = ask(api, V3).json()["paths"]["api/v1"]["serverRelativeURL"]
    moved = ask(api, f"{V3}/api/v1?hash=OLD")
    assert (moved.code, moved.headers["location"], moved.body) == (301, url, b"")


@pytest.mark.parametrize("path", ["/openapi/v2", f"{V3}/api/v1"])
def test_a_document_that_the_client_has_is_not_sent_again(api: FakeAPI, path: str) -> None:
    tag = ask(api, path).headers["etag"]
    for known in (tag, f'"other", W/{tag}', "*"):
        again = ask(api, path, if_none_match=known)
        assert (again.code, again.body, "content-type" in again.headers) == (304, b"", False)
    assert ask(api, path, if_none_match='"other"').code == 200


@pytest.mark.parametrize("path", ["/openapi/v2", f"{V3}/api/v1"])
def test_a_document_is_not_had_as_html(api: FakeAPI, path: str) -> None:
    refused = ask(api, path, accept="text/html")
    assert (refused.code, refused.body) == (406, b"")


@pytest.mark.parametrize("path", ["/openapi", "/openapi/v2/", f"{V3}/", f"{V3}/apis/nothing/v1"])
def test_nothing_else_is_there(api: FakeAPI, path: str) -> None:
    assert ask(api, path).code == 404


# The protobuf form, decoded with the field numbers of gnostic's OpenAPIv2.proto


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
            yield key >> 3, value
        else:
            size, at = varint(data, at)
            yield key >> 3, data[at : at + size]
            at += size


def first(data: bytes, *path: int) -> Any:
    value: Any = data
    for number in path:
        value = next(found for each, found in fields(value) if each == number)
    return value


def named(data: bytes, number: int) -> dict[str, bytes]:
    """Decodes a repeated protobuf field of (name, value) messages, as a dict of values by name.

    `number`: the protobuf number of the repeated field.
    """
    entries = [value for each, value in fields(data) if each == number]
    return {first(entry, 1).decode(): first(entry, 2) for entry in entries}


def test_protobuf_says_what_json_says(server: FakeAPI) -> None:
    swagger = ask(server, "/openapi/v2").json()
    answer = ask(server, "/openapi/v2", accept=PROTOBUF)
    assert answer.headers["content-type"] == PROTOBUF.replace("@", ".")
    assert answer.headers["etag"] == ask(server, "/openapi/v2").headers["etag"]
    assert first(answer.body, 1) == b"2.0"
    paths, definitions = named(first(answer.body, 8), 2), named(first(answer.body, 9), 1)
    assert set(paths) == set(swagger["paths"])
    assert set(definitions) == set(swagger["definitions"])
    for name, schema in definitions.items():
        expected = swagger["definitions"][name]
        if "type" in expected:
            assert first(schema, 22, 1).decode() == expected["type"]
        if "properties" in expected:
            members = named(first(schema, 25), 1)
            assert set(members) == set(expected["properties"])
            for member, content in members.items():
                reference = expected["properties"][member].get("$ref", "").encode()
                assert reference in (b"", next((v for n, v in fields(content) if n == 1), b""))
        marks = {first(each, 1) for number, each in fields(schema) if number == 31}
        assert marks == {key.encode() for key in expected if key.startswith("x-")}


@given(st.text(max_size=400), st.text(max_size=40))
def test_texts_of_any_length_survive_the_protobuf_form(title: str, version: str) -> None:
    data = encode_document({"swagger": "2.0", "info": {"title": title, "version": version}})
    assert first(data, 2, 1).decode() == title
    assert first(data, 2, 2).decode() == version


def test_what_has_no_place_in_the_protobuf_form_is_an_error() -> None:
    with pytest.raises(KeyError):
        encode_document({"swagger": "2.0", "host": "example.com"})


def test_other_clients_are_served_while_a_document_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    entered, answered = Event(), Event()
    made: list[Document] = []

    def slowly(*arguments: Any, **options: Any) -> Document:
        entered.set()
        assert answered.wait(30), "the event loop waits for the document"
        made.append(document_of(*arguments, **options))
        return made[-1]

    monkeypatch.setattr("fakeapi.http.discovery.openapi.service.document_of", slowly)
    with FakeAPI() as api, ThreadPoolExecutor() as pool:
        documents = [pool.submit(ask, api, f"{V3}/api/v1") for _ in range(3)]
        assert entered.wait(30)
        health = ask(api, "/healthz")
        answered.set()
        assert health.body == b"ok"
        assert [document.result().json() for document in documents] == made * 3
