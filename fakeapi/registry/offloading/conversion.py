"""Runs steps that may need a conversion webhook, and calls the webhook between two runs of a step.

Reading, preparing and encoding an object are each one step on the event loop. A step raises
`ConversionNeeded` if a webhook must convert a custom object. The webhook is then called and the step runs
again. A step must not change its arguments.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol, TypeVar

from fakeapi.registry.offloading.heavy_steps import HeavySteps

Result = TypeVar("Result")


class ConversionNeeded(Exception):
    """Raised by a step that needs an object which a webhook must convert first. `fetch` calls the webhook."""

    def __init__(self, fetch: "Fetch") -> None:
        super().__init__("an object has to be converted by a webhook")
        self.fetch = fetch


class Fetch(Protocol):
    """A function that converts an object by a webhook, and caches the result for the step."""

    async def __call__(self) -> None:
        """Calls the webhook. Raises ApiError 500 if the conversion fails."""
        ...


async def converted_heavy(heavy: HeavySteps, size: int, step: Callable[[], Result]) -> Result:
    """Runs a step over `size` bytes and returns its result; a long step runs in a thread.

    Calls the conversion webhooks that the step needs. Raises ApiError 500 if a conversion fails.
    """
    return await converted_by(partial(heavy.run, size, step))


async def converted_by(run: Callable[[], Awaitable[Result]]) -> Result:
    """Calls `run`, which runs a step, until the step needs no more conversions. Returns its result.

    Raises ApiError 500 if a conversion fails.
    """
    while True:
        try:
            return await run()
        except ConversionNeeded as needed:
            await needed.fetch()


async def converted(step: Callable[[], Result]) -> Result:
    """Runs a step, calls the conversion webhooks that it needs, and returns its result.

    Raises ApiError 500 if a conversion fails.
    """
    while True:
        try:
            return step()
        except ConversionNeeded as needed:
            await needed.fetch()
