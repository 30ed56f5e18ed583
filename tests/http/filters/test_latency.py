"""The option `latency` delays every request, unless the clock is frozen."""

import asyncio
from typing import Any

import pytest

from fakeapi.clock.adjustable import AdjustableClock
from fakeapi.http.filters.latency import Latency
from fakeapi.testing.server import FakeAPI

FOR_EVER = 3600.0


def is_delayed(clock: AdjustableClock) -> bool:
    """Whether a request with an hour of latency is still waiting after other asyncio tasks have run."""

    async def answer(ctx: Any) -> Any:
        return ctx

    async def ask() -> bool:
        request = asyncio.ensure_future(Latency(FOR_EVER, clock)(None, answer))  # type: ignore[arg-type] # unread
        for _ in range(10):
            await asyncio.sleep(0)
        return not request.done() and request.cancel()

    return asyncio.run(ask())


def test_a_request_waits_for_the_latency() -> None:
    assert is_delayed(AdjustableClock())


def test_a_request_does_not_wait_while_the_clock_is_frozen() -> None:
    assert not is_delayed(AdjustableClock(frozen_at=1_800_000_000.0))


def test_a_server_with_a_latency_delays_the_requests_of_its_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    delays: list[float] = []

    async def note(self: Latency, ctx: Any, proceed: Any) -> Any:
        delays.append(self._seconds)
        return await proceed(ctx)

    monkeypatch.setattr(Latency, "__call__", note)
    with FakeAPI(latency=0.01) as api:
        api.list("Namespace")
    assert delays
    assert set(delays) == {0.01}
