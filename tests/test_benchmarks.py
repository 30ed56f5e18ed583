"""The client of the benchmarks keeps the order that a benchmark needs."""

import asyncio
from typing import Any

from benchmarks.load import drive, request


def test_a_request_waits_for_the_one_before_it_even_if_its_connection_is_held_up() -> None:
    seen: list[int] = []
    seen_before_the_first_was_answered: list[int] = []
    handlers: list[asyncio.Task[Any] | None] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handlers.append(asyncio.current_task())
        while head := await reader.read(1 << 16):
            number = int(head.split(b" ")[1][1:])
            seen.append(number)
            if number == 0:
                for _ in range(1000):
                    await asyncio.sleep(0)
                seen_before_the_first_was_answered.extend(seen)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    async def main() -> int:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            timing = await drive(port, lambda number: request("GET", f"/{number}"), 100, 3, after=10)
            await asyncio.gather(*filter(None, handlers))
        return len(timing.each)

    assert asyncio.run(main()) == 100
    assert sorted(seen) == [*range(100)]
    assert {*range(10)} <= {*seen_before_the_first_was_answered}
    assert not {*range(10, 100, 10)} & {*seen_before_the_first_was_answered}
