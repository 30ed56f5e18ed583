"""Requests that overlapped are put in the order in which they took effect."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.traces.replay.causal_order import Key, Step, order_of, reordered

A: Key = ("resource.k8s.io", "resourceclaims", "ns", "a")
B: Key = ("resource.k8s.io", "resourceclaims", "ns", "b")
ALL: Key = ("resource.k8s.io", "resourceclaims", "", "")


def step(
    start: float, end: float, verb: str = "update", key: Key = A, status: int = 200, **versions: int
) -> Step:
    is_end = bool(versions.pop("is_end", 0))
    return Step(start, end, key, verb, status, versions.get("saw", 0), versions.get("asked", 0), is_end)


def order(*steps: Step) -> list[int]:
    return list(order_of(steps))


def test_writes_are_in_the_order_of_their_versions() -> None:
    assert order(step(0, 10, saw=7), step(1, 9, saw=6, key=B), step(2, 8, saw=5)) == [2, 1, 0]


def test_a_conflict_comes_after_the_write_that_made_its_version_old() -> None:
    assert order(step(0, 10, saw=5), step(1, 10, status=409, asked=5), step(2, 9, saw=6, asked=5)) == [
        0,
        2,
        1,
    ]


def test_who_saw_a_version_asked_before_the_next_write() -> None:
    assert order(step(0, 1, saw=5), step(2, 9, saw=6, asked=5), step(3, 8, "get", saw=5)) == [0, 2, 1]


def test_a_list_that_lags_behind_goes_where_it_was_current() -> None:
    assert order(step(0, 1, saw=5), step(2, 3, saw=6), step(3.2, 3.3, "list", ALL, saw=5)) == [0, 2, 1]


def test_a_list_that_lags_too_far_behind_stays_where_it_was() -> None:
    assert order(step(0, 1, saw=5), step(2, 3, saw=6), step(9, 10, "list", ALL, saw=5)) == [0, 1, 2]


def test_deleting_again_did_not_make_the_version_that_it_saw() -> None:
    assert order(step(0, 1, saw=4), step(2, 9, "delete", saw=6), step(3, 8, saw=6, asked=4)) == [0, 2, 1]


def test_a_write_that_changed_nothing_is_not_the_first_of_its_version() -> None:
    assert order(step(0, 1, saw=5), step(2, 3, saw=9, key=B), step(4, 5, "patch", saw=5)) == [0, 1, 2]


def test_what_took_the_object_away_comes_after_all_that_saw_it() -> None:
    removing = step(1, 9, saw=6, asked=6, is_end=1)
    assert order(step(0, 1, saw=6), removing, step(2, 8, "delete", saw=6)) == [0, 2, 1]


def test_versions_that_contradict_each_other_lose_no_step() -> None:
    steps = [step(0, 9, saw=5, asked=6), step(1, 9, saw=6, asked=5), step(2, 3, "get", saw=9)]
    assert sorted(order(*steps)) == [0, 1, 2]


def test_moved_steps_are_counted() -> None:
    assert reordered([0, 1, 2]) == 0
    assert reordered([0, 2, 1]) == 2


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 40))
def test_a_log_of_a_real_history_is_put_back_into_its_order(chance: random.Random, count: int) -> None:
    """Each request takes effect at one moment between its start and its end: that order comes out again."""
    moments = []
    version, current = 10, {A: 8, B: 9}
    for number in range(count):
        key = chance.choice([A, B])
        verb = chance.choice(["update", "get"])
        if verb == "update":
            version += 1
            current[key] = version
        moments.append((number, step(0, 0, verb, key, saw=current[key])))
    steps = []
    for moment, found in moments:
        found.start, found.end = moment - chance.random() * 3, moment + chance.random() * 3
        steps.append((moment, found))
    steps.sort(key=lambda pair: pair[1].start)
    found_order = [steps[place] for place in order_of([each for _, each in steps])]
    for key in (A, B):
        seen = [each.saw for _, each in found_order if each.key == key]
        assert seen == sorted(seen)
