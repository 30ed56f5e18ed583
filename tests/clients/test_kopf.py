"""A kopf operator works with the server: handlers, finalizers, status, events, peering."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI
from tests.clients.kopf_operator import PEERINGS, Operator, kopf_server
from tests.http.watching import watch
from tests.registry.custom.world import WIDGETS, widget

__all__ = ["kopf_server"]

EVENTS = "/api/v1/namespaces/default/events"


def until(server: FakeAPI, path: str, wanted: Callable[[Any], bool]) -> Any:
    """Watches a collection, including its existing objects; returns the first event that `wanted` accepts."""
    with watch(server.url, "resourceVersion=0", path=path) as stream:
        while not wanted(event := stream.next()):
            pass
    return event


@pytest.mark.timeout(120)
def test_an_operator_creates_updates_and_deletes(kopf_server: FakeAPI) -> None:
    with Operator(kopf_server) as operator:
        kopf_server.request("POST", WIDGETS, widget(spec={"size": 2}))
        operator.wait("create")
        made = until(kopf_server, WIDGETS, lambda event: "create" in event[1].get("status", {}))[1]
        assert (made["status"]["ready"], made["status"]["create"]) == (True, {"size": 2})
        assert made["metadata"]["finalizers"] == ["kopf.zalando.org/KopfFinalizerMarker"]
        until(kopf_server, EVENTS, lambda event: event[1]["reason"] == "Made")
        peering = kopf_server.request("GET", f"{PEERINGS}/default")
        assert len(peering["status"]) == 1, "the operator tells others that it is there"
        kopf_server.request(
            "PATCH", f"{WIDGETS}/w", {"spec": {"size": 5}}, content_type="application/merge-patch+json"
        )
        operator.wait("update 2 to 5")
        with watch(kopf_server.url, "resourceVersion=0", path=WIDGETS) as stream:
            kopf_server.request("DELETE", f"{WIDGETS}/w")
            operator.wait("delete")
            while stream.next()[0] != "DELETED":
                pass
