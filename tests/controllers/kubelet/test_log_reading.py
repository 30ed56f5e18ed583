"""The log of a container is read with the options of `kubectl logs`."""

import asyncio

import pytest

from fakeapi.controllers.kubelet.containers.container_log import ContainerLog
from fakeapi.controllers.kubelet.containers.log_reading import read_log
from fakeapi.registry.node_connections import LogOptions


def make_log(output: bytes) -> ContainerLog:
    log = ContainerLog(lambda: 1.0)
    log.write(output)
    return log


async def read(log: ContainerLog, options: LogOptions) -> list[bytes]:
    return [line async for lines in read_log(log, options) for line in lines]


@pytest.mark.parametrize(("tail", "lines"), [(0, b""), (1, b"c\n"), (3, b"a\nb\nc\n"), (5, b"a\nb\nc\n")])
def test_tail_counts_lines_from_the_end(tail: int, lines: bytes) -> None:
    assert b"".join(asyncio.run(read(make_log(b"a\nb\nc\n"), LogOptions(tail=tail)))) == lines


@pytest.mark.parametrize(
    ("limit", "lines"), [(1, [b"a"]), (2, [b"a\n"]), (3, [b"a\n", b"b"]), (9, [b"a\n", b"b\n"])]
)
def test_a_limit_cuts_the_last_line(limit: int, lines: list[bytes]) -> None:
    assert asyncio.run(read(make_log(b"a\nb\n"), LogOptions(limit=limit))) == lines


def test_a_followed_log_ends_when_its_limit_is_reached() -> None:
    async def follow() -> list[bytes]:
        return await asyncio.wait_for(read(make_log(b"a\nb\n"), LogOptions(follow=True, limit=3)), 10)

    assert asyncio.run(follow()) == [b"a\n", b"b"]


def test_a_followed_log_has_an_incomplete_line_once() -> None:
    async def follow() -> list[bytes]:
        log = make_log(b"a\nb")
        reader = asyncio.create_task(read(log, LogOptions(follow=True)))
        await asyncio.sleep(0)
        log.write(b"c\n")
        log.close()
        return await reader

    assert asyncio.run(follow()) == [b"a\n", b"bc\n"]


def test_a_log_ends_with_an_incomplete_line() -> None:
    assert asyncio.run(read(make_log(b"a\nb"), LogOptions())) == [b"a\n", b"b"]
