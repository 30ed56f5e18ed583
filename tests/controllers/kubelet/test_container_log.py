"""A container's log stores lines with times, drops the oldest lines and lets readers follow."""

import asyncio

from fakeapi.controllers.kubelet.containers.container_log import LINE_BYTES_MAX, LOG_BYTES_MAX, ContainerLog


def make_log() -> ContainerLog:
    return ContainerLog(lambda: 1.0)


def test_output_is_kept_in_lines_of_each_stream() -> None:
    log = make_log()
    log.write(b"a\nb")
    log.write(b"error\n", "stderr")
    log.write(b"c\n")
    assert [(line.stream, line.data) for line in log.lines] == [
        ("stdout", b"a\n"),
        ("stderr", b"error\n"),
        ("stdout", b"bc\n"),
    ]


def test_an_incomplete_last_line_is_kept_when_the_log_ends() -> None:
    log = make_log()
    log.write(b"a")
    assert (log.end, [line.data for line in log.lines]) == (0, [b"a"])
    log.close()
    assert (log.end, [line.data for line in log.lines]) == (1, [b"a"])


def test_a_long_line_is_split() -> None:
    log = make_log()
    log.write(b"x" * (2 * LINE_BYTES_MAX + 1) + b"\n")
    log.write(b"y" * (LINE_BYTES_MAX + 1))
    assert [len(line.data) for line in log.lines] == [LINE_BYTES_MAX, LINE_BYTES_MAX, 2, LINE_BYTES_MAX, 1]


def test_the_oldest_lines_of_a_long_log_are_dropped() -> None:
    log = make_log()
    lines = LOG_BYTES_MAX // 1024
    for number in range(lines + 10):
        log.write(b"%1023d\n" % number)
    kept = log.lines
    assert (len(kept), kept[0].data.strip()) == (lines, b"10")
    assert log.end == lines + 10


def test_a_reader_follows_a_log_until_it_ends() -> None:
    async def follow() -> list[bytes]:
        log = make_log()
        log.write(b"before\n")
        reader = asyncio.create_task(read(log))
        await asyncio.sleep(0)
        log.write(b"after\n")
        await asyncio.sleep(0)
        log.write(b"rest")
        log.close()
        return await reader

    async def read(log: ContainerLog) -> list[bytes]:
        return [line.data async for line in log.follow(0)]

    assert asyncio.run(follow()) == [b"before\n", b"after\n", b"rest"]
