"""The benchmarks send requests in the right order, write tables into documents, and plot growth."""

import asyncio
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from benchmarks import against, capacity, tables
from benchmarks.capacity import Costs, Load, Machines
from benchmarks.definitions import definition
from benchmarks.load import drive, request
from benchmarks.plots import Series, svg
from benchmarks.verbs import in_turn
from fakeapi import FakeAPI

ROOT = Path(__file__).parents[1]

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


def test_tables_take_the_place_of_those_between_the_markers_and_of_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- bench -->\n\nold\n\n<!-- /bench -->\nafter\n", encoding="utf-8")
    tables.take()
    tables.heading("Requests", "p50", "goal", "")
    tables.row("get", "0.20 ms", *tables.at_most(0.2, 0.2, "ms"))
    tables.row("create", "0.90 ms", *tables.at_most(0.9, 0.5, "ms"))
    tables.row("rate", "9", *tables.at_least(9, 10, "per s"))
    tables.write_between(page, "bench", tables.take())
    text = page.read_text(encoding="utf-8")
    assert text.startswith(
        "before\n<!-- bench -->\n\n### Requests\n\n|  | p50 | goal |  |\n| --- | ---: | ---: | ---: |\n"
    )
    assert "| get | 0.20 ms | ≤ 0.2 ms | reached |\n| create | 0.90 ms | ≤ 0.5 ms | **missed** |\n" in text
    assert text.endswith("| rate | 9 | ≥ 10 per s | **missed** |\n\n<!-- /bench -->\nafter\n")
    assert tables.take() == []


def test_a_page_without_markers_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- bench -->\nnever closed\n", encoding="utf-8")
    with pytest.raises(ValueError, match="<!-- /bench -->"):
        tables.write_between(page, "bench", ["new"])
    assert page.read_text(encoding="utf-8") == "<!-- bench -->\nnever closed\n"


def test_the_documents_have_the_markers_that_tables_are_written_between() -> None:
    for name in ("docs/performance.md", "docs/scale.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert 0 <= text.find("<!-- bench -->\n") < text.find("<!-- /bench -->"), name


def test_servers_are_asked_in_turn_and_get_each_number_once() -> None:
    seen: list[tuple[int, int]] = []
    handlers: list[asyncio.Task[Any] | None] = []

    async def main() -> None:
        def serve(which: int) -> Any:
            async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                handlers.append(asyncio.current_task())
                while head := await reader.read(1 << 16):
                    seen.append((which, int(head.split(b" ")[1][1:])))
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                writer.close()
                await writer.wait_closed()

            return answer

        servers = [await asyncio.start_server(serve(which), "127.0.0.1", 0) for which in (0, 1)]
        ports = [server.sockets[0].getsockname()[1] for server in servers]
        found = await in_turn(ports, lambda number: request("GET", f"/{number}"), 20, rounds=4)
        await asyncio.gather(*filter(None, handlers))
        for server in servers:
            server.close()
        assert [len(each.rates) for each in found] == [len(each.p50s) for each in found] == [4, 4]
        assert [len(each.each) for each in found] == [20, 20]

    asyncio.run(main())
    for which in (0, 1):
        assert sorted(number for server, number in seen if server == which) == [*range(40)]
    turns = [server for server, _ in seen]
    assert sum(one != other for one, other in pairwise(turns)) >= 4


COSTS = Costs(
    create=500e-6, get=200e-6, follow=60e-6, event=10e-6, database_create=150e-6, database_get=20e-6,
    database_follow=30e-6, event_bytes=1_400, log_bytes=1_800,
)  # fmt: skip
SMALL = {"create": 1e-6, "get": 1e-6, "follow": 1e-6, "event": 1e-8}


@pytest.mark.parametrize(
    ("costs", "machines", "load", "full"),
    [
        ({}, {}, Load(), "each server's processor"),
        (SMALL, {}, Load(reads=0), "the lock of the state"),
        (SMALL, {"database_processors": 1}, Load(), "PostgreSQL's processors"),
        (SMALL, {}, Load(watchers=10_000, reads=0), "each server's network"),
        (SMALL, {"disk": 1_000}, Load(), "PostgreSQL's disk"),
    ],
)
def test_the_resource_that_is_full_first_is_named(
    costs: dict[str, float], machines: dict[str, Any], load: Load, full: str
) -> None:
    result = capacity.capacity(replace(COSTS, **costs), Machines(**machines), load, 3)
    assert result.full == full
    used = capacity.use_of_a_write(replace(COSTS, **costs), Machines(**machines), load, 3)
    assert max(used.values()) * result.writes == pytest.approx(1)


@pytest.mark.parametrize("servers", [1, 2, 5])
@pytest.mark.parametrize(
    ("costs", "load"),
    [
        (COSTS, Load()),
        (COSTS, Load(watchers=100, reads=0)),
        (replace(COSTS, **SMALL), Load(reads=0)),
    ],
    ids=["processors", "watchers", "lock"],
)
def test_the_simulation_agrees_with_the_law(costs: Costs, load: Load, servers: int) -> None:
    machines = Machines(commit=0.0001)
    played = capacity.simulated(costs, machines, load, servers, clients=200, seconds=3)
    law = capacity.capacity(costs, machines, load, servers)
    assert 0.9 * law.writes < played.writes < 1.05 * law.writes
    busy = played.lock_busy if law.full == "the lock of the state" else played.server_busy
    assert busy > 0.95


@pytest.mark.parametrize("writes", [10, 100])
def test_so_many_watchers_fill_a_server_and_no_more(writes: int) -> None:
    watchers = capacity.watchers_at(COSTS, Machines(), Load(), 3, writes)
    assert capacity.capacity(COSTS, Machines(), Load(watchers), 3).writes == pytest.approx(writes, rel=0.01)
    assert capacity.watchers_at(COSTS, Machines(), Load(), 1, 10_000) == 0


def test_two_checkouts_are_measured_in_turn_and_the_lowest_figures_are_compared() -> None:
    measured: list[str] = []
    figures = {"before": iter([9.0, 2.0, 4.0]), "now": iter([9.0, 3.0, 1.0])}

    def seconds(tree: Path) -> float:
        measured.append(tree.name)
        return next(figures[tree.name])

    assert against.lowest_in_turn(seconds, (Path("before"), Path("now")), 2) == (2.0, 1.0)
    assert measured == ["before", "now", "now", "before", "before", "now"]


def test_a_difference_within_the_noise_is_no_verdict() -> None:
    assert [against.verdict(ratio) for ratio in (0.9, 1.02, 1.2)] == ["less", "", "**more**"]


def test_a_commit_that_git_does_not_know_is_refused_in_one_line() -> None:
    with pytest.raises(against.UnknownRevision, match=r"git cannot read 'no-such-commit': .+") as refused:
        against.bench_against("no-such-commit", against.PARTS, quick=True)
    assert "\n" not in str(refused.value)


def test_the_definition_of_the_benchmark_is_installed_and_serves_its_kind() -> None:
    large = definition("First")
    assert 280_000 < len(json.dumps(large)) < 380_000
    with FakeAPI(release="1.34") as api:
        api.create(large)
        new = {"apiVersion": "bench.example.com/v1", "kind": "First", "metadata": {"name": "a"}}
        created = api.create({**new, "spec": {"group0": [{"field1": "y", "inner": {}}]}})
    assert created["spec"]["group0"] == [{"field1": "y", "mode": "A", "inner": {"mode": "A"}}]
