"""Watches: initial events, events for changes, and expired resourceVersions."""

import asyncio
import itertools
import json
from typing import Any

import pytest

from fakeapi.machinery.errors import ApiError
from fakeapi.registry.verbs import watching
from fakeapi.registry.verbs.watching import EncodedEventCache, Watch, WatchEvent
from fakeapi_storage import Closed
from tests.registry.world import World, in_world, version_of

Told = tuple[str, str]


def told(events: list[WatchEvent]) -> list[Told]:
    """Returns (type, object name) of each event."""
    return [(event.type, event.entry.key.rpartition("/")[2]) for event in events]


async def after(watch: Watch, count: int) -> list[WatchEvent]:
    """Reads and returns `count` events; asserts that the watch has not delivered more."""
    events: list[WatchEvent] = []
    while len(events) < count:
        events += await watch.next()
    assert len(events) == count
    return events


@pytest.mark.parametrize("version", ["", "0"])
def test_a_watch_without_a_version_begins_with_what_exists(version: str) -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("b"))
        await world.create(world.claim("a"))
        watch = world.watch(resource_version=version)
        assert told(watch.initial) == [("ADDED", "a"), ("ADDED", "b")]
        await world.create(world.claim("c"))
        assert told(await after(watch, 1)) == [("ADDED", "c")]

    in_world(scenario)


def test_a_watch_from_a_version_tells_what_came_after_it_and_goes_on() -> None:
    async def scenario(world: World) -> None:
        first = await world.create(world.claim("a"))
        await world.patch("a", {"metadata": {"labels": {"a": "b"}}})
        watch = world.watch(resource_version=first["metadata"]["resourceVersion"])
        await world.delete("a")
        events = await after(watch, 2)
        assert watch.initial == []
        assert told(events) == [("MODIFIED", "a"), ("DELETED", "a")]
        assert [event.revision for event in events] == [version_of(first) + 1, version_of(first) + 2]

    in_world(scenario)


def test_a_watch_resumed_at_any_event_misses_and_repeats_nothing() -> None:
    async def scenario(world: World) -> None:
        start = world.storage.revision
        for number in range(6):
            await world.create(world.claim(f"c{number}"))
            await world.patch(f"c{number}", {"metadata": {"labels": {"a": "b"}}})
        whole = [event.revision for event in await after(world.watch(resource_version=str(start)), 12)]
        for place, revision in enumerate(whole[:-1]):
            rest = await after(world.watch(resource_version=str(revision)), 11 - place)
            assert [event.revision for event in rest] == whole[place + 1 :]

    in_world(scenario)


def test_events_of_a_watch_have_the_version_of_their_change_in_the_object() -> None:
    async def scenario(world: World) -> None:
        watch = world.watch()
        created = await world.create(world.claim("a"))
        deleted = await world.delete("a")
        bodies = [json.loads(event.body) for event in await after(watch, 2)]
        assert bodies == [created, deleted]

    in_world(scenario)


def test_an_object_that_begins_or_ceases_to_match_is_added_or_deleted() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a"))
        watch = world.watch(labels="in=yes", resource_version=str(world.storage.revision))

        async def label(value: str | None, **more: str) -> dict[str, Any]:
            return await world.patch("a", {"metadata": {"labels": {"in": value, **more}}})

        await label("no")
        await label("yes")
        await label("yes", more="x")
        left = await label("no", more="y")
        await label("yes")
        await world.delete("a")
        events = await after(watch, 5)
        assert [event.type for event in events] == ["ADDED", "MODIFIED", "DELETED", "ADDED", "DELETED"]
        shown = json.loads(events[2].body)
        assert shown["metadata"]["labels"] == {"in": "yes", "more": "x"}
        assert version_of(shown) == version_of(left)

    in_world(scenario)


def test_a_field_selector_lets_one_object_through() -> None:
    async def scenario(world: World) -> None:
        watch = world.watch(fields="metadata.name=b")
        for name in ("a", "b", "c"):
            await world.create(world.claim(name))
        assert told(await after(watch, 1)) == [("ADDED", "b")]

    in_world(scenario)


def test_a_watch_of_a_namespace_sees_no_other() -> None:
    async def scenario(world: World) -> None:
        here, everywhere = world.watch(), world.watch(namespace="")
        await world.create(world.claim("far"), namespace="kube-system")
        await world.create(world.claim("near"))
        assert told(await after(here, 1)) == [("ADDED", "near")]
        assert told(await after(everywhere, 2)) == [("ADDED", "far"), ("ADDED", "near")]

    in_world(scenario)


def test_a_watch_from_the_future_waits_for_it() -> None:
    async def scenario(world: World) -> None:
        future = world.storage.revision + 2
        watch = world.watch(resource_version=str(future))
        for name in ("a", "b", "c"):
            await world.create(world.claim(name))
        assert told(await after(watch, 1)) == [("ADDED", "c")]

    in_world(scenario)


def test_a_version_that_is_not_kept_any_more_is_too_old() -> None:
    async def scenario(world: World) -> None:
        start = str(world.storage.revision)
        await world.create(world.claim("a"))
        for turn in range(300):
            await world.patch("a", {"metadata": {"labels": {"turn": str(turn)}}})
        with pytest.raises(watching.TooOld, match=rf"^too old resource version: {start} \(\d+\)$"):
            world.watch(resource_version=start)
        world.watch(resource_version=str(world.storage.revision))

    in_world(scenario, history=20)


@pytest.mark.parametrize("version", ["abc", "-1", "1.5", "9" * 30])
def test_a_version_that_is_no_number_is_refused(version: str) -> None:
    async def scenario(world: World) -> None:
        with pytest.raises(ApiError) as caught:
            world.watch(resource_version=version)
        assert caught.value.code == 500

    in_world(scenario)


def test_initial_events_can_be_had_or_not_whatever_the_version() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a"))
        version = str(world.storage.revision)
        with_them = world.watch(resource_version=version, send_initial_events=True)
        assert told(with_them.initial) == [("ADDED", "a")]
        assert world.watch(send_initial_events=False).initial == []

    in_world(scenario)


def test_a_bookmark_is_worth_a_line_only_when_something_has_changed() -> None:
    async def scenario(world: World) -> None:
        await world.create(world.claim("a"))
        watch = world.watch(fields="metadata.name=nobody")
        assert watch.bookmark_version(world.store.newest(world.claims)) is None
        changed = await world.create(world.claim("b"))
        waiting = asyncio.ensure_future(watch.next())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert watch.bookmark_version(world.store.newest(world.claims)) == version_of(changed)
        waiting.cancel()

    in_world(scenario)


def test_a_bookmark_is_an_empty_object_with_a_version() -> None:
    async def scenario(world: World) -> None:
        plain = json.loads(watching.bookmark(world.claims, 7, ends_initial_events=False))
        assert (plain["kind"], plain["apiVersion"]) == ("ResourceClaim", "resource.k8s.io/v1alpha3")
        assert plain["metadata"] == {"resourceVersion": "7", "creationTimestamp": None}
        last = json.loads(watching.bookmark(world.claims, 7, ends_initial_events=True))
        assert last["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}

    in_world(scenario)


def test_a_closed_watch_tells_nothing_any_more() -> None:
    async def scenario(world: World) -> None:
        watch = world.watch()
        watch.close()
        watch.close()
        await world.create(world.claim("a"))
        with pytest.raises(Closed):
            await watch.next()

    in_world(scenario)


def test_watchers_share_the_encoded_line_of_an_event() -> None:
    async def scenario(world: World) -> None:
        first, second = world.watch(), world.watch()
        created = await world.create(world.claim("a"))
        frames = watching.EncodedEventCache()
        lines = [frames.frame((await after(watch, 1))[0]) for watch in (first, second)]
        assert lines[0] is lines[1]
        assert json.loads(lines[0]) == {"type": "ADDED", "object": created}

    in_world(scenario)


def test_an_event_after_a_reset_is_not_that_of_the_same_version_before() -> None:
    async def scenario(world: World) -> None:
        frames = watching.EncodedEventCache()
        uids = []
        for _ in range(2):  # a new state each time, in which both watches start at the same version
            await world.storage.reset()
            await world.registry.ensure_initial_objects()
            watch = world.watch()
            await world.create(world.claim("a"))
            [event] = await after(watch, 1)
            uids.append(json.loads(frames.frame(event))["object"]["metadata"]["uid"])
        assert uids[0] != uids[1]

    in_world(scenario)


def test_of_too_many_encoded_events_all_are_forgotten_and_encoded_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watching, "FRAMES_KEPT", 2)

    async def scenario(world: World) -> None:
        for name in "abc":
            await world.create(world.claim(name))
        events = world.watch().initial
        cache, encoded = EncodedEventCache(), []

        def encode(kind: str, body: bytes) -> bytes:
            encoded.append(kind)
            return watching.event_line(kind, body)

        lines = [cache.frame(event, encode) for event in (*events, *events)]
        assert lines[:3] == lines[3:]
        assert len(encoded) == 6
        assert cache.frame(events[-1], encode) == lines[-1]
        assert len(encoded) == 6
        assert len(cache._kept) <= 2

    in_world(scenario)


@pytest.mark.parametrize("selector", ["", "a=b"])
def test_a_watch_that_delivers_tells_what_one_that_is_asked_does(selector: str) -> None:
    """Compares a watch whose events are read with a watch that delivers its events to a consumer.

    The consumer accepts only every second batch.
    """

    async def scenario(world: World) -> None:
        asked, watch = (world.watch(labels=selector) for _ in range(2))
        received: list[WatchEvent] = []
        offers = itertools.count()

        def take(events: list[WatchEvent]) -> bool:
            taken = next(offers) % 2 == 0
            if taken:
                received.extend(events)
            return taken

        async def hand_out() -> None:
            while True:
                received.extend(await watch.next())

        watch.deliver(take)
        consumer = asyncio.ensure_future(hand_out())
        for number in range(6):
            await world.create(world.claim(f"c{number}"))
            await world.patch(f"c{number}", {"metadata": {"labels": {"a": "b"}}})
            await world.patch(f"c{number}", {"metadata": {"labels": {"a": str(number)}}})
        expected = await after(asked, 12 if selector else 18)
        consumer.cancel()
        assert received == expected
        assert next(offers) > len(expected) // 2

    in_world(scenario)


def test_watches_of_all_objects_are_given_one_list_of_frames() -> None:
    async def scenario(world: World) -> None:
        given: list[list[WatchEvent]] = []
        watches = [world.watch() for _ in range(2)]
        consumers = [asyncio.ensure_future(watch.next()) for watch in watches]

        def take(events: list[WatchEvent]) -> bool:
            given.append(events)
            return True

        for watch in watches:
            watch.deliver(take)
        await asyncio.sleep(0)
        await world.create(world.claim("a"))
        for consumer in consumers:
            consumer.cancel()
        assert told(given[0]) == [("ADDED", "a")]
        assert given[0] is given[1]
        encoded = EncodedEventCache()
        assert encoded.frames(given[0]) == encoded.frame(given[0][0])
        assert encoded.frames([]) == b""

    in_world(scenario)
