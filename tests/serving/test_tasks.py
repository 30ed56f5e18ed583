"""The queue of body pieces between the HTTP server and the application is limited for each request."""

import asyncio
from typing import Any

import pytest

from fakeapi.serving.tasks import UNREAD_BYTES, RequestEvents


def piece(body: bytes, *, more: bool = True) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


def test_pieces_that_wait_are_received_as_one() -> None:
    async def scenario() -> None:
        events = RequestEvents()
        for _ in range(1_000):
            await events.put(piece(b"x"))
        await events.put(piece(b"", more=False))
        assert await events.receive() == piece(b"x" * 1_000, more=False)

    asyncio.run(scenario())


def test_an_empty_body_is_received_once() -> None:
    async def scenario() -> None:
        events = RequestEvents()
        await events.put(piece(b"", more=False))
        await events.put({"type": "http.disconnect"})
        assert await events.receive() == piece(b"", more=False)
        assert await events.receive() == {"type": "http.disconnect"}

    asyncio.run(scenario())


def test_a_disconnect_comes_after_the_body_and_again_and_again() -> None:
    async def scenario() -> None:
        events = RequestEvents()
        await events.put(piece(b"half"))
        await events.put({"type": "http.disconnect"})
        assert await events.receive() == piece(b"half")
        assert [await events.receive() for _ in range(3)] == [{"type": "http.disconnect"}] * 3

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "event", [piece(bytes(UNREAD_BYTES)), {"type": "websocket.receive", "bytes": bytes(UNREAD_BYTES)}]
)
def test_whoever_adds_too_much_waits_until_it_is_received(event: dict[str, Any]) -> None:
    async def scenario() -> None:
        events = RequestEvents()
        await events.put(dict(event))
        adding = asyncio.create_task(events.put(dict(event)))
        await asyncio.sleep(0)
        assert not adding.done()
        await events.receive()
        await adding

    asyncio.run(scenario())


def test_the_end_of_the_application_lets_go_of_whoever_waits_to_add() -> None:
    async def scenario() -> None:
        counted: list[int] = []
        events = RequestEvents(counted.append)
        adding = asyncio.create_task(events.put(piece(bytes(UNREAD_BYTES + 1))))
        await asyncio.sleep(0)
        events.close()
        await adding
        await events.put(piece(b"late"))
        assert counted == [UNREAD_BYTES + 1, 4]

    asyncio.run(scenario())


def test_bytes_are_counted_when_they_are_received() -> None:
    async def scenario() -> None:
        counted: list[int] = []
        events = RequestEvents(counted.append)
        await events.put(piece(b"abc"))
        assert counted == []
        await events.receive()
        assert counted == [3]

    asyncio.run(scenario())
