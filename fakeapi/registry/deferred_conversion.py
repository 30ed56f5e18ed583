"""Steps that may need an object converted by somebody else, who is asked between two tries of the step.

What reads, prepares or encodes an object is one step of the event loop. Where a custom object has to be
converted by a webhook, the step raises `ConversionNeeded`, the webhook is asked, and the step runs again; so
it must change nothing that it is given.
"""

from collections.abc import Callable
from typing import Protocol, TypeVar

Result = TypeVar("Result")


class ConversionNeeded(Exception):
    """A step that cannot go on before an object is converted."""

    def __init__(self, fetch: "Fetch") -> None:
        super().__init__("an object has to be converted by a webhook")
        self.fetch = fetch


class Fetch(Protocol):
    """Has an object converted; the result is kept for the step."""

    async def __call__(self) -> None:
        """Raises ApiError 500."""
        ...


async def converted(step: Callable[[], Result]) -> Result:
    """The result of a step, or its error. Raises ApiError 500 where an object could not be converted."""
    while True:
        try:
            return step()
        except ConversionNeeded as needed:
            await needed.fetch()
