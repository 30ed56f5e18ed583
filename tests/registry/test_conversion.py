"""One object, seen, written, watched and owned through every version of its release."""

import copy
import json

import pytest

from fakeapi.machinery.apply.typed import TypedError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.conversion import Versions
from fakeapi.registry.resource import Resource
from fakeapi.registry.verbs.watching import WatchEvent
from fakeapi.releases import load_release
from tests.registry.world import GROUP, World, in_world, refusal

VERSIONS = ["v1alpha3", "v1beta1", "v1beta2"]


def through(world: World, version: str) -> World:
    """The same world, its claims in another version."""
    other = copy.copy(world)
    found = world.catalogue.find(GROUP, version, "resourceclaims")
    assert found is not None
    other.claims = found
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
        [entry] = through(world, seen).list().entries
        assert json.loads(entry.value)["spec"] == claim(seen)["spec"]

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


def test_events_of_different_versions_are_different_entries() -> None:
    async def scenario(world: World) -> None:
        await world.create(claim("v1alpha3"))
        keys = {through(world, version).list().entries[0].key for version in VERSIONS}
        assert len(keys) == len(VERSIONS)

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


@pytest.mark.parametrize(
    ("release", "resource", "stored"),
    [
        ("1.30", "resourceclaims", "v1alpha2"),
        ("1.31", "resourceclaims", "v1alpha3"),
        ("1.33", "resourceslices", "v1alpha3"),
        ("1.33", "devicetaintrules", "v1alpha3"),
    ],
)
def test_objects_are_kept_in_the_oldest_version(release: str, resource: str, stored: str) -> None:
    loaded = load_release(release)
    for kind in loaded.kinds:
        if kind.resource == resource:
            assert Versions(kind, loaded).stored.version == stored


def test_a_version_that_shares_the_form_is_shown_without_reading_it() -> None:
    loaded = load_release("1.33")
    kind = loaded.kind(GROUP, "v1beta1", "resourceclaims")
    resource = Resource(kind, loaded, {}, lambda name, prefix: [])
    stored = b'{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1alpha3",not JSON}'
    assert resource.encode_for_version(stored) == (
        b'{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1beta1",not JSON}'
    )


def versions() -> Versions:
    loaded = load_release("1.33")
    return Versions(loaded.kind(GROUP, "v1alpha3", "resourceclaims"), loaded)


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
