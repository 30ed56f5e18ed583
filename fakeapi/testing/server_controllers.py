"""ServerControllers: the controllers of a server, from its options or started later."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fakeapi.cluster import Attachment
from fakeapi.controllers.names import ALL, chosen

if TYPE_CHECKING:
    from fakeapi.controllers.controller_runner import ControllerRunner


class ServerControllers(Attachment):
    """The controllers of a server. A reset stops controllers that the options do not name."""

    def __init__(self, make: "Callable[[list[str]], ControllerRunner]", names: list[str]) -> None:
        """Creates the runner for the controllers of the options, without starting it.

        - `make`: creates a runner for controllers, from their names.
        - `names`: the controllers of the options; [] for none.
        """
        self._make = make
        self._names = names
        self.runner: ControllerRunner | None = make(names) if names else None
        """The runner of the controllers; None if the server runs none."""

    @property
    def started_later(self) -> bool:
        """Whether the server runs controllers that the options do not name."""
        return self.runner is not None and not self._names

    async def start_all(self) -> None:
        """Starts all controllers of a running server without controllers."""
        if self.runner is None:
            self.runner = self._make(chosen(ALL))
            await self.runner.start()

    async def stop_later(self) -> None:
        """Stops the controllers that were started later. A reset or restore does not start them again."""
        if self.started_later and self.runner is not None:
            runner, self.runner = self.runner, None
            await runner.stop()

    async def start(self) -> None:
        if self.runner is not None:
            await self.runner.start()

    async def stop(self) -> None:
        if self.runner is not None:
            await self.runner.stop()

    async def before_replacement(self) -> None:
        if self.runner is not None:
            await self.runner.before_replacement()

    async def after_replacement(self, *, empty: bool) -> None:
        if empty and not self._names:
            self.runner = None
        if self.runner is not None:
            await self.runner.after_replacement(empty=empty)
