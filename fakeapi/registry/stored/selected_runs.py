"""Caches which list entries a label selector matches, so that the server need not match them again.

The cache stores the matches of each run, a sequence of consecutive entries in a list (see
`fakeapi.registry.stored.item_runs`). Entries are immutable, so the matches of a run depend only on its
entries.
"""

from collections import OrderedDict
from collections.abc import Sequence

from fakeapi.machinery.meta.label_selector import Selector
from fakeapi.registry.requests.predicate import SelectionPredicate
from fakeapi.registry.stored.item_runs import KEPT_ENTRIES_MAX, KEPT_FROM_ENTRIES, RUN_ENTRIES
from fakeapi_storage import Entry

SELECTORS_KEPT = 16
"""Maximum number of cached selectors per API version. The least recently used selector is dropped."""

SELECTOR_LENGTH_MAX = 1024
"""Maximum length in characters of a label selector whose matches are cached."""

_Kept = dict[str, tuple[Sequence[Entry], Sequence[Entry]]]
"""Cached matches of a selector, by the storage key of the first entry in a run.

Each value is `(entries of the run, matching entries)`.
"""


class SelectedRuns:
    """Caches which list entries of one resource match a label selector.

    Each cached result is for one selector and one run of consecutive entries.
    """

    def __init__(self) -> None:
        self._by_selector: OrderedDict[str, _Kept] = OrderedDict()

    def select(self, chosen: SelectionPredicate, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Returns the entries that match the selectors in `chosen`, in the given order."""
        labels = chosen.labels
        if labels is None or not chosen.labels_alone or len(entries) > KEPT_ENTRIES_MAX:
            return chosen.select(entries)
        kept = self._kept(labels)
        if kept is None or len(entries) < KEPT_FROM_ENTRIES:
            return chosen.select(entries)
        matching: list[Entry] = []
        for start in range(0, len(entries), RUN_ENTRIES):
            run = entries[start : start + RUN_ENTRIES]
            known = kept.get(run[0].key)
            if known is None or known[0] != run:
                known = kept[run[0].key] = run, chosen.select(run)
            matching += known[1]
        if len(kept) > KEPT_ENTRIES_MAX // RUN_ENTRIES:
            kept.clear()
        return matching

    def _kept(self, selector: Selector) -> _Kept | None:
        text = str(selector)
        if len(text) > SELECTOR_LENGTH_MAX:
            return None
        kept = self._by_selector.setdefault(text, {})
        self._by_selector.move_to_end(text)
        if len(self._by_selector) > SELECTORS_KEPT:
            self._by_selector.popitem(last=False)
        return kept
