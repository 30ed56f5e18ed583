"""The server renders one long list at a time. It skips lists of clients that have disconnected."""

import asyncio

import pytest

from fakeapi.asgi import ClientGone, Gone
from fakeapi.http.turns import Turn


class Lists:
    """Fake long lists that wait for their turn, because only one is rendered at a time.

    `made`: the names of the lists that have had their turn.
    """

    def __init__(self) -> None:
        self.turn = Turn()
        self.made: list[str] = []

    def start(self, name: str, gone: Gone | None = None) -> "asyncio.Task[None]":
        return asyncio.create_task(self._make(name, gone))

    async def _make(self, name: str, gone: Gone | None) -> None:
        async with self.turn.held(gone):
            self.made.append(name)


def future() -> "asyncio.Future[None]":
    return asyncio.get_running_loop().create_future()


def test_lists_are_made_in_the_order_of_their_requests() -> None:
    async def run() -> None:
        lists = Lists()
        async with lists.turn.held(None):
            tasks = [lists.start(name) for name in "abc"]
            await asyncio.sleep(0)
            assert lists.made == []
        late = lists.start("d")
        await asyncio.gather(*tasks, late)
        assert lists.made == ["a", "b", "c", "d"]

    asyncio.run(run())


def test_a_list_whose_client_disconnects_while_it_waits_is_not_made() -> None:
    async def run() -> None:
        lists, left = Lists(), future()
        async with lists.turn.held(None):
            abandoned, next_list = lists.start("abandoned", lambda: left), lists.start("next")
            await asyncio.sleep(0)
            left.set_result(None)
            with pytest.raises(ClientGone):
                await abandoned
        await next_list
        assert lists.made == ["next"]

    asyncio.run(run())


@pytest.mark.parametrize("moment", ["before its turn", "at its turn"])
def test_a_cancelled_list_passes_its_turn_on(moment: str) -> None:
    async def run() -> None:
        lists = Lists()
        cancelled: asyncio.Task[None]
        async with lists.turn.held(None):
            cancelled, next_list = lists.start("cancelled"), lists.start("next")
            await asyncio.sleep(0)
            if moment == "before its turn":
                cancelled.cancel()
                await asyncio.sleep(0)
        cancelled.cancel()
        await asyncio.wait_for(next_list, 5)
        assert cancelled.cancelled()
        assert lists.made == ["next"]
        assert not lists.turn.is_held

    asyncio.run(run())
