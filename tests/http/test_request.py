"""The server reads HTTP requests from ASGI messages."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from fakeapi.asgi import ClientGone
from fakeapi.http.request import BODY_MAX, Request
from fakeapi.machinery.errors import ApiError

Message = dict[str, Any]


def request(messages: Sequence[Message], headers: Sequence[tuple[bytes, bytes]] = ()) -> Request:
    waiting = list(messages)

    async def receive() -> Message:
        return waiting.pop(0)

    scope = {
        "method": "POST",
        "path": "/p",
        "raw_path": b"/p",
        "query_string": b"a=b",
        "headers": list(headers),
    }
    return Request.of(scope, receive)


def part(body: bytes, *, more: bool = False) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


GONE = {"type": "http.disconnect"}


def test_a_body_is_all_its_parts() -> None:
    assert asyncio.run(request([part(b"ab", more=True), part(b"", more=True), part(b"c")]).body()) == b"abc"
    assert asyncio.run(request([part(b"")]).body()) == b""


def test_a_body_of_the_limit_is_taken_and_one_byte_more_is_413_after_all_was_read() -> None:
    assert len(asyncio.run(request([part(b"x" * BODY_MAX)]).body())) == BODY_MAX
    asked = request([part(b"x" * BODY_MAX, more=True), part(b"x", more=True), part(b"y" * 9)])
    with pytest.raises(ApiError) as refused:
        asyncio.run(asked.body())
    assert refused.value.code == 413
    assert asked.drained


def test_a_client_that_leaves_in_the_middle_of_a_body_has_sent_none() -> None:
    with pytest.raises(ClientGone):
        asyncio.run(request([part(b"ab", more=True), GONE]).body())
    with pytest.raises(ClientGone):
        asyncio.run(request([part(b"ab", more=True), GONE]).drain())


def test_draining_reads_what_is_left_and_no_further() -> None:
    asked = request([part(b"a", more=True), part(b"b")])
    asyncio.run(asked.drain())
    asyncio.run(asked.drain())
    assert asked.drained


def test_of_repeated_headers_the_first_counts() -> None:
    asked = request([], [(b"accept", b"first"), (b"accept", b"second"), (b"user-agent", b"a\xff")])
    assert asked.header(b"accept") == "first"
    assert asked.header(b"missing") == ""
    assert asked.user_agent == "a�"


def test_a_server_that_gives_no_raw_path_is_served_too() -> None:
    scope = {"method": "GET", "path": "/a b", "query_string": b"", "headers": []}
    assert Request.of(scope, receive=None).raw_path == b"/a%20b"  # type: ignore[arg-type] # nothing is read
