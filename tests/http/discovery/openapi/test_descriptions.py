"""OpenAPI documents describe types and fields with handwritten texts, or with texts from their names."""

import json
from importlib.resources import files
from typing import Any

import pytest

from fakeapi.http.discovery.openapi import descriptions
from fakeapi.http.discovery.openapi.descriptions import describe_field, describe_type
from fakeapi.releases import data
from fakeapi.releases.tables import tables_of
from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask

TEXTS: dict[str, Any] = json.loads((files(descriptions.__package__) / "descriptions.json").read_text())


COMPILED = sorted(each.name for each in files(data).iterdir() if each.name.startswith("1."))


def test_written_descriptions_hold_for_every_version_of_a_type() -> None:
    for version in ("v1alpha3", "v1beta1", "v1"):
        go = f"resource/{version}.DeviceToleration"
        assert describe_type(go) == "Lets a claim have devices with a taint."
        assert describe_field(go, "key", "string").startswith("The key of the taint")


@pytest.mark.parametrize(
    ("field", "go", "text"),
    [
        ("nodeName", "string", "Node name."),
        ("hostPID", "bool", "Host PID: true or false."),
        ("volumeDevices", "[]VolumeDevice", "Volume devices, a list."),
        ("matchLabelKeys", "map[string]string", "Match label keys, by key."),
        ("caBundle", "[]byte", "Ca bundle: base64."),
        ("x", "*string", "X."),
    ],
)
def test_other_descriptions_are_made_from_the_name_and_the_type(field: str, go: str, text: str) -> None:
    assert describe_field("core/v1.Some", field, go) == text


def test_a_type_without_a_text_is_named_in_words() -> None:
    assert describe_type("core/v1.ContainerStateWaiting") == "Container state waiting."


def test_every_text_is_of_a_type_and_a_field_that_some_release_has() -> None:
    known: dict[tuple[str, str], set[str]] = {}
    for release in COMPILED:
        for go, entry in tables_of(release).items():
            package, _, name = go.rpartition(".")
            if not isinstance(entry, str):
                fields = known.setdefault((package.partition("/")[0], name), set())
                fields |= {each["name"] for each in entry.get("fields", ())}
    unknown = [
        (package, name, field)
        for package, types in TEXTS.items()
        for name, texts in types.items()
        for field in texts
        if package != "*" and field not in known.get((package, name), set()) | {""}
    ]
    assert unknown == []


def test_all_of_resource_k8s_io_is_written_for_the_versions_that_are_served() -> None:
    missing = []
    for go, entry in tables_of("1.33").items():
        package, _, name = go.rpartition(".")
        if package.startswith("resource/v1") and not isinstance(entry, str):
            texts = TEXTS["resource"].get(name, {})
            names = {each["name"] for each in entry.get("fields", ())} - TEXTS["*"]["*"].keys()
            missing += [f"{name}.{field}" for field in names if field not in texts]
    assert sorted(set(missing)) == []


def test_they_are_in_both_versions_of_the_documents(fakeapi: FakeAPI) -> None:
    name = "io.k8s.api.resource.v1beta1.ResourceClaimSpec"
    three = ask(fakeapi, "/openapi/v3/apis/resource.k8s.io/v1beta1").json()["components"]["schemas"][name]
    two = fakeapi.request("GET", "/openapi/v2")["definitions"][name]
    for schema in (two, three):
        assert schema["description"] == "What is requested, and how it is to be configured."
        assert schema["properties"]["devices"]["description"] == "The devices that are requested."
