"""Latency: delays every request, to imitate a slower server.

Requests to kube-apiserver take longer than requests to fakeapi. With the delay, tests can find race
conditions that only occur with a slower server.
"""

import asyncio

from fakeapi.clock.clocks import Clock, runs_by_itself
from fakeapi.http.context import RequestContext
from fakeapi.http.pipeline import Handler
from fakeapi.http.response import AnyResponse


class Latency:
    """Delays each request by a number of seconds of real time. A frozen clock switches the delay off."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        self._seconds = seconds
        self._clock = clock

    async def __call__(self, ctx: RequestContext, proceed: Handler) -> AnyResponse:
        if runs_by_itself(self._clock):
            await asyncio.sleep(self._seconds)
        return await proceed(ctx)
