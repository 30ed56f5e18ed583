"""Latency: delays every request, like a slower server.

On kube-apiserver, whose requests take longer, racing clients see other interleavings than on a fast server.
"""

import asyncio

from fakeapi.clock.clocks import Clock, runs_by_itself
from fakeapi.http.context import RequestContext
from fakeapi.http.pipeline import Handler
from fakeapi.http.response import AnyResponse


class Latency:
    """Delays each request by `seconds` of the machine's time, unless the clock is frozen."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        self._seconds = seconds
        self._clock = clock

    async def __call__(self, ctx: RequestContext, proceed: Handler) -> AnyResponse:
        if runs_by_itself(self._clock):
            await asyncio.sleep(self._seconds)
        return await proceed(ctx)
