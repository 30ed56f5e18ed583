"""The cache of objects that match a label selector does not change the responses."""

import json

from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.meta.field_selector import parse as parse_fields
from fakeapi.machinery.meta.label_selector import parse
from fakeapi.registry.requests.predicate import SelectionPredicate, predicate_of
from fakeapi.registry.stored.item_runs import KEPT_ENTRIES_MAX, RUN_ENTRIES
from fakeapi.registry.stored.selected_runs import SELECTOR_LENGTH_MAX, SELECTORS_KEPT, SelectedRuns
from fakeapi_storage import Entry

SELECTORS = ["a=1", "a!=1", "a in (1,2)", "!a", "a"]


def labelled(number: int, label: str, revision: int = 1) -> Entry:
    key = f"/claims/default/{number:05}"
    metadata = {"name": f"{number:05}", "labels": {"a": label} if label else {}}
    return Entry(key, json.dumps({"metadata": metadata}).encode(), revision, 1)


def chosen(selector: str) -> SelectionPredicate:
    return predicate_of(parse(selector), None)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3 * RUN_ENTRIES),
            st.sampled_from(["", "1", "2", "delete", "list"]),
            st.sampled_from(SELECTORS),
        )
    )
)
def test_a_selection_is_the_same_with_what_was_kept_as_without(steps: list[tuple[int, str, str]]) -> None:
    runs = SelectedRuns()
    state = {number: labelled(number, "1" if number % 3 else "") for number in range(2 * RUN_ENTRIES)}
    for revision, (number, step, selector) in enumerate([*steps, (0, "list", "a=1")], start=2):
        if step == "delete":
            state.pop(number, None)
        elif step != "list":
            state[number] = labelled(number, step, revision)
        entries = [state[each] for each in sorted(state)]
        for part in (entries, entries[number:]):
            assert runs.select(chosen(selector), part) == chosen(selector).select(part)


def test_labels_of_a_run_that_has_not_changed_are_not_looked_at() -> None:
    runs = SelectedRuns()
    entries = [labelled(number, "1") for number in range(2 * RUN_ENTRIES)]
    first = runs.select(chosen("a=1"), entries)
    kept = runs._by_selector["a=1"]
    assert [len(run) for run, _ in kept.values()] == [RUN_ENTRIES, RUN_ENTRIES]
    before = [matching for _, matching in kept.values()]
    assert runs.select(chosen("a=1"), entries) == first == entries
    assert all(one is other for one, (_, other) in zip(before, kept.values(), strict=True))


def test_of_too_many_selectors_the_one_that_is_unused_for_longest_goes() -> None:
    runs = SelectedRuns()
    entries = [labelled(number, "1") for number in range(RUN_ENTRIES)]
    for number in range(SELECTORS_KEPT + 1):
        runs.select(chosen("a=1"), entries)
        runs.select(chosen(f"b{number}"), entries)
    assert len(runs._by_selector) == SELECTORS_KEPT
    assert {"a=1", f"b{SELECTORS_KEPT}"} <= runs._by_selector.keys()


def test_of_a_long_selector_and_of_a_long_list_nothing_is_kept() -> None:
    runs = SelectedRuns()
    long = [labelled(number, "1") for number in range(KEPT_ENTRIES_MAX + 1)]
    assert runs.select(chosen("a=1"), long) == long
    many = ",".join(f"b{number}" for number in range(SELECTOR_LENGTH_MAX // 2))
    assert runs.select(chosen(many), long[:RUN_ENTRIES]) == []
    assert not runs._by_selector


def test_a_selection_by_fields_too_keeps_nothing() -> None:
    runs = SelectedRuns()
    entries = [labelled(number, "1") for number in range(RUN_ENTRIES)]
    both = predicate_of(parse("a=1"), parse_fields("metadata.name=00003"))
    assert runs.select(both, entries) == [entries[3]]
    assert not runs._by_selector
