"""Time and chance: unlike each time, or the same again for the same seed."""

import re
import time

from fakeapi.registry.clock import SeededClockAndNames, SystemClockAndNames

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
