"""The server writes complete and streamed responses as ASGI messages."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest

from fakeapi.asgi import ClientStalled
from fakeapi.http.response import (
    WARNINGS_LENGTH_MAX,
    LazyResponse,
    Response,
    StreamingResponse,
    head,
    shortened,
)

Message = dict[str, Any]
ID = b"b7a2f4b2-6a36-4d4a-8a35-0d1b4b1c2d3e"


async def never() -> Message:
    await asyncio.Event().wait()
    raise AssertionError


def sent(response: Response | StreamingResponse, *, without_body: bool = False) -> list[Message]:
    messages: list[Message] = []

    async def send(message: Any) -> None:
        messages.append(message)

    asyncio.run(response.send(ID, never, send, without_body=without_body))
    return messages


def test_a_response_has_its_length_and_its_own_headers_once() -> None:
    own = [(b"content-type", b"text/x"), (b"retry-after", b"1")]
    start, body = sent(Response(201, b"12345", headers=own))
    headers = start["headers"]
    assert start["status"] == 201
    assert (b"content-length", b"5") in headers
    assert [value for name, value in headers if name == b"content-type"] == [b"text/x"]
    assert (b"retry-after", b"1") in headers
    assert body["body"] == b"12345"


def test_an_answer_to_head_has_the_length_of_what_it_leaves_out() -> None:
    start, body = sent(Response(200, b"12345"), without_body=True)
    assert (b"content-length", b"5") in start["headers"]
    assert body["body"] == b""


def test_warnings_are_quoted_and_in_order() -> None:
    values = [value for name, value in head(ID, "x", ['a "b"', "c\\d", "e\r\nf", "é"]) if name == b"warning"]
    assert values == [rb'299 - "a \"b\""', rb'299 - "c\\d"', b'299 - "ef"', '299 - "é"'.encode()]


def test_warnings_that_are_too_long_together_are_cut_and_then_left_out() -> None:
    short = ["x" * 10] * 100
    assert shortened(short) == short
    assert shortened(["x" * WARNINGS_LENGTH_MAX]) == ["x" * WARNINGS_LENGTH_MAX]
    assert shortened(["x" * (WARNINGS_LENGTH_MAX + 1)]) == ["x" * 256]
    assert shortened(["x" * 1000] * 100) == ["x" * 256] * 16


def stream(*batches: list[bytes]) -> tuple[StreamingResponse, list[str]]:
    """Returns a response that streams these batches and then waits forever, and an empty list.

    When the response is closed, the response appends "closed" to the list.
    """
    closed: list[str] = []

    async def frames() -> AsyncGenerator[list[bytes], None]:
        for batch in batches:
            yield batch
        await asyncio.Event().wait()

    return StreamingResponse(frames(), lambda: closed.append("closed")), closed


def test_a_stream_goes_on_until_it_is_ended_and_then_ends_its_body() -> None:
    response, closed = stream([b"a", b"b"], [], [b"c"])
    messages: list[Message] = []

    async def send(message: Any) -> None:
        messages.append(message)
        if message.get("body") == b"c":
            response.end()

    asyncio.run(response.send(ID, never, send))
    assert messages[0]["status"] == 200
    assert [message["body"] for message in messages[1:]] == [b"ab", b"c", b""]
    assert [message.get("more_body", False) for message in messages[1:]] == [True, True, False]
    assert closed == ["closed"]


def test_a_stream_whose_client_leaves_is_closed_and_sends_no_end() -> None:
    response, closed = stream([b"a"])
    left = asyncio.Event()
    messages: list[Message] = []

    async def receive() -> Message:
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        messages.append(message)
        if message.get("body") == b"a":
            left.set()

    asyncio.run(response.send(ID, receive, send))
    assert [message.get("body") for message in messages] == [None, b"a"]
    assert closed == ["closed"]


def test_a_stream_that_was_ended_before_it_began_sends_no_frames() -> None:
    response, closed = stream([b"a"])
    response.end()
    start, end = sent(response)
    assert (start["status"], end["body"]) == (200, b"")
    assert closed == ["closed"]


def test_an_error_of_the_frames_reaches_whoever_sends_the_stream() -> None:
    async def frames() -> AsyncGenerator[list[bytes], None]:
        yield [b"a"]
        raise RuntimeError("as asked")

    closed: list[str] = []
    with pytest.raises(RuntimeError, match="as asked"):
        sent(StreamingResponse(frames(), lambda: closed.append("closed")))
    assert closed == ["closed"]


def test_many_small_frames_go_out_together_and_large_ones_by_themselves() -> None:
    async def frames() -> AsyncGenerator[list[bytes], None]:
        yield [b"x" * 200_000, b"y" * 200_000, b"z"]

    bodies = [message["body"] for message in sent(StreamingResponse(frames(), lambda: None))[1:]]
    assert [len(body) for body in bodies] == [400_000, 1, 0]


def test_a_list_is_not_made_any_further_than_the_client_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.http.response.UNREAD_SECONDS", 0.01)
    made: list[int] = []

    def pieces() -> Iterator[bytes]:
        for number in range(10):
            made.append(number)
            yield bytes(1 << 20)

    async def send(message: Any) -> None:
        if made == [0, 1, 2]:
            await asyncio.Event().wait()

    response = LazyResponse(200, b"", pieces=pieces())
    with pytest.raises(ClientStalled):
        asyncio.run(response.send(ID, never, send))
    assert made == [0, 1, 2]


def test_a_list_that_is_made_while_it_is_read_declares_no_length() -> None:
    start, *parts = sent(LazyResponse(200, b"a", pieces=(b"b", bytes(1 << 20), b"c")))
    assert b"content-length" not in dict(start["headers"])
    assert b"".join(part["body"] for part in parts) == b"ab" + bytes(1 << 20) + b"c"
