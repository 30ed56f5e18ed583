"""Server-side apply merges a configuration into an object, or creates the object."""

import json
from typing import Any

import pytest

from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.wording import Wording
from fakeapi.registry.requests.options import Warnings, WriteOptions
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.verbs import applying
from tests.registry.world import World, decoded, in_world, refusal

TYPE = {"apiVersion": "resource.k8s.io/v1alpha3", "kind": "ResourceClaim"}
NAMED = "default/a; resource.k8s.io/v1alpha3, Kind=ResourceClaim"
CONVERTING = (
    f"failed to convert new object ({NAMED}) to proper version: unable to convert unstructured object to "
    "resource.k8s.io/v1alpha3, Kind=ResourceClaim: "
)


async def apply(world: World, body: Object | str, **options: Any) -> Object:
    parsed = WriteOptions(**{"manager": "one", **options})
    text = body if isinstance(body, str) else json.dumps(body)
    world.warnings = Warnings()
    target = world.target("a")
    request = WriteRequest(world.server, world.claims, target, parsed, world.warnings)
    return decoded(await applying.apply(request, text.encode()))


def config(world: World, **metadata: Any) -> Object:
    return {**TYPE, **world.claim("a", namespace="default", **metadata)}


def with_parameters(body: Object, parameters: Any) -> Object:
    opaque = {"opaque": {"driver": "gpu.example.com", "parameters": parameters}}
    devices = {**body["spec"]["devices"], "config": [opaque]}
    return {**body, "spec": {"devices": devices}}


def parameters_of(body: Object) -> Any:
    return body["spec"]["devices"]["config"][0]["opaque"]["parameters"]


@pytest.mark.parametrize(
    ("value", "kept"), [(2.0, 2), (1e3, 1000), (-0.0, 0), (1e30, -(1 << 63)), (1 << 63, -(1 << 63))]
)
def test_a_whole_number_is_an_integer_and_one_too_large_the_least(value: float, kept: int) -> None:
    async def scenario(world: World) -> None:
        if kept >= 0:
            applied_object = await apply(world, config(world, generation=value))
            assert applied_object["metadata"].get("generation", 0) == kept
        else:
            error = await refusal(apply(world, config(world, generation=value)))
            assert f"metadata.generation: Invalid value: {kept}: must be" in error.message

    in_world(scenario)


@pytest.mark.parametrize(
    ("metadata", "why"),
    [
        ({"generation": 1.5}, "cannot convert float64 to int64"),
        ({"creationTimestamp": 5}, "json: cannot unmarshal number into Go value of type string"),
        ({"creationTimestamp": True}, "json: cannot unmarshal bool into Go value of type string"),
    ],
)
def test_what_the_type_does_not_take_names_the_configuration(metadata: Object, why: str) -> None:
    async def scenario(world: World) -> None:
        error = await refusal(apply(world, config(world, **metadata)))
        assert (error.code, error.message) == (500, CONVERTING + why)

    in_world(scenario)


def test_parameters_are_written_anew() -> None:
    async def scenario(world: World) -> None:
        sent = {"b": 2.0, "a": 1e3, "big": 1 << 64, "long": 1e20, "far": 1e21, "c": [1.5, True, None]}
        applied_object = await apply(world, with_parameters(config(world), sent))
        written = {
            "a": 1000,
            "b": 2,
            "big": 18446744073709552000,
            "c": [1.5, True, None],
            "far": 1e21,
            "long": 100000000000000000000,
        }
        assert json.dumps(parameters_of(applied_object)) == json.dumps(written)

    in_world(scenario)


def test_an_apply_that_would_write_parameters_in_another_order_changes_an_immutable_spec() -> None:
    async def scenario(world: World) -> None:
        await world.create(with_parameters(world.claim("a"), {"b": 1, "a": 1}))
        error = await refusal(apply(world, {**TYPE, "metadata": {"name": "a", "labels": {"x": "1"}}}))
        assert (error.code, error.reason) == (422, "Invalid")
        assert "spec: Invalid value: " in error.message
        assert "field is immutable" in error.message

    in_world(scenario)


def test_an_apply_that_changes_nothing_leaves_parameters_as_they_were_sent() -> None:
    async def scenario(world: World) -> None:
        await world.create(with_parameters(world.claim("a", labels={"x": "1"}), {"b": 1, "a": 2.0}))
        applied_object = await apply(world, {**TYPE, "metadata": {"name": "a", "labels": {"x": "1"}}})
        assert json.dumps(parameters_of(applied_object)) == '{"b": 1, "a": 2.0}'
        assert {entry["manager"] for entry in applied_object["metadata"]["managedFields"]} == {
            "tester",
            "one",
        }

    in_world(scenario)


def test_an_apply_may_create_what_is_being_deleted() -> None:
    async def scenario(world: World) -> None:
        dying = {"deletionTimestamp": "2024-01-01T00:00:00Z", "deletionGracePeriodSeconds": 5}
        applied_object = await apply(world, config(world, **dying))
        assert {name: applied_object["metadata"][name] for name in dying} == dying
        assert applied_object["metadata"]["creationTimestamp"] == "2027-01-15T08:00:00Z"

    in_world(scenario)


@pytest.mark.parametrize(("version", "why"), [("x", "invalid syntax"), ("9" * 23, "value out of range")])
def test_an_apply_that_creates_may_name_any_version_that_is_one(version: str, why: str) -> None:
    async def scenario(world: World) -> None:
        error = await refusal(apply(world, config(world, resourceVersion=version)))
        assert (error.code, error.message) == (500, f'strconv.ParseUint: parsing "{version}": {why}')
        assert await apply(world, config(world, resourceVersion="7"))

    in_world(scenario)


def test_keys_that_stand_twice_are_warned_of_one_by_one_and_refused_together() -> None:
    text = json.dumps({**TYPE, "metadata": {"name": "a"}, "spec": {"devices": {}}})
    twice = text.replace('"name": "a"', '"name": "b", "name": "a"')[:-1] + ', "kind": "ResourceClaim"}'

    async def scenario(world: World) -> None:
        error = await refusal(apply(world, twice, validation="Strict"))
        assert error.message == (
            "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n"
            '  line 1: key "name" already set in map\n  line 1: key "kind" already set in map'
        )
        await apply(world, twice, validation="Warn")
        assert world.warnings.texts == [
            'line 1: key "name" already set in map',
            'line 1: key "kind" already set in map',
        ]

    in_world(scenario)


def test_entries_of_what_is_no_version_cost_an_object_all_its_entries() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a"))
        fields: Object = {"fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}, "operation": "Update"}
        entries = [{"manager": "x", "apiVersion": "a/b/c", **fields}]
        made = await world.patch("a", {"metadata": {"managedFields": entries}})
        assert "managedFields" not in made["metadata"]

    in_world(scenario)


@pytest.mark.parametrize("body", [b'{"b":1,"a":{"d":1,"c":2}}', b"b: 1\na:\n  d: 1\n  c: 2\n"])
def test_the_keys_of_a_configuration_are_sorted_whether_it_is_json_or_yaml(body: bytes) -> None:
    value, repeated = applying.read_configuration(body, Wording())
    assert (codec.encode(value), repeated) == (b'{"a":{"c":2,"d":1},"b":1}', "")
