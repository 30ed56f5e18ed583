"""Overlapping requests of a trace are sorted by the order in which the server executed them."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.traces.analysis.causal_order import Effect, Key, effect_order, reordered

A: Key = ("resource.k8s.io", "resourceclaims", "ns", "a")
B: Key = ("resource.k8s.io", "resourceclaims", "ns", "b")
ALL: Key = ("resource.k8s.io", "resourceclaims", "", "")


def effect(
    start: float, end: float, verb: str = "update", key: Key = A, status: int = 200, **versions: int
) -> Effect:
    removes = bool(versions.pop("removes", 0))
    return Effect(
        start, end, key, verb, status, versions.get("answered", 0), versions.get("requested", 0), removes
    )


def order(*steps: Effect) -> list[int]:
    return list(effect_order(steps))


def test_writes_are_in_the_order_of_their_versions() -> None:
    assert order(effect(0, 10, answered=7), effect(1, 9, answered=6, key=B), effect(2, 8, answered=5)) == [
        2,
        1,
        0,
    ]


def test_a_conflict_comes_after_the_write_that_made_its_version_old() -> None:
    assert order(
        effect(0, 10, answered=5),
        effect(1, 10, status=409, requested=5),
        effect(2, 9, answered=6, requested=5),
    ) == [
        0,
        2,
        1,
    ]


def test_who_saw_a_version_asked_before_the_next_write() -> None:
    assert order(
        effect(0, 1, answered=5), effect(2, 9, answered=6, requested=5), effect(3, 8, "get", answered=5)
    ) == [0, 2, 1]


def test_a_list_that_lags_behind_goes_where_it_was_current() -> None:
    assert order(
        effect(0, 1, answered=5), effect(2, 3, answered=6), effect(3.2, 3.3, "list", ALL, answered=5)
    ) == [0, 2, 1]


def test_a_list_that_lags_too_far_behind_stays_where_it_was() -> None:
    assert order(
        effect(0, 1, answered=5), effect(2, 3, answered=6), effect(9, 10, "list", ALL, answered=5)
    ) == [0, 1, 2]


def test_deleting_again_did_not_make_the_version_that_it_saw() -> None:
    assert order(
        effect(0, 1, answered=4), effect(2, 9, "delete", answered=6), effect(3, 8, answered=6, requested=4)
    ) == [0, 2, 1]


def test_a_write_that_changed_nothing_is_not_the_first_of_its_version() -> None:
    assert order(
        effect(0, 1, answered=5), effect(2, 3, answered=9, key=B), effect(4, 5, "patch", answered=5)
    ) == [0, 1, 2]


def test_what_took_the_object_away_comes_after_all_that_saw_it() -> None:
    removing = effect(1, 9, answered=6, requested=6, removes=1)
    assert order(effect(0, 1, answered=6), removing, effect(2, 8, "delete", answered=6)) == [0, 2, 1]


def test_versions_that_contradict_each_other_lose_no_effect() -> None:
    steps = [
        effect(0, 9, answered=5, requested=6),
        effect(1, 9, answered=6, requested=5),
        effect(2, 3, "get", answered=9),
    ]
    assert sorted(order(*steps)) == [0, 1, 2]


def test_moved_steps_are_counted() -> None:
    assert reordered([0, 1, 2]) == 0
    assert reordered([0, 2, 1]) == 2


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 40))
def test_a_log_of_a_real_history_is_put_back_into_its_order(chance: random.Random, count: int) -> None:
    """Simulates a server that executes each request at a moment between its start and its end.

    The order of these moments is the expected order.
    """
    moments = []
    version, current = 10, {A: 8, B: 9}
    for number in range(count):
        key = chance.choice([A, B])
        verb = chance.choice(["update", "get"])
        if verb == "update":
            version += 1
            current[key] = version
        moments.append((number, effect(0, 0, verb, key, answered=current[key])))
    steps = []
    for moment, found in moments:
        found.start, found.end = moment - chance.random() * 3, moment + chance.random() * 3
        steps.append((moment, found))
    steps.sort(key=lambda pair: pair[1].start)
    found_order = [steps[place] for place in effect_order([each for _, each in steps])]
    for key in (A, B):
        seen = [each.answered_version for _, each in found_order if each.key == key]
        assert seen == sorted(seen)
