"""The OpenAPI schemas of types have the form that each release's own server publishes."""

import re
from typing import Any

import pytest

from fakeapi.http.discovery.openapi.schemas import REFERENCE, openapi_name, schemas_of
from fakeapi.releases import KNOWN_RELEASES

V1ALPHA3 = "io.k8s.api.resource.v1alpha3"


def properties(release: str, name: str) -> dict[str, Any]:
    """Returns the properties of a Go type in a release's OpenAPI schemas, without descriptions."""
    found: dict[str, Any] = schemas_of(release)[name]["properties"]
    return {member: undescribed(schema) for member, schema in found.items()}


def undescribed(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != "description"}


@pytest.mark.parametrize(
    ("go", "name"),
    [
        ("resource/v1alpha3.Device", "io.k8s.api.resource.v1alpha3.Device"),
        ("core/v1.Namespace", "io.k8s.api.core.v1.Namespace"),
        ("meta/v1.ObjectMeta", "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"),
        ("resource.Quantity", "io.k8s.apimachinery.pkg.api.resource.Quantity"),
        ("runtime.RawExtension", "io.k8s.apimachinery.pkg.runtime.RawExtension"),
    ],
)
def test_a_type_is_named_by_its_package(go: str, name: str) -> None:
    assert openapi_name(go) == name


def test_a_struct_held_by_value_has_a_default_and_one_held_by_pointer_has_none() -> None:
    claim = properties("1.31", f"{V1ALPHA3}.ResourceClaim")
    assert claim["spec"] == {"allOf": [{"$ref": f"{REFERENCE}{V1ALPHA3}.ResourceClaimSpec"}], "default": {}}
    status = properties("1.31", f"{V1ALPHA3}.ResourceClaimStatus")
    assert status["allocation"] == {"allOf": [{"$ref": f"{REFERENCE}{V1ALPHA3}.AllocationResult"}]}


def test_what_cannot_be_absent_defaults_to_gos_zero_value() -> None:
    selector = schemas_of("1.31")[f"{V1ALPHA3}.CELDeviceSelector"]
    assert (selector["type"], selector["required"]) == ("object", ["expression"])
    assert properties("1.31", f"{V1ALPHA3}.CELDeviceSelector") == {
        "expression": {"type": "string", "default": ""}
    }


def test_a_list_says_how_it_is_applied_and_merged() -> None:
    reserved = properties("1.31", f"{V1ALPHA3}.ResourceClaimStatus")["reservedFor"]
    assert {name: value for name, value in reserved.items() if name.startswith("x-")} == {
        "x-kubernetes-list-map-keys": ["uid"],
        "x-kubernetes-list-type": "map",
        "x-kubernetes-patch-merge-key": "uid",
        "x-kubernetes-patch-strategy": "merge",
    }


def test_an_enumerated_string_lists_its_values() -> None:
    toleration = properties("1.33", f"{V1ALPHA3}.DeviceToleration")
    assert toleration["operator"]["enum"] == ["Equal", "Exists"]
    assert "enum" not in properties("1.33", f"{V1ALPHA3}.DeviceRequest")["allocationMode"]


@pytest.mark.parametrize("release", KNOWN_RELEASES)
def test_every_reference_leads_to_a_schema_and_every_kind_is_marked(release: str) -> None:
    known = schemas_of(release)
    waiting: list[Any] = list(known.values())
    targets = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                targets.add(value["$ref"].removeprefix(REFERENCE))
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    assert len(targets) > 20
    assert targets <= set(known)
    (mark,) = known["io.k8s.api.core.v1.NamespaceList"]["x-kubernetes-group-version-kind"]
    assert mark == {"group": "", "kind": "NamespaceList", "version": "v1"}


@pytest.mark.parametrize("release", KNOWN_RELEASES)
def test_every_type_and_field_has_a_line_of_description(release: str) -> None:
    known = schemas_of(release)
    for name in known:
        schema = known[name]
        members = [each for each in schema.get("properties", {}).values() if each.keys() != {"$ref"}]
        for each in [schema, *members] if members else ():
            assert re.fullmatch(r"[A-Z0-9][^\n]{0,150}\.", each["description"]), (name, each)
