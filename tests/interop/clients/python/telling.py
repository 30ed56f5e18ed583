"""Provides the test programs of the Python clients with a ResourceClaim and a queue of its watch events."""

import queue
from collections.abc import Callable
from typing import Any

API_VERSION = "resource.k8s.io/v1"
NAME = "told"
NAMESPACE = "default"
FINALIZER = "example.com/story"
PATIENCE_SECONDS = 30
METADATA = {"name": NAME, "namespace": NAMESPACE, "finalizers": [FINALIZER]}
REQUEST = {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}
SPEC = {"devices": {"requests": [REQUEST]}}
CLAIM = {"apiVersion": API_VERSION, "kind": "ResourceClaim", "metadata": METADATA, "spec": SPEC}
APPLIED = {
    "apiVersion": API_VERSION,
    "kind": "ResourceClaim",
    "metadata": {"name": NAME, "labels": {"applied": "yes"}},
}


def chapter(name: str) -> None:
    print(name, flush=True)  # noqa: T201 - the test reads it


class Seen:
    """A queue of watch events. One thread adds events, and the main thread checks them.

    An item of the queue is the event type and the labels of the claim.
    """

    def __init__(self) -> None:
        self._events: queue.Queue[tuple[str, dict[str, str]]] = queue.Queue()

    def add(self, kind: str, labels: dict[str, str] | None) -> None:
        self._events.put((kind, labels or {}))

    def expect(self, kind: str, fits: Callable[[dict[str, str]], Any] = lambda labels: True) -> None:
        """Drops events from the queue until one has the type `kind` and `fits` accepts its labels.

        Raises queue.Empty if no event arrives for PATIENCE_SECONDS.
        """
        event: tuple[str, dict[str, str]] = ("", {})
        while event[0] != kind or not fits(event[1]):
            event = self._events.get(timeout=PATIENCE_SECONDS)
