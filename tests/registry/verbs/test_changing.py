"""Updates of objects, and the read-modify-write loop that all changes of objects use."""

import asyncio
from typing import Any

import pytest

from fakeapi.registry.requests.options import ObjectReference, WriteOptions
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.store import WRITE_ATTEMPTS
from fakeapi.registry.verbs import updating
from fakeapi.registry.verbs.changing import Attempt
from tests.registry.world import World, in_world, refusal, version_of

LATER = 90


def test_a_dry_run_answers_as_the_write_would_and_stores_nothing() -> None:
    async def scenario(world: World) -> None:
        before = world.storage.revision
        created = await world.create(world.claim("a"), dry_run=True)
        assert created["metadata"]["uid"]
        assert "resourceVersion" not in created["metadata"]
        assert world.list().entries == []
        stored = await world.create(world.claim("a"))
        updated = await world.update(
            {**stored, "metadata": {**stored["metadata"], "labels": {"a": "b"}}}, dry_run=True
        )
        assert updated["metadata"]["labels"] == {"a": "b"}
        assert (await refusal(world.create(world.claim("a"), dry_run=True))).code == 409
        assert world.get("a") == stored
        assert world.storage.revision == before + 1

    in_world(scenario)


def test_an_update_of_an_old_version_is_a_conflict() -> None:
    async def scenario(world: World) -> None:
        old = await world.create(world.claim("a"))
        await world.patch("a", {"metadata": {"labels": {"a": "b"}}})
        error = await refusal(world.update(old))
        assert (error.code, error.reason) == (409, "Conflict")
        assert error.message == (
            'Operation cannot be fulfilled on resourceclaims.resource.k8s.io "a": the object has been '
            "modified; please apply your changes to the latest version and try again"
        )

    in_world(scenario)


@pytest.mark.parametrize("version", ["", "0"])
def test_an_update_without_a_version_overwrites(version: str) -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a", labels={"old": ""}))
        updated = await world.update(world.claim("a", labels={"new": ""}, resourceVersion=version))
        assert updated["metadata"]["labels"] == {"new": ""}

    in_world(scenario)


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("abc", 'strconv.ParseUint: parsing "abc": invalid syntax'),
        ("-1", 'strconv.ParseUint: parsing "-1": invalid syntax'),
        ("²", 'strconv.ParseUint: parsing "²": invalid syntax'),
        ("9" * 5000, f'strconv.ParseUint: parsing "{"9" * 5000}": value out of range'),
    ],
    ids=["letters", "negative", "superscript", "5,000 digits"],
)
def test_an_update_of_a_version_that_is_no_number_fails_in_gos_words(version: str, message: str) -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a"))
        error = await refusal(world.update(world.claim("a", resourceVersion=version)))
        assert (error.code, error.reason, error.message) == (500, "", message)

    in_world(scenario)


def test_an_update_of_another_uid_is_a_conflict() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a"))
        error = await refusal(world.update(world.claim("a", uid="another")))
        assert error.code == 409
        assert error.message.endswith(
            "Precondition failed: UID in precondition: another, UID in object meta: "
            + created["metadata"]["uid"]
        )
        assert " Key: /registry/resourceclaims/default/a, " in error.message
        dry = await refusal(world.update(world.claim("a", uid="another"), dry_run=True))
        assert " Key: /resourceclaims/default/a, " in dry.message

    in_world(scenario)


@pytest.mark.parametrize(
    ("resource", "namespace", "key"),
    [("resourceclaims", "default", "resourceclaims/default/a"), ("deviceclasses", "", "deviceclasses/a")],
)
def test_a_conflict_of_uids_names_the_key_of_the_object(resource: str, namespace: str, key: str) -> None:
    async def scenario(world: World) -> None:
        served = world.catalogue.find("resource.k8s.io", "v1alpha3", resource)
        assert served is not None
        target = ObjectReference(namespace, "a")
        body = {"metadata": {"name": "a", "uid": "another"}}
        error = await refusal(
            updating.update(WriteRequest(world.server, served, target, WriteOptions(manager="m")), body)
        )
        assert f"Key: /registry/{key}, ResourceVersion: 0" in error.message

    in_world(scenario)


def test_an_update_keeps_what_only_the_server_sets() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a"))
        world.clock.seconds += LATER
        sent = world.claim("a", creationTimestamp="2001-01-01T00:00:00Z", generation=9)
        meta = (await world.update({**sent, "status": {"allocation": {}}}))["metadata"]
        assert meta["uid"] == created["metadata"]["uid"]
        assert meta["creationTimestamp"] == created["metadata"]["creationTimestamp"]
        assert "generation" not in meta
        assert world.get("a")["status"] == {}

    in_world(scenario)


def test_an_update_that_changes_nothing_keeps_the_version_and_makes_no_event() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a", labels={"a": "b"}))
        watch = world.watch(resource_version=str(version_of(created)))
        world.clock.seconds += LATER
        assert await world.update(created) == created
        assert await world.update(world.claim("a", labels={"a": "b"})) == created
        assert await world.patch("a", {"metadata": {"labels": {"a": "b"}}}) == created
        changed = await world.patch("a", {"metadata": {"labels": {"a": "c"}}})
        assert [event.revision for event in await watch.next()] == [version_of(changed)]

    in_world(scenario)


def test_an_update_of_what_is_not_there_creates_nothing() -> None:
    async def scenario(world: World) -> None:
        error = await refusal(world.update(world.claim("a")))
        assert (error.code, error.message) == (404, 'resourceclaims.resource.k8s.io "a" not found')
        assert world.list().entries == []

    in_world(scenario)


def test_a_write_to_the_status_changes_the_status_alone_and_a_main_write_never_does() -> None:
    async def scenario(world: World) -> None:
        created = await world.create({**world.claim("a"), "status": {"allocation": {}}})
        assert created["status"] == {}
        sent = {**created, "status": {"allocation": {}}, "spec": {"devices": {}}}
        sent["metadata"] = {**created["metadata"], "labels": {"lost": ""}}
        after = await world.update(sent, "status")
        assert after["status"] == {"allocation": {"devices": {}}}
        assert after["spec"] == created["spec"]
        assert "labels" not in after["metadata"]
        main = await world.update({**after, "status": {}})
        assert main["status"] == after["status"]

    in_world(scenario)


@pytest.mark.parametrize(
    ("release", "kept"), [("1.27", True), ("1.29", True), ("1.30", False), ("1.31", False)]
)
def test_a_write_to_the_status_stores_labels_in_the_releases_that_do_so(
    release: str,
    kept: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a"))
        created["metadata"]["labels"] = {"sent": ""}
        after = await world.update(created, "status")
        assert ("labels" in after["metadata"]) is kept

    in_world(scenario, release)


def test_a_spec_may_not_change() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a"))
        created["spec"]["devices"]["requests"][0]["deviceClassName"] = "other.example.com"
        error = await refusal(world.update(created))
        assert (error.code, error.reason) == (422, "Invalid")
        assert error.message.endswith("field is immutable")

    in_world(scenario)


def test_each_manager_owns_what_it_set() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a", labels={"a": "1"}), manager="creator")
        world.clock.seconds += LATER
        after = await world.patch("a", {"metadata": {"labels": {"b": "2"}}}, manager="patcher")
        fields = {entry["manager"]: entry["fieldsV1"] for entry in after["metadata"]["managedFields"]}
        assert fields["creator"]["f:metadata"] == {"f:labels": {".": {}, "f:a": {}}}
        assert fields["patcher"] == {"f:metadata": {"f:labels": {"f:b": {}}}}
        operations = {entry["manager"]: entry["operation"] for entry in after["metadata"]["managedFields"]}
        assert operations == {"creator": "Update", "patcher": "Update"}
        times = {entry["manager"]: entry["time"] for entry in after["metadata"]["managedFields"]}
        assert times == {"creator": "2027-01-15T08:00:00Z", "patcher": "2027-01-15T08:01:30Z"}

    in_world(scenario)


def test_owner_references_that_stand_twice_are_stored_once_with_a_warning() -> None:
    async def scenario(world: World) -> None:
        owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}
        created = await world.create(world.claim("a", ownerReferences=[owner, owner]))
        assert created["metadata"]["ownerReferences"] == [owner]
        assert [text.rpartition(": ")[2] for text in world.warnings.texts] == ["u"]

    in_world(scenario)


def test_unconditional_writes_that_meet_each_other_all_arrive() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a"))
        patches = (world.patch("a", {"metadata": {"labels": {f"l{n}": ""}}}) for n in range(20))
        answers = await asyncio.gather(*patches)
        assert len({version_of(answer) for answer in answers}) == 20
        assert len(world.get("a")["metadata"]["labels"]) == 20

    in_world(scenario)


@pytest.mark.parametrize("name", [".", "..", "a/b", "a%b"])
@pytest.mark.parametrize("verb", ["get", "patch", "delete"])
def test_a_name_that_no_path_can_hold_is_refused_before_anything_is_looked_up(name: str, verb: str) -> None:
    async def scenario(world: World) -> None:
        async def ask() -> Any:
            match verb:
                case "get":
                    return world.get(name)
                case "patch":
                    return await world.patch(name, {})
                case _:
                    return await world.delete(name)

        error = await refusal(ask())
        assert error.code == 400
        assert error.message.startswith(f'Name parameter invalid: "{name}": ')

    in_world(scenario)


def test_an_update_that_leaves_out_the_time_of_deletion_changes_nothing() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a", finalizers=["example.com/a"]))
        await world.delete("a")
        before = world.get("a")
        after = await world.patch("a", {"metadata": {"deletionTimestamp": None}})
        assert version_of(after) == version_of(before)

    in_world(scenario)


def test_an_update_may_give_another_prefix_of_generated_names_if_it_could_be_one() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a"))
        changed = await world.patch("a", {"metadata": {"generateName": "b-"}})
        assert changed["metadata"]["generateName"] == "b-"
        error = await refusal(world.patch("a", {"metadata": {"generateName": "NO"}}))
        assert (error.code, error.message.partition("Invalid value")[0]) == (
            422,
            'ResourceClaim.resource.k8s.io "a" is invalid: metadata.generateName: ',
        )

    in_world(scenario)


def test_what_changed_in_metadata_is_told_between_the_two_looks_at_the_metadata_as_such() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a"))
        error = await refusal(world.patch("a", {"metadata": {"finalizers": [""]}}))
        assert error.details is not None
        told = ["domain" if "neither" in cause.message else "name" for cause in error.details.causes]
        assert told == ["name"] * 2 + (["name"] * 2 + ["domain"]) + ["domain"] + (["name"] * 2 + ["domain"])

    in_world(scenario, release="1.30")


@pytest.mark.parametrize("release", ["1.30", "1.31"])
def test_errors_of_an_updates_metadata_stand_among_those_of_its_spec(release: str) -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a"))
        bad = world.claim("a", labels={"x!": "y"})
        if release == "1.30":
            bad["spec"]["resourceClassName"], spec = "A", "spec.resourceClassName"
        else:
            bad["spec"]["devices"]["requests"][0]["name"], spec = "A", "spec.devices.requests[0].name"
        error = await refusal(world.update(bad))
        assert error.details is not None
        labels = "metadata.labels"
        whole = [labels, spec]
        again = whole if release == "1.30" else [spec]
        assert [cause.field for cause in error.details.causes] == [
            *(labels, labels),
            *whole,
            *(labels, "spec"),
            *again,
        ]

    in_world(scenario, release)


def test_a_write_that_others_are_always_faster_than_ends_as_a_conflict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    attempts: list[str] = []

    async def too_late(attempt: Attempt) -> None:
        attempts.append("commit")

    async def scenario(world: World) -> None:
        await world.create(world.claim("a"))
        monkeypatch.setattr(Attempt, "commit", too_late)
        error = await refusal(world.patch("a", {"metadata": {"labels": {"a": "b"}}}))
        assert (error.code, error.reason) == (409, "Conflict")

    in_world(scenario)
    assert len(attempts) == WRITE_ATTEMPTS
