"""Steps that may need an object converted by a webhook, which is called between two runs of the step.

Reading, preparing and encoding an object are each one step on the event loop. If it needs a custom object
converted by a webhook, the step raises `ConversionNeeded`, the webhook is called, and the step runs again; so
it must not change its arguments.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol, TypeVar

from fakeapi.registry.offloading.heavy_steps import HeavySteps

Result = TypeVar("Result")


class ConversionNeeded(Exception):
    """The step cannot go on before an object has been converted."""

    def __init__(self, fetch: "Fetch") -> None:
        super().__init__("an object has to be converted by a webhook")
        self.fetch = fetch


class Fetch(Protocol):
    """Converts an object by a webhook, and caches the result for the step."""

    async def __call__(self) -> None:
        """Raises ApiError 500."""
        ...


async def converted_beside(heavy: HeavySteps, size: int, step: Callable[[], Result]) -> Result:
    """The result of a step over so many bytes, which runs in a thread where they are many.

    Raises ApiError 500 if a conversion fails.
    """
    return await converted_by(partial(heavy.run, size, step))


async def converted_by(run: Callable[[], Awaitable[Result]]) -> Result:
    """The result of a step that `run` runs, after the conversions it needs.

    Raises ApiError 500 if a conversion fails.
    """
    while True:
        try:
            return await run()
        except ConversionNeeded as needed:
            await needed.fetch()


async def converted(step: Callable[[], Result]) -> Result:
    """The result of a step, after the conversions it needs. Raises ApiError 500 if one fails."""
    while True:
        try:
            return step()
        except ConversionNeeded as needed:
            await needed.fetch()
