"""The cache of encoded list items does not change the responses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.registry.stored import item_runs as list_items
from fakeapi.registry.stored.item_runs import KEPT_ENTRIES_MAX, RUN_BYTES_MAX, RUN_ENTRIES, ItemRuns
from fakeapi_storage import Entry


def item(entry: Entry) -> bytes:
    return b"%b@%d" % (entry.value, entry.revision)


def listed(runs: ItemRuns, entries: list[Entry]) -> bytes:
    return b",".join(runs.runs(entries))


@given(st.lists(st.tuples(st.integers(0, 3 * RUN_ENTRIES), st.sampled_from(["put", "delete", "list"]))))
def test_a_list_is_the_same_with_what_was_kept_as_without(steps: list[tuple[int, str]]) -> None:
    runs = ItemRuns(item)
    state = {f"{number:04}": Entry(f"{number:04}", b"0", 1, 1) for number in range(2 * RUN_ENTRIES)}
    for revision, (number, step) in enumerate([*steps, (0, "list")], start=2):
        key = f"{number:04}"
        if step == "put":
            state[key] = Entry(key, b"%d" % revision, revision, 1)
        elif step == "delete":
            state.pop(key, None)
        else:
            entries = [state[each] for each in sorted(state)]
            assert listed(runs, entries) == b",".join(map(item, entries))
            assert listed(runs, entries[number:]) == b",".join(map(item, entries[number:]))


def test_what_has_not_changed_is_not_made_again() -> None:
    made: list[str] = []

    def counted(entry: Entry) -> bytes:
        made.append(entry.key)
        return item(entry)

    runs = ItemRuns(counted)
    entries = [Entry(f"{number:04}", b"", 1, 1) for number in range(4 * RUN_ENTRIES)]
    assert listed(runs, entries) == listed(runs, entries)
    assert len(made) == len(entries)
    entries[RUN_ENTRIES] = Entry(entries[RUN_ENTRIES].key, b"", 2, 1)
    listed(runs, entries)
    assert len(made) == len(entries) + RUN_ENTRIES


def test_a_list_that_is_too_long_leaves_what_others_keep() -> None:
    runs = ItemRuns(item)
    short = [Entry(f"a{number:04}", b"", 1, 1) for number in range(RUN_ENTRIES)]
    long = [Entry(f"b{number:05}", b"", 1, 1) for number in range(KEPT_ENTRIES_MAX + 1)]
    first = [*runs.runs(short)]
    [*runs.runs(long)]
    assert next(iter(runs.runs(short))) is first[0]


def test_of_too_many_bytes_all_are_forgotten_and_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = ItemRuns(item)
    entries = [Entry(f"{number:04}", b"", 1, 1) for number in range(4 * RUN_ENTRIES)]
    most = 2 * len(next(iter(runs.runs(entries))))
    monkeypatch.setattr(list_items, "KEPT_BYTES_MAX", most)
    for _ in range(3):
        assert listed(runs, entries) == b",".join(map(item, entries))
        assert sum(len(made) for _, made in runs._kept.values()) == runs._bytes <= most


def test_long_items_are_joined_by_fewer_and_a_very_long_one_is_alone() -> None:
    sizes = [RUN_BYTES_MAX // 2, RUN_BYTES_MAX // 2, 1, 2 * RUN_BYTES_MAX, 1]
    entries = [Entry(f"{number:04}", bytes(size), 1, 1) for number, size in enumerate(sizes)]
    runs = [*ItemRuns(lambda entry: entry.value).runs(entries)]
    assert [len(run) for run in runs] == [RUN_BYTES_MAX + 1, 1, 2 * RUN_BYTES_MAX, 1]
