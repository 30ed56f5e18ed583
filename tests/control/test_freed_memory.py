"""A reset frees all stored objects and returns their memory to the operating system."""

import gc
import sys
import threading

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.control import ControlClient
from fakeapi.control import freed_memory
from fakeapi_storage import Entry

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


def entries_of(name: str) -> int:
    """Counts the stored entries in the memory of this process that have `name` in their key."""
    gc.collect()
    return sum(isinstance(entry, Entry) and name in entry.key for entry in gc.get_objects())


def test_a_reset_forgets_objects_that_were_listed() -> None:
    with FakeAPI(release="1.33") as api:
        for number in range(16):
            data = {"metadata": {"name": f"forgotten-{number}", "labels": {"app": "x"}}}
            api.create({"apiVersion": "v1", "kind": "ConfigMap", **data})
        for query in ({}, {"labelSelector": "app=x"}):
            assert len(api.request("GET", CONFIG_MAPS, query=query)["items"]) >= 16
        assert entries_of("forgotten-") >= 16
        api.reset()
        assert entries_of("forgotten-") == 0


def test_a_reset_and_a_compaction_return_freed_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []
    monkeypatch.setattr(
        freed_memory, "_malloc_trim", lambda: lambda _: threads.append(threading.current_thread())
    )
    with FakeAPI() as api, ControlClient(api.url) as client:
        client.post("/reset")
        client.post("/compaction")
    assert len(threads) == 2
    assert threading.main_thread() not in threads


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other allocators")
def test_freed_memory_is_returned_only_with_glibc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert freed_memory._malloc_trim.__wrapped__() is None
