"""Each fault has its effect on a watch. The tests read raw bytes from the socket."""

import http.client
import json
from collections.abc import Callable
from typing import Any

import pytest

from fakeapi import FakeAPI, StatusError
from fakeapi.clock.adjustable import AdjustableClock
from tests.faults.conftest import CLAIMS, Open, claim

Watch = Callable[..., http.client.HTTPResponse]


def events(stream: http.client.HTTPResponse, count: int) -> list[Any]:
    """Reads the next `count` events of a watch.

    Returns (type, object name) of each event, or (type, code of the Status) of an ERROR event.
    """
    items = []
    for _ in range(count):
        event = json.loads(stream.readline())
        obj = event["object"]
        items.append((event["type"], obj.get("code") or obj["metadata"].get("name", "")))
    return items


def label(api: FakeAPI, name: str, value: str) -> None:
    api.patch("resourceclaims", name, {"metadata": {"labels": {"v": value}}})


@pytest.mark.parametrize("opened_first", [False, True], ids=["armed first", "opened first"])
@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_watch_expires_after_so_many_events(
    api: FakeAPI, watch: Watch, after: int, *, opened_first: bool
) -> None:
    version = api.create(claim())["metadata"]["resourceVersion"]
    stream = watch(f"resourceVersion={version}") if opened_first else None
    fault = api.faults.expire("resourceclaims", after=after)
    stream = stream or watch(f"resourceVersion={version}")
    for number in range(after):
        label(api, "claim", str(number))
    assert events(stream, after + 1) == [("MODIFIED", "claim")] * after + [("ERROR", 410)]
    assert stream.read() == b""
    assert fault.fired == 1
    assert events(watch(), 1) == [("ADDED", "claim")]


def test_a_watch_ends_as_if_its_time_had_come(api: FakeAPI, watch: Watch) -> None:
    for name in ("a", "b", "c"):
        api.create(claim(name))
    fault = api.faults.end_watch("resourceclaims", after=2, times=2)
    for _ in range(2):
        stream = watch()
        assert events(stream, 2) == [("ADDED", "a"), ("ADDED", "b")]
        assert stream.read() == b""
    assert events(watch(), 3)[2] == ("ADDED", "c")
    assert (fault.matched, fault.fired) == (3, 2)


def test_all_open_watches_end_at_once(api: FakeAPI, watch: Watch) -> None:
    version = api.create(claim())["metadata"]["resourceVersion"]
    streams = [watch(f"resourceVersion={version}") for _ in range(3)]
    other = watch(f"resourceVersion={version}", path="/api/v1/pods")
    fault = api.faults.end_watch("resourceclaims", times=10)
    assert [stream.read() for stream in streams] == [b"", b"", b""]
    assert fault.fired == 3
    api.faults.end_watch("pods")
    assert other.read() == b""


@pytest.mark.parametrize("opened_first", [False, True], ids=["armed first", "opened first"])
def test_a_watch_breaks_off_in_the_middle_of_an_event(
    api: FakeAPI, watch: Watch, *, opened_first: bool
) -> None:
    version = api.create(claim())["metadata"]["resourceVersion"]
    stream = watch(f"resourceVersion={version}") if opened_first else None
    api.faults.cut_watch("resourceclaims", after=1)
    stream = stream or watch(f"resourceVersion={version}")
    label(api, "claim", "1")
    assert events(stream, 1) == [("MODIFIED", "claim")]
    label(api, "claim", "2")
    with pytest.raises(http.client.IncompleteRead) as caught:
        stream.read()
    assert caught.value.partial.startswith(b'{"type":"MODIFIED"')
    with pytest.raises(ValueError, match=r"char \d+"):
        json.loads(caught.value.partial)


def test_events_are_held_back_until_their_time(api: FakeAPI, watch: Watch, clock: AdjustableClock) -> None:
    clock.freeze()
    stream = watch("resourceVersion=0")
    fault = api.faults.hold_events("resourceclaims", seconds=20)
    api.create(claim("a"))
    while not fault.fired:
        pass
    api.create(claim("b"))
    (entry,) = api.requests.filter("watch")
    assert entry.watch is not None
    assert entry.watch.behind == 2
    clock.advance(20)
    assert events(stream, 2) == [("ADDED", "a"), ("ADDED", "b")]


def test_events_are_held_back_until_the_fault_is_disarmed(api: FakeAPI, watch: Watch) -> None:
    stream = watch("resourceVersion=0")
    with api.faults.hold_events("resourceclaims"):
        api.create(claim("a"))
    assert events(stream, 1) == [("ADDED", "a")]


def test_bookmarks_are_withheld(api: FakeAPI, watch: Watch) -> None:
    api.create(claim("a"))
    query = "allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
    assert events(watch(query), 2) == [("ADDED", "a"), ("BOOKMARK", "")]
    fault = api.faults.withhold_bookmarks("resourceclaims")
    stream = watch(query)
    assert events(stream, 1) == [("ADDED", "a")]
    api.create(claim("b"))
    assert events(stream, 1) == [("ADDED", "b")]
    assert fault.fired == 1


def test_the_next_opening_is_refused(api: FakeAPI, watch: Watch) -> None:
    api.faults.refuse_watch("resourceclaims", code=500, message="no watch", times=1)
    assert watch().status == 500
    assert watch().status == 200


def test_a_watch_at_an_old_version_is_told_that_it_is_gone(api: FakeAPI, watch: Watch) -> None:
    api.faults.gone("list resourceclaims", times=1)
    with pytest.raises(StatusError) as caught:
        api.request("GET", CLAIMS, query={"resourceVersion": "1", "resourceVersionMatch": "Exact"})
    assert (caught.value.code, caught.value.reason) == (410, "Expired")


def test_a_stale_cache_shows_lists_and_watches_an_older_state(
    api: FakeAPI, watch: Watch, clock: AdjustableClock
) -> None:
    clock.freeze()
    api.create(claim("old"))
    opened = watch("resourceVersion=0")
    assert events(opened, 1) == [("ADDED", "old")]
    fault = api.faults.stale("resourceclaims", seconds=60)
    api.create(claim("new"))
    cached = api.request("GET", CLAIMS, query={"resourceVersion": "0", "limit": "1"})
    exact = api.request("GET", CLAIMS)
    assert [each["metadata"]["name"] for each in cached["items"]] == ["old"]
    assert [each["metadata"]["name"] for each in exact["items"]] == ["new", "old"]
    stream = watch("resourceVersion=0")
    assert events(stream, 1) == [("ADDED", "old")]
    clock.advance(60)
    assert events(stream, 1) == [("ADDED", "new")]
    assert events(opened, 1) == [("ADDED", "new")]
    now = api.request("GET", CLAIMS, query={"resourceVersion": "0"})
    assert len(now["items"]) == 2
    assert fault.fired >= 2


def test_a_fault_that_is_disarmed_lets_its_watches_go_on(api: FakeAPI, watch: Watch) -> None:
    api.create(claim("a"))
    fault = api.faults.expire("resourceclaims", after=2)
    stream = watch()
    assert events(stream, 1) == [("ADDED", "a")]
    fault.disarm()
    api.create(claim("b"))
    api.create(claim("c"))
    assert events(stream, 2) == [("ADDED", "b"), ("ADDED", "c")]
    assert fault.fired == 0


@pytest.mark.parametrize("kind", ["expire", "cut_watch"])
def test_watches_in_protobuf_and_of_tables_fail_alike(api: FakeAPI, ask: Open, kind: str) -> None:
    api.create(claim("a"))
    for accept in ("application/vnd.kubernetes.protobuf", "application/json;as=Table;v=v1;g=meta.k8s.io"):
        getattr(api.faults, kind)("resourceclaims")
        stream = ask("GET", f"{CLAIMS}?watch=true", Accept=accept)
        if kind == "expire":
            assert b"too old" in stream.read()
        else:
            with pytest.raises(http.client.IncompleteRead):
                stream.read()
