"""The index of storage keys returns the same pages as a sorted list."""

from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi_storage.interface import Entry, Event, EventKind
from fakeapi_storage.memory.index import Index, successor

TEXTS = st.text(alphabet="/ab\u00e9\ud7ff\ue000\U0010ffff", max_size=4)
few = settings(max_examples=150, deadline=None, derandomize=True)


def entry(key: str, revision: int = 1) -> Entry:
    return Entry(key, b"", revision, revision)


@given(prefix=TEXTS, text=TEXTS)
@few
def test_the_successor_bounds_exactly_the_texts_of_a_prefix(prefix: str, text: str) -> None:
    end = successor(prefix)
    assert (prefix <= text and (end is None or text < end)) == text.startswith(prefix)


@given(
    present=st.sets(TEXTS),
    undo=st.dictionaries(TEXTS, st.booleans()),
    prefix=TEXTS,
    after=st.none() | TEXTS,
    limit=st.none() | st.integers(1, 4),
)
@few
def test_a_page_is_a_slice_of_the_sorted_entries(
    present: set[str], undo: dict[str, bool], prefix: str, after: str | None, limit: int | None
) -> None:
    index = Index(entry(key) for key in present)
    shown = {key: entry(key, 2) if there else None for key, there in undo.items() if key.startswith(prefix)}
    state = {**{key: entry(key) for key in present if key.startswith(prefix)}, **shown}
    expected = [found for key, found in sorted(state.items()) if found and (after is None or key > after)]
    size = len(expected) if limit is None else min(limit, len(expected))
    assert index.page(prefix, after, limit, shown) == (expected[:size], len(expected) - size)


@given(st.lists(TEXTS))
@few
def test_puts_and_deletions_keep_the_keys_sorted(keys: list[str]) -> None:
    index = Index()
    state: dict[str, Entry] = {}
    for revision, key in enumerate(keys):
        old, new = state.get(key), entry(key, revision)
        index.apply(Event(EventKind.DELETE if old else EventKind.PUT, new, old))
        if old:
            del state[key]
        else:
            state[key] = new
        assert index.page("", None, None, {}) == ([state[key] for key in sorted(state)], 0)
        assert index.get(key) == state.get(key)
