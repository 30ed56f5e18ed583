"""Runs steps that may need a conversion webhook; the webhook is called between two runs of a step.

Reading, preparing and encoding an object are each one step on the event loop. A step that needs a custom
object converted by a webhook raises `ConversionNeeded`. Then the webhook is called and the step runs again;
so a step must not change its arguments.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol, TypeVar

from fakeapi.registry.offloading.heavy_steps import HeavySteps

Result = TypeVar("Result")


class ConversionNeeded(Exception):
    """A step cannot continue before `fetch` has converted an object by a webhook."""

    def __init__(self, fetch: "Fetch") -> None:
        super().__init__("an object has to be converted by a webhook")
        self.fetch = fetch


class Fetch(Protocol):
    """Converts an object by a webhook, and caches the result for the step."""

    async def __call__(self) -> None:
        """Calls the webhook. Raises ApiError 500."""
        ...


async def converted_heavy(heavy: HeavySteps, size: int, step: Callable[[], Result]) -> Result:
    """Runs a step over `size` bytes, in a thread if they are many, and returns its result.

    Calls the conversion webhooks that the step needs. Raises ApiError 500 if a conversion fails.
    """
    return await converted_by(partial(heavy.run, size, step))


async def converted_by(run: Callable[[], Awaitable[Result]]) -> Result:
    """Calls `run`, which runs a step, until all conversions that the step needs are done.

    Returns the result of the step. Raises ApiError 500 if a conversion fails.
    """
    while True:
        try:
            return await run()
        except ConversionNeeded as needed:
            await needed.fetch()


async def converted(step: Callable[[], Result]) -> Result:
    """Runs a step and returns its result; calls the conversion webhooks that the step needs.

    Raises ApiError 500 if a conversion fails.
    """
    while True:
        try:
            return step()
        except ConversionNeeded as needed:
            await needed.fetch()
