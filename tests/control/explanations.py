"""Explanations that take as long as a test wants, for tests of the requests for explanations."""

import asyncio
from queue import Queue
from typing import Any

import pytest

WAIT_SECONDS = 30.0
"""Maximum seconds to wait for the start or the end of an explanation, even on a busy machine."""


class EndlessExplanations:
    """Replaces the explanations of a server by computations that end only when their client disconnects.

    - `started` and `ended`: the names of the objects whose explanations have started and ended.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.started: Queue[str] = Queue()
        self.ended: Queue[str] = Queue()
        monkeypatch.setattr("fakeapi.explaining.running_server.explain_running", self._explain)

    async def _explain(self, cluster: Any, controllers: Any, resource: str, namespace: str, name: str) -> Any:
        self.started.put(name)
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.put(name)
