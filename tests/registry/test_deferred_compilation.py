import asyncio
import threading

import pytest

from fakeapi.machinery.cel.deferred import current
from fakeapi.machinery.cel.limits import EVENT_LOOP_CHARACTERS_MAX
from fakeapi.registry.offloading.rerun import compiling, completed

LONG = "x" * (EVENT_LOOP_CHARACTERS_MAX + 1)


def verdict(text: str) -> str:
    """Compiles `text` through the current Deferral, with `str.upper` as the compiler.

    Returns the compiler's result, or None if the Deferral postpones the compilation.
    """
    deferral = current()
    assert deferral is not None
    found: str = deferral.verdict(str.upper, text)
    return found


def test_a_step_that_puts_nothing_off_runs_once_and_nothing_is_awaited() -> None:
    runs: list[str] = []
    step = completed(compiling(lambda: runs.append(verdict("a"))))
    with pytest.raises(StopIteration):
        step.send(None)
    assert runs == ["A"]


def test_a_step_runs_again_once_what_it_put_off_is_compiled() -> None:
    runs: list[str] = []

    def step() -> str:
        runs.append(verdict(LONG))
        return runs[-1]

    assert asyncio.run(completed(compiling(step))) == LONG.upper()
    assert runs == [None, LONG.upper()]


def test_an_error_counts_only_once_everything_is_compiled() -> None:
    def step() -> None:
        if verdict(LONG) is None:
            raise ValueError("before")
        raise ValueError("after")

    with pytest.raises(ValueError, match="after"):
        asyncio.run(completed(compiling(step)))


def test_others_are_served_while_expressions_are_compiled() -> None:
    served = threading.Event()

    def compiled(text: str) -> bool:
        return served.wait(30)

    def step() -> object:
        deferral = current()
        assert deferral is not None
        return deferral.verdict(compiled, LONG)

    async def main() -> object:
        asyncio.get_running_loop().call_soon(served.set)
        return await completed(compiling(step))

    assert asyncio.run(main()) is True
