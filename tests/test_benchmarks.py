"""The client of the benchmarks keeps the order that a benchmark needs, and growth is drawn as measured."""

import asyncio
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from benchmarks.load import drive, request
from benchmarks.plots import Series, svg

SVG = "{http://www.w3.org/2000/svg}"


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


def test_growth_is_drawn_with_a_panel_for_each_row_and_a_point_for_each_size() -> None:
    rows = [
        Series("get", "ms", {1_000: 0.2, 10_000: 0.2, 100_000: 0.25}),
        Series("full list & more", "ms", {1_000: 2.0, 10_000: 20.0, 100_000: 200.0}),
        Series("one size", "KB", {1_000: 0.0}),
    ]
    root = ET.fromstring(svg(rows))
    points = [(float(each.get("cx", "")), float(each.get("cy", ""))) for each in root.iter(f"{SVG}circle")]
    assert len(points) == 7
    texts = [each.text for each in root.iter(f"{SVG}text")]
    assert {"get, ms", "full list & more, ms", "100,000", "200", "0.25"} <= {*texts}
    (first, middle, last) = points[3:6]
    assert first[1] - middle[1] == pytest.approx(middle[1] - last[1], abs=0.2), "a straight line"
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    assert all(0 < across < width and 0 < down < height for across, down in points)
