"""Real clients watch objects while faults delay events, bookmarks or the whole watch cache."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import urllib3.exceptions
from kubernetes import client, watch
from kubernetes.client.exceptions import ApiException
from kubernetes_asyncio import client as asyncio_client
from kubernetes_asyncio import config as asyncio_config
from kubernetes_asyncio import watch as asyncio_watch
from kubernetes_asyncio.client.exceptions import ApiException as AsyncioApiException

from fakeapi import FakeAPI
from fakeapi.clients.control import ControlClient
from fakeapi.http.watch import BOOKMARK_SECONDS
from tests.clients.kopf_operator import Operator, kopf_server
from tests.faults.clients import make, names
from tests.registry.custom.world import WIDGETS, widget

__all__ = ["kopf_server"]

pytest.importorskip("kopf", reason="kopf is not installed")


@pytest.mark.parametrize("kind", ["hold_events"])
def test_the_watch_of_the_python_client_times_out_while_events_are_held(
    fakeapi: FakeAPI, core: client.CoreV1Api, kind: str
) -> None:
    version = make(core, "a").metadata.resource_version
    follow = watch.Watch().stream
    with getattr(fakeapi.faults, kind)("configmaps"):
        make(core, "b")
        listing = core.list_namespaced_config_map
        held = follow(listing, "default", resource_version=version, _request_timeout=(5.0, 0.3))
        with pytest.raises(urllib3.exceptions.ReadTimeoutError):
            next(held)
    assert names(follow(listing, "default", resource_version=version), 1) == ["b"]


@pytest.mark.parametrize("kind", ["hold_events"])
def test_an_operator_of_kopf_is_late_by_as_long_as_events_are_held(kopf_server: FakeAPI, kind: str) -> None:
    with Operator(kopf_server) as operator:
        kopf_server.request("POST", WIDGETS, widget("w", spec={"size": 3}))
        operator.wait("create")
        fault = getattr(kopf_server.faults, kind)("watch widgets")
        patch = {"spec": {"size": 7}}
        kopf_server.request("PATCH", f"{WIDGETS}/w", patch, content_type="application/merge-patch+json")
        while not fault.fired:
            pass
        assert operator.seen == ["create"]
        fault.disarm()
        operator.wait("update 3 to 7")
    kopf_server.requests.verify("list widgets", times=1)


class Follower:
    """A watch of the ConfigMap `a` from a resourceVersion, with the Python package kubernetes_asyncio."""

    def __init__(self, core: asyncio_client.CoreV1Api, version: str) -> None:
        self._events = asyncio_watch.Watch().stream(
            core.list_namespaced_config_map,
            "default",
            field_selector="metadata.name=a",
            resource_version=version,
            allow_watch_bookmarks=True,
        )
        self.expect()

    def expect(self) -> None:
        """Starts to wait for the next event in the background; `next` returns this event."""
        self._next = asyncio.ensure_future(anext(self._events))

    async def next(self) -> Any:
        """Waits for the event after the last `expect`; returns its type and its object's resourceVersion."""
        event = await self._next
        return event["type"], event["raw_object"]["metadata"]["resourceVersion"]

    async def close(self) -> None:
        await self._events.close()


async def until(holds: Callable[[], Any]) -> None:
    """Waits until `holds()` is true; other asyncio tasks run meanwhile."""
    while not holds():  # noqa: ASYNC110 - the server's thread changes it
        await asyncio.sleep(0)


def followed(api: FakeAPI, version: str, story: Callable[[Follower], Awaitable[None]]) -> None:
    """Opens a watch, waits until the server has received its request, and calls `story` with the watch."""

    async def connected() -> None:
        async with await asyncio_config.new_client_from_config(str(api.kubeconfig)) as connection:
            follower = Follower(asyncio_client.CoreV1Api(connection), version)
            await until(lambda: len(api.requests.filter("watch configmaps")))
            await story(follower)
            await follower.close()

    asyncio.run(connected())


def compact(api: FakeAPI) -> None:
    """Compacts the server's history and ends its watches of ConfigMaps, so that the clients resume them."""
    with ControlClient(api.url) as control:
        control.post("/compaction")
    api.faults.end_watch("configmaps")


def test_the_watch_of_the_asyncio_client_resumes_at_a_bookmark(
    fakeapi: FakeAPI, core: client.CoreV1Api
) -> None:
    fakeapi.clock.freeze()
    version = make(core, "a").metadata.resource_version

    async def story(follower: Follower) -> None:
        other = make(core, "b").metadata.resource_version
        fakeapi.clock.advance(BOOKMARK_SECONDS)
        assert await follower.next() == ("BOOKMARK", other)
        follower.expect()
        compact(fakeapi)
        core.patch_namespaced_config_map("a", "default", {"data": {"x": "1"}})
        assert (await follower.next())[0] == "MODIFIED"

    followed(fakeapi, version, story)


@pytest.mark.parametrize("kind", ["withhold_bookmarks"])
def test_without_bookmarks_the_watch_of_the_asyncio_client_raises_410_after_a_compaction(
    fakeapi: FakeAPI, core: client.CoreV1Api, kind: str
) -> None:
    fakeapi.clock.freeze()
    version = make(core, "a").metadata.resource_version
    fault = getattr(fakeapi.faults, kind)("configmaps")

    async def story(follower: Follower) -> None:
        make(core, "b")
        fakeapi.clock.advance(BOOKMARK_SECONDS)
        await until(lambda: fault.fired)
        compact(fakeapi)
        with pytest.raises(AsyncioApiException, match="too old resource version") as caught:
            await follower.next()
        assert caught.value.status == 410

    followed(fakeapi, version, story)


@pytest.mark.parametrize("kind", ["stale"])
def test_a_stale_read_of_the_python_client_loses_its_write_and_a_fresh_one_wins(
    fakeapi: FakeAPI, core: client.CoreV1Api, kind: str
) -> None:
    make(core, "a")
    fault = getattr(fakeapi.faults, kind)("configmaps")
    core.patch_namespaced_config_map("a", "default", {"data": {"by": "another"}})
    (cached,) = core.list_namespaced_config_map("default", resource_version="0").items
    assert (cached.data, fault.fired) == (None, 1)
    with pytest.raises(ApiException) as caught:
        core.replace_namespaced_config_map("a", "default", cached)
    assert caught.value.status == 409
    (fresh,) = core.list_namespaced_config_map("default").items
    core.replace_namespaced_config_map("a", "default", fresh)
