"""Clocks, timers and generated names are random, or repeatable with a seed."""

import asyncio
import re
import threading
import time

import pytest

from fakeapi.clock.adjustable import AdjustableClock
from fakeapi.clock.clocks import Clock, SeededClockAndNames, SystemClock, SystemClockAndNames

UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
SUFFIX = re.compile("[bcdfghjklmnpqrstvwxz2456789]{5}")


def test_uids_are_version_4_uuids_and_differ() -> None:
    for source in (SystemClockAndNames(), SeededClockAndNames(1)):
        uids = [source.uid() for _ in range(200)]
        assert all(UUID4.fullmatch(uid) for uid in uids)
        assert len(set(uids)) == len(uids)


def test_suffixes_are_five_letters_that_spell_no_words() -> None:
    for source in (SystemClockAndNames(), SeededClockAndNames(1)):
        assert all(SUFFIX.fullmatch(source.suffix()) for _ in range(200))


def test_a_seed_gives_the_same_uids_and_suffixes_in_the_order_of_use() -> None:
    def drawn(seed: int) -> list[str]:
        source = SeededClockAndNames(seed)
        return [source.uid(), source.suffix(), source.uid(), source.suffix()]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_a_seeded_source_takes_time_from_its_clock() -> None:
    class Stopped(SystemClockAndNames):
        def now(self) -> float:
            return 5.0

    assert SeededClockAndNames(1, Stopped()).now() == 5.0
    assert abs(SeededClockAndNames(1).now() - time.time()) < 60


def test_fractions_lie_between_0_and_1_and_repeat_with_the_seed() -> None:
    for source in (SystemClockAndNames(), SeededClockAndNames(1)):
        assert all(0 <= source.fraction() < 1 for _ in range(200))
    assert SeededClockAndNames(1).fraction() == SeededClockAndNames(1).fraction()


def test_a_frozen_clock_moves_only_when_it_is_advanced() -> None:
    clock = AdjustableClock(frozen_at=1_000.0)
    assert (clock.now(), clock.frozen) == (1_000.0, True)
    before = clock.monotonic()
    clock.advance(60)
    assert (clock.now(), clock.monotonic()) == (1_060.0, before + 60)


def test_a_resumed_clock_goes_on_from_where_it_stood() -> None:
    clock = AdjustableClock(frozen_at=1_000.0)
    clock.resume()
    clock.resume()
    assert 1_000.0 <= clock.now() < 1_030.0
    clock.advance(100)
    clock.freeze()
    stopped = clock.now()
    assert 1_100.0 <= stopped < 1_130.0
    assert clock.now() == stopped


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_no_clock_is_moved_back_or_out_of_time(seconds: float) -> None:
    clock = AdjustableClock(frozen_at=1_000.0)
    with pytest.raises(ValueError, match="moved forward by seconds of 0 or more"):
        clock.advance(seconds)
    assert clock.now() == 1_000.0


@pytest.mark.parametrize("clock", [SystemClock(), AdjustableClock(), SeededClockAndNames(1)])
def test_a_timeout_ends_its_block_when_its_time_has_passed(clock: Clock) -> None:
    async def wait() -> None:
        async with clock.timeout(0.001):
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        asyncio.run(wait())


def test_timeouts_of_a_frozen_clock_expire_when_it_is_advanced_past_them_from_any_thread() -> None:
    clock = AdjustableClock(frozen_at=0.0)
    expired: list[int] = []

    async def wait(delay: int, armed: asyncio.Event) -> None:
        try:
            async with clock.timeout(delay):
                armed.set()
                await asyncio.Event().wait()
        except TimeoutError:
            expired.append(delay)

    async def scenario() -> None:
        waiting = []
        for delay in (90, 30, 60, 1_000):
            armed = asyncio.Event()
            waiting.append(asyncio.create_task(wait(delay, armed)))
            await armed.wait()
        thread = threading.Thread(target=clock.advance, args=(90,))
        thread.start()
        await asyncio.gather(*waiting[:3])
        thread.join()
        assert not waiting[3].done()
        waiting[3].cancel()

    asyncio.run(scenario())
    assert expired == [30, 60, 90]


def test_a_timeout_that_has_passed_already_expires_though_the_clock_stands_still() -> None:
    async def wait() -> None:
        async with AdjustableClock(frozen_at=0.0).timeout(-1):
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        asyncio.run(wait())
