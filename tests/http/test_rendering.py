"""Responses and errors have a media type that the client accepts. Browsers and curl get indented JSON."""

import json

import pytest
import yaml

from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask

MISSING = "/api/v1/namespaces/missing"


def test_json_is_one_line_and_for_people_it_is_indented_without_an_end_of_line(api: FakeAPI) -> None:
    plain = ask(api, "/api/v1/namespaces/default")
    assert plain.body.count(b"\n") == 1
    assert plain.body.endswith(b"}\n")
    for pretty in (
        ask(api, "/api/v1/namespaces/default?pretty=true"),
        ask(api, "/api/v1/namespaces/default", user_agent="curl/8.5"),
        ask(api, "/api/v1/namespaces/default", accept="application/json;pretty=1"),
    ):
        assert pretty.body.decode() == json.dumps(plain.json(), indent=2)


def test_an_object_reads_the_same_in_yaml(api: FakeAPI) -> None:
    answer = ask(api, "/api/v1/namespaces/default", accept="application/yaml")
    assert yaml.safe_load(answer.body) == ask(api, "/api/v1/namespaces/default").json()


@pytest.mark.parametrize(
    "kind", ["", ";as=Table;g=meta.k8s.io;v=v1", ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"]
)
@pytest.mark.parametrize("count", [1, 5])
def test_a_long_list_reads_the_same_in_yaml_and_indented(api: FakeAPI, kind: str, count: int) -> None:
    api.reset()
    api.clock.freeze()  # tables have the age of objects
    for number in range(count):
        annotations = {"text": "é" * 100_000}
        metadata = {"name": f"c{number}", "namespace": "default", "annotations": annotations}
        api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "1e3"}})
    path = "/api/v1/namespaces/default/configmaps?includeObject=Object"
    plain = ask(api, path, accept=f"application/json{kind}").json()
    assert len(plain.get("items", plain.get("rows"))) == count
    pretty = ask(api, f"{path}&pretty=true", accept=f"application/json{kind}")
    assert pretty.body.decode() == json.dumps(plain, indent=2, ensure_ascii=False)
    text = ask(api, path, accept=f"application/yaml{kind}")
    assert (text.code, yaml.safe_load(text.body)) == (200, plain)


def test_an_error_comes_in_the_media_type_of_the_client(api: FakeAPI) -> None:
    plain, text = ask(api, MISSING), ask(api, MISSING, accept="application/yaml")
    assert plain.headers["content-type"] == "application/json"
    assert plain.body.endswith(b'"code":404}\n')
    assert text.headers["content-type"] == "application/yaml"
    assert yaml.safe_load(text.body) == plain.json()


@pytest.mark.parametrize(
    ("accept", "code"),
    [
        ("application/json;as=Table;v=v1;g=meta.k8s.io", 404),
        ("application/yaml;as=Table;v=v1;g=meta.k8s.io", 404),
        ("application/json;as=Nonsense;v=v1;g=meta.k8s.io", 406),
        ("text/html", 406),
    ],
)
def test_an_error_for_who_accepts_nothing_but_conversions_is_indented_json(
    api: FakeAPI, accept: str, code: int
) -> None:
    answer = ask(api, MISSING, accept=accept)
    assert (answer.code, answer.is_status) == (code, True)
    assert answer.body.decode() == json.dumps(answer.json(), indent=2)


def test_an_error_is_indented_where_the_request_asks_for_it(api: FakeAPI) -> None:
    assert ask(api, f"{MISSING}?pretty=1").body.startswith(b'{\n  "kind": "Status"')


@pytest.mark.parametrize("text", ["\x7f", "\x9f", "\uffff"])
def test_what_yaml_cannot_say_is_an_error_and_json_says_it(api: FakeAPI, text: str) -> None:
    path = f"/api/v1/namespaces/odd-{ord(text)}"
    body = {"metadata": {"name": path.rpartition("/")[2], "annotations": {"a": text}}}
    assert ask(api, "/api/v1/namespaces", "POST", body).code == 201
    refused = ask(api, path, accept="application/yaml")
    assert (refused.code, yaml.safe_load(refused.body)["message"]) == (
        500,
        "yaml: control characters are not allowed",
    )
    assert ask(api, path).json()["metadata"]["annotations"] == {"a": text}


def test_a_refusal_that_yaml_cannot_say_is_json(api: FakeAPI) -> None:
    answer = ask(api, "/api/v1/namespaces?fieldSelector=%C2%9F=1", accept="application/yaml")
    assert answer.code == 400
    assert answer.json()["kind"] == "Status"
