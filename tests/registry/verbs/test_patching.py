"""Patches change the newest version of an object and follow the rules of updates."""

import asyncio
from typing import Any

import pytest

from fakeapi.machinery.patch.media_types import JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH
from tests.registry.world import World, in_world, refusal, version_of

OWNER = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}
OTHER = {"apiVersion": "v1", "kind": "Pod", "name": "q", "uid": "w"}


@pytest.mark.parametrize(
    ("media_type", "patch"),
    [
        (JSON_PATCH, [{"op": "add", "path": "/metadata/labels/b", "value": "2"}]),
        (MERGE_PATCH, {"metadata": {"labels": {"b": "2"}}}),
        (STRATEGIC_MERGE_PATCH, {"metadata": {"labels": {"b": "2"}}}),
    ],
)
def test_every_kind_of_patch_changes_what_it_names_and_nothing_else(media_type: str, patch: Any) -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a", labels={"a": "1"}, annotations={"x": "y"}))
        after = await world.patch("a", patch, media_type)
        assert after["metadata"]["labels"] == {"a": "1", "b": "2"}
        for name in ("annotations", "uid", "creationTimestamp"):
            assert after["metadata"][name] == created["metadata"][name]
        assert after["spec"] == created["spec"]
        assert version_of(after) == version_of(created) + 1

    in_world(scenario)


def test_a_strategic_patch_merges_owners_by_uid_and_a_merge_patch_replaces_them() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a", ownerReferences=[OWNER]))
        merged = await world.patch("a", {"metadata": {"ownerReferences": [OTHER]}}, STRATEGIC_MERGE_PATCH)
        assert {owner["uid"] for owner in merged["metadata"]["ownerReferences"]} == {"u", "w"}
        replaced = await world.patch("a", {"metadata": {"ownerReferences": [OTHER]}}, MERGE_PATCH)
        assert replaced["metadata"]["ownerReferences"] == [OTHER]

    in_world(scenario)


def test_a_patch_of_a_version_that_is_not_the_stored_one_is_a_conflict() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a"))
        version = created["metadata"]["resourceVersion"]
        labels = {"labels": {"a": "b"}}
        await world.patch("a", {"metadata": {"resourceVersion": version, **labels}})
        error = await refusal(world.patch("a", {"metadata": {"resourceVersion": version, **labels}}))
        assert (error.code, error.reason) == (409, "Conflict")

    in_world(scenario)


def test_patches_without_a_version_never_conflict() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a", annotations={"count": ""}))
        patches = [
            world.patch("a", [{"op": "add", "path": f"/metadata/annotations/n{n}", "value": ""}], JSON_PATCH)
            for n in range(10)
        ]
        await asyncio.gather(*patches)
        assert len(world.get("a")["metadata"]["annotations"]) == 11

    in_world(scenario)


def test_a_patch_of_what_is_not_there_is_404_however_bad_the_patch() -> None:
    async def scenario(world: World) -> None:
        assert (await refusal(world.patch("a", ["no patch"]))).code == 404

    in_world(scenario)


@pytest.mark.parametrize(
    ("patch", "code", "words"),
    [
        (
            {"metadata": {"name": "b"}},
            400,
            "(b) does not match the name on the URL (a)",
        ),
        ({"metadata": {"namespace": "b"}}, 400, "does not match the namespace sent on the request"),
        ({"metadata": {"uid": "b"}}, 422, "metadata.uid: Invalid value"),
        ({"metadata": {"labels": {"a": 1}}}, 422, "cannot unmarshal number into Go struct field"),
        ({"kind": "Surprise"}, 422, 'no kind "Surprise" is registered'),
        ({"spec": {"devices": {"requests": []}}}, 422, "field is immutable"),
    ],
)
def test_what_a_patch_makes_is_held_to_the_rules_of_an_update(
    patch: dict[str, Any], code: int, words: str
) -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a"))
        error = await refusal(world.patch("a", patch))
        assert error.code == code
        assert words in error.message
        assert world.get("a") == created

    in_world(scenario)


def test_a_json_patch_that_makes_the_object_a_list_is_refused() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a"))
        error = await refusal(world.patch("a", [{"op": "replace", "path": "", "value": []}], JSON_PATCH))
        assert error.code == 422
        assert "cannot unmarshal array into Go value" in error.message

    in_world(scenario)


@pytest.mark.parametrize("document", ["x", 5, True])
def test_a_json_patch_that_makes_the_object_a_scalar_does_nothing_as_upstream(document: Any) -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a"))
        patch = [{"op": "replace", "path": "", "value": document}]
        assert await world.patch("a", patch, JSON_PATCH) == created

    in_world(scenario)


def test_a_strategic_patch_cannot_change_what_the_object_is() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a"))
        assert await world.patch("a", {"kind": "Pod", "apiVersion": "v1"}, STRATEGIC_MERGE_PATCH) == created

    in_world(scenario)


def test_a_strategic_patch_sorts_parameters_and_so_changes_a_spec_that_may_not_change() -> None:
    async def scenario(world: World) -> None:
        for name, parameters in (("sorted", {"a": 1, "b": 2}), ("unsorted", {"b": 2, "a": 1})):
            body = world.claim(name)
            opaque = {"driver": "gpu.example.com", "parameters": parameters}
            body["spec"]["devices"]["config"] = [{"opaque": opaque}]
            await world.create(body)
            await world.patch(name, {"metadata": {"labels": {"a": "b"}}})
        labels = {"metadata": {"labels": {"c": "d"}}}
        await world.patch("sorted", labels, STRATEGIC_MERGE_PATCH)
        error = await refusal(world.patch("unsorted", labels, STRATEGIC_MERGE_PATCH))
        assert error.details is not None
        assert [(cause.field, error.code) for cause in error.details.causes] == [("spec", 422)]

    in_world(scenario)


def test_unknown_fields_of_a_patch_are_warned_of_refused_or_passed_over_as_asked() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a"))
        patch = {"spec": {"surprise": 1}}
        assert await world.patch("a", patch) == created
        assert world.warnings.texts == ['unknown field "spec.surprise"']
        assert await world.patch("a", patch, validation="Ignore") == created
        assert world.warnings.texts == []
        error = await refusal(world.patch("a", patch, validation="Strict"))
        assert error.code == 422
        assert 'strict decoding error: unknown field "spec.surprise"' in error.message

    in_world(scenario)


def test_a_patch_of_the_status_changes_the_status_alone() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a"))
        patch = {"metadata": {"labels": {"a": "b"}}, "status": {"allocation": {}}}
        after = await world.patch("a", patch, subresource="status")
        assert after["status"] == {"allocation": {"devices": {}}}
        assert after["metadata"].get("labels") == created["metadata"].get("labels")

    in_world(scenario)
