"""Watches over HTTP send events and bookmarks, and end like the watches of Kubernetes."""

import asyncio
import contextlib
import http.client
import itertools
import json
import socket
import threading
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest

from fakeapi import cluster
from fakeapi.clock.adjustable import AdjustableClock
from fakeapi.clock.clocks import SystemClockAndNames
from fakeapi.http.watch import timeout_seconds
from fakeapi.registry.requests.options import WatchOptions
from fakeapi.testing.server import FakeAPI
from fakeapi_storage import open_storage
from tests.http.conftest import SmallServer
from tests.http.malformed.case import CLAIMS, GROUP, claim
from tests.http.watching import Stream, told, watch

pytestmark = pytest.mark.fakeapi(release="1.31")


def version(server: FakeAPI) -> str:
    found: str = server.request("GET", CLAIMS)["metadata"]["resourceVersion"]
    return found


def label(server: FakeAPI | SmallServer, name: str, **labels: str | None) -> dict[str, Any]:
    return server.patch("ResourceClaim", name, {"metadata": {"labels": labels}})


def make(server: FakeAPI | SmallServer, name: str, **metadata: Any) -> dict[str, Any]:
    return server.create(claim({"name": name, **metadata}))


def test_headers_go_out_at_once_though_nothing_has_happened(fakeapi: FakeAPI) -> None:
    with watch(fakeapi.url) as stream:
        assert stream.code == 200
        assert stream.headers["content-type"] == "application/json"
        assert stream.headers["transfer-encoding"] == "chunked"
        assert stream.headers["cache-control"] == "no-cache, private"


def test_a_watch_tells_what_exists_and_then_what_happens(fakeapi: FakeAPI) -> None:
    make(fakeapi, "b")
    make(fakeapi, "a")
    with watch(fakeapi.url) as stream:
        assert told(stream.take(2)) == [("ADDED", "a"), ("ADDED", "b")]
        make(fakeapi, "c")
        changed = label(fakeapi, "a", x="y")
        fakeapi.delete("ResourceClaim", "b")
        events = stream.take(3)
        assert told(events) == [("ADDED", "c"), ("MODIFIED", "a"), ("DELETED", "b")]
        assert events[1][1] == changed


def test_a_watch_resumes_after_the_version_that_it_names(fakeapi: FakeAPI) -> None:
    first = make(fakeapi, "a")["metadata"]["resourceVersion"]
    make(fakeapi, "b")
    with watch(fakeapi.url, f"resourceVersion={first}") as stream:
        make(fakeapi, "c")
        assert told(stream.take(2)) == [("ADDED", "b"), ("ADDED", "c")]


def test_a_label_selector_turns_changes_into_comings_and_goings(fakeapi: FakeAPI) -> None:
    with watch(fakeapi.url, "labelSelector=in%3Dyes") as stream:
        make(fakeapi, "outside")
        make(fakeapi, "inside", labels={"in": "yes"})
        label(fakeapi, "outside", **{"in": "yes"})
        label(fakeapi, "inside", **{"in": None})
        fakeapi.delete("ResourceClaim", "inside")
        fakeapi.delete("ResourceClaim", "outside")
        assert told(stream.take(4)) == [
            ("ADDED", "inside"),
            ("ADDED", "outside"),
            ("DELETED", "inside"),
            ("DELETED", "outside"),
        ]


def test_a_write_that_changes_nothing_makes_no_event(fakeapi: FakeAPI) -> None:
    created = make(fakeapi, "a", labels={"x": "y"})
    with watch(fakeapi.url, f"resourceVersion={created['metadata']['resourceVersion']}") as stream:
        assert fakeapi.update(created) == created
        assert label(fakeapi, "a", x="y") == created
        fakeapi.patch("ResourceClaim", "a", {"metadata": {"labels": {"x": "dry"}}}, dryRun="All")
        label(fakeapi, "a", x="z")
        kind, obj = stream.next()
        assert (kind, obj["metadata"]["labels"]) == ("MODIFIED", {"x": "z"})


@pytest.mark.parametrize(
    ("path", "names"),
    [
        (f"{GROUP}/watch/resourceclaims", ["a", "b", "far"]),
        (f"{GROUP}/watch/namespaces/default/resourceclaims", ["a", "b"]),
        (f"{GROUP}/watch/namespaces/default/resourceclaims/b", ["b"]),
        (f"{GROUP}/resourceclaims", ["a", "b", "far"]),
    ],
)
def test_every_path_of_a_watch_covers_what_it_names(fakeapi: FakeAPI, path: str, names: list[str]) -> None:
    make(fakeapi, "a")
    make(fakeapi, "b")
    fakeapi.create(claim({"name": "far"}), namespace="kube-system")
    with watch(fakeapi.url, path=path) as stream:
        assert told(stream.take(len(names))) == [("ADDED", name) for name in names]


def test_a_watch_ends_as_http_ends_a_body_when_its_time_has_come(
    frozen: Callable[[str], FakeAPI], clock: AdjustableClock
) -> None:
    server = frozen("1.31")
    make(server, "a")
    with watch(server.url, "timeoutSeconds=30") as stream:
        assert told([stream.next()]) == [("ADDED", "a")]
        clock.advance(29)
        make(server, "b")
        assert told([stream.next()]) == [("ADDED", "b")]
        clock.advance(1)
        assert stream.rest() == []
        assert stream.ended


def test_a_version_that_is_not_kept_is_an_event_that_says_expired_and_then_the_end(
    with_history: Callable[[int], SmallServer],
) -> None:
    server = with_history(20)
    first = make(server, "a")["metadata"]["resourceVersion"]
    for turn in range(300):
        label(server, "a", turn=str(turn))
    with watch(server.url, f"resourceVersion={first}") as stream:
        assert stream.code == 200
        ((kind, status),) = stream.rest()
        assert stream.ended
    assert (kind, status["kind"], status["code"], status["reason"]) == ("ERROR", "Status", 410, "Expired")
    assert status["message"].startswith(f"too old resource version: {first} (")


def test_a_bookmark_comes_every_minute_once_something_has_changed(
    frozen: Callable[[str], FakeAPI], clock: AdjustableClock
) -> None:
    server = frozen("1.31")
    with watch(server.url, "allowWatchBookmarks=true&fieldSelector=metadata.name%3Dnobody") as stream:
        for name in ("elsewhere", "again"):
            changed = make(server, name)
            clock.advance(60)
            kind, obj = stream.next()
            assert kind == "BOOKMARK"
            assert obj["kind"] == "ResourceClaim"
            assert obj["metadata"] == {
                "creationTimestamp": None,
                "resourceVersion": changed["metadata"]["resourceVersion"],
            }


def test_a_bookmark_comes_shortly_before_the_end(
    frozen: Callable[[str], FakeAPI], clock: AdjustableClock
) -> None:
    server = frozen("1.31")
    query = f"allowWatchBookmarks=1&timeoutSeconds=30&resourceVersion={version(server)}"
    with watch(server.url, query) as stream:
        created = make(server, "a")
        assert told([stream.next()]) == [("ADDED", "a")]
        clock.advance(28)
        kind, bookmark = stream.next()
        assert kind == "BOOKMARK"
        assert bookmark["metadata"]["resourceVersion"] == created["metadata"]["resourceVersion"]
        clock.advance(2)
        assert stream.rest() == []


@pytest.mark.parametrize("query", ["allowWatchBookmarks=true", ""])
def test_no_bookmark_comes_where_none_was_asked_for_or_nothing_has_changed(
    frozen: Callable[[str], FakeAPI], clock: AdjustableClock, query: str
) -> None:
    server = frozen("1.31")
    make(server, "a")
    with watch(server.url, f"timeoutSeconds=120&{query}") as stream:
        stream.next()
        if not query:
            label(server, "a", x="y")
        clock.advance(60)
        version(server)  # after this response, every due timer has expired
        clock.advance(60)
        assert [kind for kind, _ in stream.rest()] == ["MODIFIED"] * (not query)


def test_initial_events_end_with_a_bookmark_that_says_so(fakeapi: FakeAPI) -> None:
    server = fakeapi
    make(server, "a")
    query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    with contextlib.ExitStack() as stack:
        gated = stack.enter_context(FakeAPI(release="1.31", feature_gates={"WatchList": True}))
        make(gated, "a")
        stream = stack.enter_context(watch(gated.url, query))
        (first, _), (second, last) = stream.take(2)
    assert (first, second) == ("ADDED", "BOOKMARK")
    assert last["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    with watch(server.url, query) as refused:
        assert refused.code == 422


INITIAL_EVENTS = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"


def test_what_happened_during_the_initial_events_is_confirmed_by_a_bookmark_soon_after_them(
    frozen: Callable[[str], FakeAPI], clock: AdjustableClock
) -> None:
    server = frozen("1.32")
    nobody = "&fieldSelector=metadata.name%3Dnobody"
    with watch(server.url, INITIAL_EVENTS + nobody) as stream:
        _, end = stream.next()
        changed = make(server, "elsewhere")
        clock.advance(1)
        kind, later = stream.next()
    assert int(end["metadata"]["resourceVersion"]) < int(changed["metadata"]["resourceVersion"])
    assert kind == "BOOKMARK"
    assert later["metadata"] == {
        "creationTimestamp": None,
        "resourceVersion": changed["metadata"]["resourceVersion"],
    }


def test_the_bookmark_that_ends_the_initial_events_promises_nothing_that_is_yet_to_come(
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    """The claims exceed the sockets' buffers, so the server is still sending them at the last write."""
    server = fakeapi_factory(release="1.32")
    for number in range(60):
        make(server, f"c{number:02}", annotations={"big": "x" * 250_000})
    with watch(server.url, INITIAL_EVENTS) as stream:
        obj = make(server, "late")
        events = stream.take(62)
    assert [kind for kind, _ in events] == ["ADDED"] * 60 + ["BOOKMARK", "ADDED"]
    assert events[61][1] == obj
    assert int(events[60][1]["metadata"]["resourceVersion"]) < int(obj["metadata"]["resourceVersion"])


def test_no_bookmark_repeats_the_one_that_ended_the_initial_events(
    frozen: Callable[[str], FakeAPI], clock: AdjustableClock
) -> None:
    server = frozen("1.32")
    make(server, "a")
    with watch(server.url, INITIAL_EVENTS + "&timeoutSeconds=30") as stream:
        assert [kind for kind, _ in stream.take(2)] == ["ADDED", "BOOKMARK"]
        clock.advance(1)
        version(server)  # after this response, every due timer has expired
        clock.advance(29)
        assert stream.rest() == []


def test_many_watchers_see_the_same_events_in_the_same_order(fakeapi: FakeAPI) -> None:
    with contextlib.ExitStack() as stack:
        watches = [stack.enter_context(watch(fakeapi.url)) for _ in range(20)]
        for number in range(10):
            make(fakeapi, f"c{number}")
            label(fakeapi, f"c{number}", x="y")
        stories = [[obj["metadata"]["resourceVersion"] for _, obj in found.take(20)] for found in watches]
    assert all(story == stories[0] for story in stories)
    assert stories[0] == sorted(stories[0], key=int)


def test_watchers_of_two_versions_of_one_release_each_get_their_own(
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    server = fakeapi_factory()
    other = "/apis/resource.k8s.io/v1alpha2/namespaces/default/resourceclaims"
    with watch(server.url) as newer, watch(server.url, path=other) as older:
        make(server, "new")
        older_claim = {
            "apiVersion": "resource.k8s.io/v1alpha2",
            "kind": "ResourceClaim",
            "metadata": {"name": "old"},
            "spec": {"resourceClassName": "gpu.example.com"},
        }
        server.create(older_claim)
        kind, obj = newer.next()
        assert (kind, obj["metadata"]["name"], obj["apiVersion"]) == (
            "ADDED",
            "new",
            "resource.k8s.io/v1alpha3",
        )
        kind, obj = older.next()
        assert (kind, obj["metadata"]["name"], obj["apiVersion"]) == (
            "ADDED",
            "old",
            "resource.k8s.io/v1alpha2",
        )


def test_a_watch_ends_cleanly_when_the_server_stops() -> None:
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(FakeAPI(release="1.31"))
        make(server, "a")
        stream = stack.enter_context(watch(server.url))
        stream.next()
        server.stop()
        assert stream.rest() == []
        assert stream.ended


def test_a_watch_ends_cleanly_when_the_server_is_reset_and_the_next_one_sees_the_new_cluster(
    fakeapi: FakeAPI,
) -> None:
    make(fakeapi, "before")
    with watch(fakeapi.url) as stream:
        stream.next()
        fakeapi.reset()
        assert stream.rest() == []
        assert stream.ended
    make(fakeapi, "after")
    with watch(fakeapi.url) as stream:
        assert told([stream.next()]) == [("ADDED", "after")]


@pytest.mark.parametrize("vanish", [False, True], ids=["closes", "vanishes"])
def test_a_watch_is_forgotten_when_the_client_leaves(
    with_history: Callable[[int], SmallServer], *, vanish: bool
) -> None:
    server = with_history(100)
    make(server, "a")
    with watch(server.url) as stream:
        stream.next()
        assert server.app.open_watches == 1
        if vanish:
            stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        close(stream)

    async def forgotten() -> None:
        while server.app.open_watches:  # noqa: ASYNC110 - the server sends no signal
            await asyncio.sleep(0)

    server.runner.call(forgotten)
    assert make(server, "b")


def close(found: Stream) -> None:
    found._reader.close()
    found.socket.close()


def test_a_watcher_that_does_not_read_is_ended_delays_nobody_and_can_go_on_where_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Events of 200 KB exceed the sockets' buffers, so they wait in the server's buffer for the watcher."""
    monkeypatch.setattr(cluster, "open_storage", partial(open_storage, watcher_buffer=8))
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(FakeAPI(release="1.31"))
        begin = version(server)
        slow = stack.enter_context(watch(server.url, f"resourceVersion={begin}"))
        quick = stack.enter_context(watch(server.url, f"resourceVersion={begin}"))
        written = []
        for number in range(80):
            written.append(make(server, f"c{number}", annotations={"big": "x" * 200_000}))
            assert quick.next()[1] == written[-1]
        seen = told(slow.rest())
        assert slow.ended
        expected = [("ADDED", obj["metadata"]["name"]) for obj in written]
        assert seen == expected[: len(seen)]
        assert 0 < len(seen) < len(expected)
        last = written[len(seen) - 1]["metadata"]["resourceVersion"]
        again = stack.enter_context(watch(server.url, f"resourceVersion={last}"))
        assert told(again.take(len(expected) - len(seen))) == expected[len(seen) :]


def test_an_event_reaches_a_watcher_though_the_clock_stands_still(frozen: Callable[[str], FakeAPI]) -> None:
    """The server sends events to watches when it commits a write; no task polls with a timer."""
    server = frozen("1.31")
    with watch(server.url) as stream:
        for number in range(20):
            created = make(server, f"c{number}")
            assert stream.next() == ("ADDED", created)


class JumpingClock(SystemClockAndNames):
    """A system clock that jumps forward and backward, up to 2106 and down to 1970."""

    def __init__(self) -> None:
        self._times = itertools.cycle([1_800_000_000.0, 0.0, 4_294_967_296.0, 1_700_000_000.0])

    def now(self) -> float:
        return next(self._times)


def test_a_clock_that_jumps_changes_timestamps_alone(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    server = fakeapi_factory(release="1.31", clock=JumpingClock())
    with watch(server.url) as stream:
        written = [make(server, f"c{number}") for number in range(6)]
        written += [label(server, f"c{number}", changed="yes") for number in range(6)]
        versions = [int(obj["metadata"]["resourceVersion"]) for obj in written]
        assert versions == list(range(versions[0], versions[0] + 12))
        assert [obj for _, obj in stream.take(12)] == written
    assert len({obj["metadata"]["creationTimestamp"] for obj in written}) > 1
    assert len(server.list("ResourceClaim")) == 6
    for number in range(6):
        server.delete("ResourceClaim", f"c{number}")


def test_a_watch_without_a_timeout_lasts_half_an_hour_to_an_hour() -> None:
    clock = SystemClockAndNames()
    found = [timeout_seconds(WatchOptions(), clock) for _ in range(50)]
    assert all(1800 <= seconds <= 3600 for seconds in found)
    assert len(set(found)) > 1
    assert timeout_seconds(WatchOptions(timeout_seconds=7), clock) == 7
    assert timeout_seconds(WatchOptions(timeout_seconds=0), clock) >= 1800


def test_a_watch_whose_time_is_negative_shows_what_there_is_and_ends(fakeapi: FakeAPI) -> None:
    make(fakeapi, "a")
    with watch(fakeapi.url, "timeoutSeconds=-5") as stream:
        assert told(stream.rest()) == [("ADDED", "a")]
        assert stream.ended


def test_watches_and_writes_share_a_server_from_many_threads(fakeapi: FakeAPI) -> None:
    address = urlsplit(fakeapi.url).netloc
    with contextlib.ExitStack() as stack:
        watches = [stack.enter_context(watch(fakeapi.url)) for _ in range(3)]

        def write(number: int) -> None:
            with contextlib.closing(http.client.HTTPConnection(address, timeout=30)) as connection:
                for turn in range(10):
                    body = json.dumps(claim({"name": f"c{number}-{turn}"}))
                    connection.request("POST", CLAIMS, body, {"Content-Type": "application/json"})
                    assert connection.getresponse().read()

        writers = [threading.Thread(target=write, args=(number,)) for number in range(6)]
        for writer in writers:
            writer.start()
        stories = [told(found.take(60)) for found in watches]
        for writer in writers:
            writer.join()
    assert stories[0] == stories[1] == stories[2]
    assert len(set(stories[0])) == 60
