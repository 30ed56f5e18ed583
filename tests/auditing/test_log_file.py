"""The lines of the audit log are complete and in order, whatever the file does."""

import asyncio
import logging
import os
import stat
import threading
import time
from pathlib import Path

import pytest

from fakeapi.auditing import log_file
from fakeapi.auditing.log_file import BATCH_BYTES, BATCHES_MAX, LogFile


async def append(file: LogFile, *lines: bytes) -> None:
    file.open()
    for line in lines:
        file.write(line)
    file.close()


@pytest.mark.parametrize("size", [10, 200_000])
def test_no_line_is_lost_when_the_file_is_closed(tmp_path: Path, size: int) -> None:
    lines = [b"%06d" % number + b"x" * size + b"\n" for number in range(50)]
    asyncio.run(append(LogFile(tmp_path / "log"), *lines))
    assert (tmp_path / "log").read_bytes() == b"".join(lines)


def test_a_line_is_written_soon_without_another_one(tmp_path: Path) -> None:
    async def write() -> None:
        file = LogFile(tmp_path / "log")
        file.open()
        file.write(b"a\n")
        async with asyncio.timeout(10):
            while not (tmp_path / "log").read_bytes():  # noqa: ASYNC110 - files do not notify
                await asyncio.sleep(0)
        file.close()

    asyncio.run(write())


def test_only_its_owner_can_read_the_file_and_its_new_directory(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        asyncio.run(append(LogFile(tmp_path / "new" / "log"), b"a\n"))
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new", tmp_path / "new" / "log")]
    assert modes == [0o700, 0o600]


def test_a_second_server_appends_to_the_file(tmp_path: Path) -> None:
    for line in (b"a\n", b"b\n"):
        asyncio.run(append(LogFile(tmp_path / "log"), line))
    assert (tmp_path / "log").read_bytes() == b"a\nb\n"


def test_a_dash_is_the_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    asyncio.run(append(LogFile("-"), b"a\n", b"b\n"))
    assert capfd.readouterr().out == "a\nb\n"


def test_lines_after_the_end_are_dropped(tmp_path: Path) -> None:
    async def write() -> None:
        file = LogFile(tmp_path / "log")
        await append(file, b"a\n")
        file.write(b"b\n")
        file.close()

    asyncio.run(write())
    assert (tmp_path / "log").read_bytes() == b"a\n"


def test_a_full_disk_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    lines = [b"a" * BATCH_BYTES + b"\n"] * 3
    with caplog.at_level(logging.ERROR, "fakeapi"):
        asyncio.run(append(LogFile("/dev/full"), *lines))
    assert caplog.messages == ["cannot write the audit log /dev/full: No space left on device"]


def test_requests_wait_for_a_file_that_is_too_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    resumed = threading.Event()
    write_whole = LogFile._write_whole

    def wait_and_write(file: LogFile, batch: bytes) -> None:
        resumed.wait(30)
        write_whole(file, batch)

    monkeypatch.setattr(LogFile, "_write_whole", wait_and_write)
    monkeypatch.setattr(log_file, "BATCH_BYTES", 1)
    file, written = LogFile(tmp_path / "log"), 0

    async def write() -> None:
        nonlocal written
        file.open()
        for _ in range(BATCHES_MAX + 2):
            file.write(b"a\n")
            written += 1
        file.close()

    thread = threading.Thread(target=lambda: asyncio.run(write()))
    thread.start()
    while not file._batches.full():
        time.sleep(0)
    assert written <= BATCHES_MAX + 1
    resumed.set()
    thread.join(30)
    assert (tmp_path / "log").read_bytes() == b"a\n" * (BATCHES_MAX + 2)


def test_a_stopping_server_gives_up_a_file_that_accepts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ended = threading.Event()
    monkeypatch.setattr(log_file, "CLOSE_SECONDS", 0.05)
    monkeypatch.setattr(LogFile, "_write_whole", lambda file, batch: ended.wait(30))
    with caplog.at_level(logging.ERROR, "fakeapi"):
        asyncio.run(append(LogFile(tmp_path / "log"), b"a\n"))
    ended.set()
    assert "the last lines of the audit log" in caplog.text
