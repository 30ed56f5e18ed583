"""Python's garbage collector pauses while a block runs."""

import gc

from fakeapi.machinery.garbage import paused_collector


def test_overlapping_pauses_end_with_the_last_one() -> None:
    assert gc.isenabled()
    first, second = paused_collector(), paused_collector()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_a_collector_that_is_off_stays_off() -> None:
    gc.disable()
    try:
        with paused_collector():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
