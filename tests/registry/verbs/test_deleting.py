"""Deletes: immediately, after the last finalizer, with preconditions, as dry runs, and of watched pods."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from fakeapi.machinery.errors import ApiError
from fakeapi.registry.verbs import deleting
from tests.registry.world import Object, World, in_world, refusal, version_of

HOLD = "example.com/hold"
FOREGROUND = "foregroundDeletion"


def gone(world: World, name: str) -> bool:
    try:
        world.get(name)
    except ApiError as error:
        return error.code == 404
    return False


def test_a_deleted_object_is_gone_and_the_answer_is_its_last_state() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a"))
        deleted = await world.delete("a")
        assert deleted["metadata"]["uid"] == created["metadata"]["uid"]
        assert version_of(deleted) > version_of(created)
        assert gone(world, "a")
        assert (await refusal(world.delete("a"))).code == 404

    in_world(scenario)


def test_a_name_that_was_deleted_is_free_for_another_object() -> None:
    async def scenario(world: World) -> None:
        first = await world.create(world.claim("a"))
        await world.delete("a")
        second = await world.create(world.claim("a"))
        assert second["metadata"]["uid"] != first["metadata"]["uid"]

    in_world(scenario)


def test_finalizers_hold_an_object_until_the_last_is_taken_away() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a", finalizers=[HOLD, "example.com/other"]))
        marked = await world.delete("a")
        assert marked["metadata"]["deletionTimestamp"] == "2027-01-15T08:00:00Z"
        assert marked["metadata"]["deletionGracePeriodSeconds"] == 0
        after = await world.patch("a", {"metadata": {"finalizers": [HOLD]}})
        assert after["metadata"]["finalizers"] == [HOLD]
        await world.patch("a", {"metadata": {"finalizers": None}})
        assert gone(world, "a")

    in_world(scenario)


@pytest.mark.parametrize("left_out", [(), ("deletionTimestamp", "deletionGracePeriodSeconds")])
def test_an_update_that_changes_nothing_keeps_the_version_of_an_object_that_is_going(
    left_out: tuple[str, ...],
) -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a", finalizers=["example.com/hold"], labels={"a": "1"}))
        await world.delete("a")
        going = world.get("a")
        metadata = {name: value for name, value in going["metadata"].items() if name not in left_out}
        assert await world.update({**going, "metadata": metadata}) == going

    in_world(scenario)


def test_an_object_that_is_being_deleted_takes_no_new_finalizer_and_no_second_time() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a", finalizers=[HOLD]))
        marked = await world.delete("a")
        world.clock.seconds += 60
        assert await world.delete("a") == marked
        error = await refusal(world.patch("a", {"metadata": {"finalizers": [HOLD, "example.com/new"]}}))
        assert error.code == 422
        assert "no new finalizers can be added if the object is being deleted" in error.message

    in_world(scenario)


@pytest.mark.parametrize(
    ("options", "finalizers"),
    [
        ({"propagation": "Background"}, None),
        ({"propagation": "Foreground"}, [FOREGROUND]),
        ({"propagation": "Orphan"}, ["orphan"]),
        ({"orphan": True}, ["orphan"]),
        ({"orphan": False}, None),
        ({}, None),
        ({"grace_seconds": 30}, None),
    ],
)
def test_the_propagation_policy_becomes_a_finalizer_for_the_garbage_collector(
    options: dict[str, object], finalizers: list[str] | None
) -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a"))
        deleted = await world.delete("a", **options)
        assert deleted["metadata"].get("finalizers") == finalizers
        assert gone(world, "a") is (finalizers is None)

    in_world(scenario)


def test_a_background_deletion_takes_back_the_finalizer_of_a_foreground_one() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a"))
        await world.delete("a", propagation="Foreground")
        await world.delete("a", propagation="Background")
        assert gone(world, "a")

    in_world(scenario)


def test_preconditions_that_do_not_hold_are_conflicts() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a"))
        uid = created["metadata"]["uid"]
        version = created["metadata"]["resourceVersion"]
        for options in ({"uid": "another"}, {"resource_version": "1"}, {"uid": uid, "resource_version": "1"}):
            error = await refusal(world.delete("a", **options))
            assert (error.code, error.reason) == (409, "Conflict")
        assert world.get("a") == created
        await world.delete("a", uid=uid, resource_version=version)
        assert gone(world, "a")

    in_world(scenario)


@pytest.mark.parametrize("finalizers", [[], [HOLD]], ids=["free", "held"])
def test_a_dry_run_deletes_and_marks_nothing(finalizers: list[str]) -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a", finalizers=finalizers))
        before = world.storage.revision
        answer = await world.delete("a", dry_run=True)
        assert answer["metadata"]["uid"] == created["metadata"]["uid"]
        assert ("deletionTimestamp" in answer["metadata"]) is bool(finalizers)
        assert world.get("a") == created
        assert world.storage.revision == before

    in_world(scenario)


def test_the_event_of_a_deletion_has_the_last_state_at_the_version_of_the_deletion() -> None:
    async def scenario(world: World) -> None:
        created = await world.create(world.claim("a", labels={"a": "b"}))
        watch = world.watch(resource_version=created["metadata"]["resourceVersion"])
        deleted = await world.delete("a")
        (event,) = await watch.next()
        assert (event.type, event.revision) == ("DELETED", version_of(deleted))
        assert b'"labels":{"a":"b"}' in event.body

    in_world(scenario)


def test_taking_the_last_finalizer_of_an_object_that_nobody_deletes_deletes_nothing() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a", finalizers=[HOLD]))
        after = await world.patch("a", {"metadata": {"finalizers": None}})
        assert "finalizers" not in after["metadata"]
        assert world.get("a") == after

    in_world(scenario)


def test_a_patch_that_changes_nothing_of_an_object_that_is_being_deleted_keeps_its_version() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a", finalizers=[HOLD], labels={"a": "b"}))
        marked = await world.delete("a")
        assert list(marked["metadata"])[-3:] == ["labels", "finalizers", "managedFields"]
        assert await world.patch("a", {"metadata": {"labels": {"a": "b"}}}) == marked
        assert await world.patch("a", {"metadata": {"deletionTimestamp": None}}) == marked

    in_world(scenario)


POD = {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
HOUR = 3600.0


async def started(world: World, *, watched: bool, frozen: bool) -> "asyncio.Task[Object]":
    """Starts to delete a pod that has no node; returns the asyncio task of the delete.

    When this function returns, the task has ended or waits for a timer.

    - `watched`: whether a watch of pods is open
    - `frozen`: whether the clock is frozen
    """
    world.clock.frozen = frozen
    await world.create(POD)
    if watched:
        world.storage.watch(world.claims.prefix)
    deletion = asyncio.ensure_future(world.delete("a"))
    for _ in range(20):
        await asyncio.sleep(0)
    return deletion


def with_pods(scenario: Callable[[World], Awaitable[None]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deleting, "TRANSACTION_GAP_SECONDS", HOUR)

    async def on_pods(world: World) -> None:
        await scenario(world.on(world.resource("pods")))

    in_world(on_pods)


def test_a_watched_pod_stays_readable_between_its_last_state_and_its_deletion(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(world: World) -> None:
        deletion = await started(world, watched=True, frozen=False)
        assert not deletion.done()
        assert world.get("a")["metadata"]["deletionGracePeriodSeconds"] == 0
        deletion.cancel()

    with_pods(scenario, monkeypatch)


@pytest.mark.parametrize(("watched", "frozen"), [(False, False), (True, True)])
def test_a_pod_is_deleted_without_a_gap_if_nobody_watches_or_the_clock_is_frozen(
    monkeypatch: pytest.MonkeyPatch, *, watched: bool, frozen: bool
) -> None:
    async def scenario(world: World) -> None:
        deletion = await started(world, watched=watched, frozen=frozen)
        assert deletion.done()
        assert gone(world, "a")

    with_pods(scenario, monkeypatch)


def test_a_delete_that_is_cancelled_in_the_gap_still_deletes_the_pod(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(world: World) -> None:
        deletion = await started(world, watched=True, frozen=False)
        deletion.cancel()
        with pytest.raises(asyncio.CancelledError):
            await deletion
        await world.store.settle()
        assert gone(world, "a")

    with_pods(scenario, monkeypatch)


def test_a_delete_succeeds_if_another_request_deletes_the_pod_in_its_gap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(world: World) -> None:
        gap = asyncio.Event()
        monkeypatch.setattr(asyncio, "sleep", lambda _: gap.wait())
        world.clock.frozen = False
        await world.create(POD)
        watcher = world.storage.watch(world.claims.prefix)
        first = asyncio.ensure_future(world.delete("a"))
        await watcher.next_batch()
        second = await world.delete("a")
        gap.set()
        assert (await first)["metadata"]["uid"] == second["metadata"]["uid"]
        assert gone(world, "a")

    with_pods(scenario, monkeypatch)


def test_a_delete_ends_after_the_commit_of_another_delete_in_its_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(world: World) -> None:
        gap, step = asyncio.Event(), asyncio.sleep
        committed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        monkeypatch.setattr(asyncio, "sleep", lambda _: gap.wait())
        monkeypatch.setattr(type(world.storage), "wait_committed", lambda *_: committed)
        world.clock.frozen = False
        await world.create(POD)
        watcher = world.storage.watch(world.claims.prefix)
        first = asyncio.ensure_future(world.delete("a"))
        await watcher.next_batch()
        await world.delete("a")
        gap.set()
        for _ in range(20):
            await step(0)
        assert not first.done()
        committed.set_result(None)
        await first

    with_pods(scenario, monkeypatch)
