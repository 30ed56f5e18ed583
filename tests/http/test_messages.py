"""Requests and responses over ASGI messages."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from fakeapi.http.messages import (
    BODY_MAX,
    WARNINGS_LENGTH_MAX,
    ClientGone,
    Request,
    Response,
    head,
    shortened,
)
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


def sent(response: Response, *, without_body: bool = False) -> list[Message]:
    messages: list[Message] = []

    async def send(message: Any) -> None:
        messages.append(message)

    asyncio.run(response.send(send, without_body=without_body))
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
    values = [value for name, value in head("x", ['a "b"', "c\\d", "e\r\nf", "é"]) if name == b"warning"]
    assert values == [rb'299 - "a \"b\""', rb'299 - "c\\d"', b'299 - "ef"', '299 - "é"'.encode()]


def test_warnings_that_are_too_long_together_are_cut_and_then_left_out() -> None:
    short = ["x" * 10] * 100
    assert shortened(short) == short
    assert shortened(["x" * WARNINGS_LENGTH_MAX]) == ["x" * WARNINGS_LENGTH_MAX]
    assert shortened(["x" * (WARNINGS_LENGTH_MAX + 1)]) == ["x" * 256]
    assert shortened(["x" * 1000] * 100) == ["x" * 256] * 16
