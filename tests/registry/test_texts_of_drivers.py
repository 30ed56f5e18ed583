"""The server stores and compares opaque parameters of drivers unchanged, and returns them as compact JSON."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.patch.media_types import JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH
from fakeapi.registry.requests.decoding import YAML, read_object
from fakeapi.registry.requests.options import ObjectReference, Warnings, WriteOptions
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.server_write import ServerWrite
from fakeapi.registry.verbs import creating, updating
from tests.registry.world import NAMESPACE, World, decoded, in_world, refusal, version_of

SPACED, COMPACT = '{"a": [1, 2]}', '{"a":[1,2]}'
LABELS = {"metadata": {"labels": {"x": "y"}}}
ADD = [{"op": "add", "path": "/metadata/labels", "value": {"x": "y"}}]
PATCHES = ((LABELS, MERGE_PATCH), (LABELS, STRATEGIC_MERGE_PATCH), (ADD, JSON_PATCH))
OPTIONS = WriteOptions(manager="tester")

DOCUMENTS = st.dictionaries(
    st.text(max_size=4), st.text(max_size=4) | st.integers(-9, 9) | st.lists(st.booleans()), max_size=3
)


def with_parameters(claim: Object, text: str) -> bytes:
    """Returns the JSON of a claim in which the opaque parameters of a driver are the JSON `text`."""
    claim["spec"]["devices"]["config"] = [{"opaque": {"driver": "a.example.com", "parameters": "HERE"}}]
    return json.dumps(claim, separators=(",", ":")).replace('"HERE"', text).encode()


def request_to(world: World, target: ObjectReference) -> ServerWrite:
    return WriteRequest(world.server, world.claims, target, OPTIONS, world.warnings)


async def create(world: World, text: str, name: str = "a") -> Object:
    obj = read(world, with_parameters(world.claim(name, namespace=NAMESPACE), text))
    return decoded(await creating.create(request_to(world, ObjectReference(NAMESPACE)), obj))


async def put(world: World, body: bytes, subresource: str = "") -> Object:
    obj, target = read(world, body), world.target("a", subresource)
    return decoded(await updating.update(request_to(world, target), obj))


async def put_parameters(world: World, text: str) -> Object:
    return await put(world, with_parameters(world.claim("a", namespace=NAMESPACE), text))


def read(world: World, body: bytes, media_type: str = "application/json") -> Object:
    return read_object(world.claims.body_type, body, media_type, "Strict", Warnings())


def parameters(obj: Object) -> Any:
    return obj["spec"]["devices"]["config"][0]["opaque"]["parameters"]


def is_immutable(error: ApiError) -> bool:
    return error.code == 422 and "spec: Invalid value" in error.message and "immutable" in error.message


@settings(max_examples=30, deadline=None)
@given(document=DOCUMENTS, indent=st.none() | st.integers(0, 2))
def test_the_same_bytes_change_nothing_and_others_are_refused(document: Object, indent: int | None) -> None:
    text = json.dumps(document, indent=indent)

    async def scenario(world: World) -> None:
        created = await create(world, text)
        assert parameters(created) == document
        again = await put_parameters(world, text)
        assert version_of(again) == version_of(created)
        assert is_immutable(await refusal(put_parameters(world, f"{text[:-1]}  }}")))

    in_world(scenario)


@pytest.mark.parametrize(("patch", "media_type"), PATCHES)
def test_a_claim_with_spaces_in_its_parameters_takes_no_patch(patch: Any, media_type: str) -> None:
    async def scenario(world: World) -> None:
        await create(world, SPACED)
        assert is_immutable(await refusal(world.patch("a", patch, media_type)))
        await create(world, COMPACT, "b")
        assert (await world.patch("b", patch, media_type))["metadata"]["labels"] == {"x": "y"}

    in_world(scenario)


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ('{"a":"<"}', ""),
        ('{"a":"\\u003c"}', "merge json strategic"),
        ('{"a":"\\u00e9"}', "merge json"),
        ('{"a":"é"}', "merge json strategic"),
        ('{"a":1e3}', "merge json"),
        ('{"a":1.0}', "merge json"),
        ('{"b":1,"a":2}', "merge json"),
        ('{"a":1,"a":1}', "merge json"),
        ("{ }", ""),
    ],
)
def test_a_patch_writes_parameters_as_go_does(text: str, taken: str) -> None:
    async def scenario(world: World) -> None:
        for how, (patch, media_type) in zip(("merge", "strategic", "json"), PATCHES, strict=True):
            await create(world, text)
            if how in taken.split():
                await world.patch("a", patch, media_type)
            else:
                assert is_immutable(await refusal(world.patch("a", patch, media_type)))
            await world.delete("a")

    in_world(scenario)


def test_the_status_of_a_claim_with_spaces_in_its_parameters_takes_patches() -> None:
    async def scenario(world: World) -> None:
        created = await create(world, SPACED)
        await world.patch("a", LABELS, subresource="status")
        assert version_of(await put_parameters(world, SPACED)) > version_of(created)

    in_world(scenario)


def test_an_allocation_with_spaces_is_immutable_to_the_byte() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a"))
        del created["metadata"]["resourceVersion"]
        created["status"] = {
            "allocation": {
                "devices": {
                    "results": [{"request": "gpu", "driver": "d", "pool": "p", "device": "0"}],
                    "config": [
                        {"source": "FromClass", "opaque": {"driver": "d", "parameters": {"a": 1, "b": 2}}}
                    ],
                }
            },
            "reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}],
        }
        first = await put(world, json.dumps(created).encode(), "status")
        again = await put(world, json.dumps(created).encode(), "status")
        assert version_of(again) == version_of(first)
        error = await refusal(world.patch("a", {"status": {"reservedFor": None}}, subresource="status"))
        assert "status.allocation: Invalid value" in error.message

    in_world(scenario)


def test_answers_lists_and_watches_are_compact() -> None:
    async def scenario(world: World) -> None:
        watch = world.watch()
        await create(world, '{\n "a" :  "b  c" }')
        expected = b'"parameters":{"a":"b  c"}'
        entry = world.store.get(world.claims, world.target("a"))
        [event] = await watch.next()
        watch.close()
        gone = await world.outcome_of_delete("a", dry_run=True)
        for body in event.body, gone.body:
            assert expected in body
        assert b'"parameters":{\n "a" :  "b  c" }' in entry.value
        assert parameters(world.get("a")) == {"a": "b  c"}

    in_world(scenario)


def test_an_object_that_waits_for_finalizers_keeps_its_texts() -> None:
    async def scenario(world: World) -> None:
        body = world.claim("a", namespace=NAMESPACE, finalizers=["a.example.com/b"])
        text = with_parameters(body, SPACED)
        await creating.create(request_to(world, ObjectReference(NAMESPACE)), read(world, text))
        marked = await world.delete("a")
        assert version_of(await put(world, text)) == version_of(marked)
        done = {**body, "metadata": {**body["metadata"], "finalizers": []}}
        assert is_immutable(await refusal(put(world, with_parameters(done, COMPACT))))
        await put(world, with_parameters(done, SPACED))
        assert (await refusal(world.delete("a"))).code == 404

    in_world(scenario)


def test_yaml_is_compact_json_with_sorted_keys() -> None:
    async def scenario(world: World) -> None:
        body = with_parameters(world.claim("a", namespace=NAMESPACE), '{b: "<", a: 1.0}')
        obj = read(world, body.replace(b":", b": "), YAML)
        await creating.create(request_to(world, ObjectReference(NAMESPACE)), obj)
        made = world.get("a")
        again = await put_parameters(world, '{"a":1,"b":"\\u003c"}')
        assert version_of(again) == version_of(made)
        assert is_immutable(await refusal(put_parameters(world, '{"a":1,"b":"<"}')))

    in_world(scenario)


def test_the_length_of_parameters_is_that_of_their_bytes() -> None:
    async def scenario(world: World) -> None:
        await create(world, '{"a":1' + " " * (10 * 1024 - 7) + "}")
        error = await refusal(create(world, '{"a":1' + " " * (10 * 1024 - 6) + "}", "b"))
        assert "Too long: " in error.message

    in_world(scenario, "1.32")
