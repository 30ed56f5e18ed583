"""Work on many bytes, such as decoding, runs in a thread, so that the server can respond to other clients."""

import asyncio
import threading
from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.machinery.cel.allowance import current
from fakeapi.machinery.cel.limits import EVENT_LOOP_COST_MAX, THREAD_COST_MAX
from fakeapi.registry.offloading.heavy_steps import HEAVY_BYTES, HeavySteps
from fakeapi.registry.verbs import patching

LARGE = "x" * HEAVY_BYTES
PATIENCE_SECONDS = 30
MEETING_SECONDS = 0.3
"""Seconds that a function waits for a second function to run at the same time."""


def config_map(**data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data}


def test_a_step_over_few_bytes_runs_at_once_and_nothing_is_awaited() -> None:
    running = HeavySteps().run(HEAVY_BYTES, threading.get_ident)
    with pytest.raises(StopIteration) as end:
        running.send(None)
    assert end.value.value == threading.get_ident()


def test_a_step_over_many_bytes_runs_in_another_thread_and_its_error_is_raised() -> None:
    assert asyncio.run(HeavySteps().run(HEAVY_BYTES + 1, threading.get_ident)) != threading.get_ident()
    with pytest.raises(ZeroDivisionError):
        asyncio.run(HeavySteps().run(HEAVY_BYTES + 1, lambda: 1 // 0))


def test_heavy_steps_run_one_after_the_other() -> None:
    met: list[bool] = []
    both = threading.Barrier(2, timeout=MEETING_SECONDS)

    def step() -> None:
        """Records whether another call runs at the same time."""
        try:
            both.wait()
        except threading.BrokenBarrierError:
            met.append(False)
        else:
            met.append(True)

    async def main() -> None:
        steps = HeavySteps()
        await asyncio.gather(*(steps.run(HEAVY_BYTES + 1, step) for _ in range(2)))

    asyncio.run(main())
    assert met == [False, False]


def spends(units: int) -> int:
    """Simulates a CEL evaluation that costs `units` cost units; returns the id of the current thread."""
    allowance = current()
    if allowance is not None:
        allowance.pay(units)
    return threading.get_ident()


def test_a_step_whose_expressions_cost_little_runs_at_once() -> None:
    running = HeavySteps().run(0, lambda: spends(EVENT_LOOP_COST_MAX))
    with pytest.raises(StopIteration) as end:
        running.send(None)
    assert end.value.value == threading.get_ident()


def test_a_cancelled_step_keeps_its_turn_until_its_thread_has_ended() -> None:
    begun, may_end = threading.Event(), threading.Event()
    ended: list[str] = []

    def takes_long() -> None:
        begun.set()
        assert may_end.wait(PATIENCE_SECONDS)
        ended.append("first")

    async def main() -> None:
        steps = HeavySteps()
        first = asyncio.ensure_future(steps.run(HEAVY_BYTES + 1, takes_long))
        await asyncio.to_thread(begun.wait, PATIENCE_SECONDS)
        first.cancel()
        await asyncio.wait({first})
        second = asyncio.ensure_future(steps.run(HEAVY_BYTES + 1, lambda: ended.append("second")))
        for _ in range(10):
            await asyncio.sleep(0)
        is_waiting = steps._turn.locked()
        may_end.set()
        await second
        assert is_waiting

    asyncio.run(main())
    assert ended == ["first", "second"]


@pytest.mark.parametrize("size", [0, HEAVY_BYTES + 1])
@pytest.mark.parametrize("units", [EVENT_LOOP_COST_MAX + 1, THREAD_COST_MAX + 1])
def test_a_step_whose_expressions_cost_much_is_begun_again_in_another_thread(size: int, units: int) -> None:
    assert asyncio.run(HeavySteps().run(size, lambda: spends(units))) != threading.get_ident()


def test_steps_that_take_some_time_do_not_wait_for_one_that_takes_long() -> None:
    may_end = threading.Event()

    def takes_long() -> int:
        spends(THREAD_COST_MAX + 1)
        assert may_end.wait(PATIENCE_SECONDS)
        return 1

    async def main() -> list[int]:
        steps = HeavySteps()
        long = asyncio.ensure_future(steps.run(0, takes_long))
        others = [steps.run(size, lambda: spends(THREAD_COST_MAX)) for size in (0, HEAVY_BYTES + 1)]
        await asyncio.gather(*others)
        ended = [long.done()]
        may_end.set()
        return [*ended, await long]

    assert asyncio.run(main()) == [False, 1]


class Held:
    """Replaces the function `patching.patched`: its first call waits until the event `may_end` is set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.may_end = threading.Event(), threading.Event()
        self.times = 0
        self._made = patching.patched
        monkeypatch.setattr(patching, "patched", self._patched)

    def _patched(self, *arguments: Any) -> Any:
        self.times += 1
        if self.times == 1:
            self.begun.set()
            assert self.may_end.wait(PATIENCE_SECONDS)
        return self._made(*arguments)


def test_others_are_served_while_a_large_object_is_changed_and_no_change_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with FakeAPI(release="1.33") as api:
        api.create(config_map(large=LARGE))
        held = Held(monkeypatch)
        patching_it = threading.Thread(
            target=api.patch, args=("ConfigMap", "a", {"data": {"first": "1"}}), daemon=True
        )
        patching_it.start()
        assert held.begun.wait(PATIENCE_SECONDS)
        assert api.get("ConfigMap", "a")["data"].keys() == {"large"}
        api.delete("ConfigMap", "a")
        api.create(config_map(second="2"))
        held.may_end.set()
        patching_it.join(PATIENCE_SECONDS)
        assert api.get("ConfigMap", "a")["data"] == {"first": "1", "second": "2"}
    assert held.times == 2


@pytest.mark.parametrize("verb", ["create", "update", "apply"])
def test_a_large_object_is_written_as_a_small_one_is(verb: str) -> None:
    with FakeAPI(release="1.33") as api:
        if verb == "apply":
            api.patch("ConfigMap", "a", config_map(large=LARGE), type="apply", fieldManager="m")
        else:
            api.create(config_map(**({"large": LARGE} if verb == "create" else {"small": "x"})))
        if verb == "update":
            api.update(config_map(large=LARGE))
        obj = api.get("ConfigMap", "a")
        assert obj["data"] == {"large": LARGE}
        assert obj["metadata"]["managedFields"][0]["fieldsV1"]["f:data"]["f:large"] == {}
