"""A claim can be read, written and watched in every version of its release."""

import copy
import json

import pytest

from fakeapi.machinery.apply.typed import TypedError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.conversion import Versions
from fakeapi.registry.verbs.watching import EncodedEventCache, WatchEvent
from fakeapi.releases import load_release
from tests.registry.world import GROUP, World, in_world, refusal, resource_of

VERSIONS = ["v1alpha3", "v1beta1", "v1beta2"]


def through(world: World, version: str) -> World:
    """Returns a copy of `world` that calls the verbs on this API version of ResourceClaims."""
    other = copy.copy(world)
    resource = world.catalogue.find(GROUP, version, "resourceclaims")
    assert resource is not None
    other.claims = resource
    return other


def claim(version: str, name: str = "a", count: int = 2) -> Object:
    wanted = {"deviceClassName": "gpu.example.com", "allocationMode": "ExactCount", "count": count}
    request = {"name": "gpu", "exactly": wanted} if version == "v1beta2" else {"name": "gpu", **wanted}
    return {"metadata": {"name": name}, "spec": {"devices": {"requests": [request]}}}


@pytest.mark.parametrize("made", VERSIONS)
@pytest.mark.parametrize("seen", VERSIONS)
def test_a_claim_made_through_one_version_is_seen_through_every_other(made: str, seen: str) -> None:
    async def scenario(world: World) -> None:
        created = await through(world, made).create(claim(made))
        found = through(world, seen).get("a")
        assert found["apiVersion"] == f"{GROUP}/{seen}"
        assert found["spec"] == claim(seen)["spec"]
        assert found["metadata"] == created["metadata"], "who made it through which version stays said"
        there = through(world, seen)
        [entry] = there.list().entries
        assert json.loads(there.claims.item_of(entry))["spec"] == claim(seen)["spec"]

    in_world(scenario, "1.33")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_write_answers_in_its_own_version(version: str) -> None:
    async def scenario(world: World) -> None:
        await world.create(claim("v1alpha3"))
        here = through(world, version)
        answers = [
            await here.update(claim(version)),
            await here.patch("a", {"metadata": {"labels": {"x": "1"}}}),
            await here.create(claim(version, "dry"), dry_run=True),
            await here.delete("a"),
        ]
        for answer in answers:
            assert answer["apiVersion"] == f"{GROUP}/{version}"
            assert answer["spec"] == claim(version)["spec"]

    in_world(scenario, "1.33")


@pytest.mark.parametrize("version", VERSIONS)
def test_an_update_that_changes_nothing_through_another_version_is_none(version: str) -> None:
    async def scenario(world: World) -> None:
        created = await world.create(claim("v1alpha3"))
        updated = await through(world, version).update(through(world, version).get("a"))
        assert updated["metadata"] == created["metadata"]

    in_world(scenario, "1.33")


def test_a_watch_shows_every_change_in_its_version() -> None:
    async def scenario(world: World) -> None:
        watches = {version: through(world, version).watch() for version in VERSIONS}
        for made in VERSIONS:
            await through(world, made).create(claim(made, f"from-{made}"))
        await through(world, "v1beta2").delete("from-v1alpha3")
        for version, watch in watches.items():
            events: list[WatchEvent] = []
            while len(events) < 4:
                events += await watch.next()
            assert [event.type for event in events] == ["ADDED", "ADDED", "ADDED", "DELETED"]
            for event in events:
                body = json.loads(event.body)
                assert (body["apiVersion"], body["spec"]) == (f"{GROUP}/{version}", claim(version)["spec"])

    in_world(scenario, "1.33")


def test_encoded_events_of_different_versions_are_kept_apart() -> None:
    async def scenario(world: World) -> None:
        await world.create(claim("v1alpha3"))
        cache = EncodedEventCache()
        lines = {cache.frame(through(world, version).watch().initial[0]) for version in VERSIONS}
        assert len(lines) == len(VERSIONS)

    in_world(scenario, "1.33")


@pytest.mark.parametrize("other", ["v1beta1", "v1beta2"])
def test_who_sets_a_field_in_another_version_takes_it_from_its_owner(other: str) -> None:
    async def scenario(world: World) -> None:
        first = {"metadata": {"labels": {"a": "1", "b": "1"}}}
        await world.create(claim("v1alpha3"))
        await world.patch("a", first, manager="first")
        await through(world, other).patch("a", {"metadata": {"labels": {"a": "2"}}}, manager="second")
        owned = {
            (entry["manager"], entry["apiVersion"]): sorted(entry["fieldsV1"]["f:metadata"]["f:labels"])
            for entry in world.get("a")["metadata"]["managedFields"]
            if "f:metadata" in entry["fieldsV1"]
        }
        assert owned == {
            ("first", f"{GROUP}/v1alpha3"): [".", "f:b"],
            ("second", f"{GROUP}/{other}"): ["f:a"],
        }

    in_world(scenario, "1.33")


def test_a_body_of_another_version_is_refused() -> None:
    async def scenario(world: World) -> None:
        body = {**claim("v1beta1"), "apiVersion": f"{GROUP}/v1beta1", "kind": "ResourceClaim"}
        error = await refusal(world.create(body))
        assert error.code == 400
        assert error.message == (
            "the API version in the data (resource.k8s.io/v1beta1) does not match the expected API version "
            "(resource.k8s.io/v1alpha3)"
        )

    in_world(scenario, "1.33")


def test_a_patched_object_is_read_in_the_version_that_it_names() -> None:
    async def scenario(world: World) -> None:
        await world.create(claim("v1alpha3"))
        patched = await world.patch(
            "a", {"apiVersion": f"{GROUP}/v1beta1", "metadata": {"labels": {"x": "1"}}}
        )
        assert (patched["apiVersion"], patched["metadata"]["labels"]) == (f"{GROUP}/v1alpha3", {"x": "1"})
        error = await refusal(world.patch("a", {"apiVersion": f"{GROUP}/v1beta2"}))
        assert error.code == 422, "there, requests are spelled otherwise"

    in_world(scenario, "1.33")


@pytest.mark.parametrize("version", ["v1alpha3", "v1beta1", "v1beta2"])
def test_stored_objects_name_the_hub_and_no_version(version: str) -> None:
    async def scenario(world: World) -> None:
        here = through(world, version)
        await here.create(claim(version))
        [entry] = here.list().entries
        stored = json.loads(entry.value)
        assert entry.key == f"/{GROUP}/resourceclaims/default/a"
        assert (stored["apiVersion"], stored["spec"]) == (f"{GROUP}/internal", claim("v1beta2")["spec"])

    in_world(scenario, "1.33")


def test_claims_of_v1alpha2_have_a_hub_of_their_own() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a"))
        [entry] = world.list().entries
        assert entry.key == f"/{GROUP}/classic/resourceclaims/default/a"

    in_world(scenario, "1.30")


def test_a_version_that_is_like_the_hub_is_shown_without_reading_it() -> None:
    loaded = load_release("1.33")
    resource = resource_of(loaded.kind(GROUP, "v1beta2", "resourceclaims"), loaded)
    stored = b'{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/internal","resourceVersion":"",not JSON}'
    assert resource.json_of(stored, 7) == (
        b'{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1beta2","resourceVersion":"7",not JSON}'
    )


def versions() -> Versions:
    loaded = load_release("1.33")
    return resource_of(loaded.kind(GROUP, "v1alpha3", "resourceclaims"), loaded).versions


def test_a_version_that_the_resource_has_not_is_unknown() -> None:
    assert versions().convert({}, f"{GROUP}/v1alpha2") is None
    assert versions().kind_of("v1") is None


def test_what_is_converted_has_the_fields_that_its_type_always_writes() -> None:
    found = versions().convert({"spec": {"devices": {}}}, f"{GROUP}/v1beta1")
    assert found is not None
    assert found[0]["spec"] == {"devices": {"requests": None}}


def test_what_does_not_fit_its_type_is_not_converted() -> None:
    with pytest.raises(TypedError, match="cannot unmarshal"):
        versions().convert({"spec": 5}, f"{GROUP}/v1beta1")
