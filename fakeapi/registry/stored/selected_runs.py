"""Caches the entries that label selectors match, by runs, so that unchanged runs are not matched again.

Which entries of a run match is a function of the run, whose entries never change, as in
`fakeapi.registry.stored.item_runs`.
"""

from collections import OrderedDict
from collections.abc import Sequence

from fakeapi.machinery.meta.label_selector import Selector
from fakeapi.registry.requests.predicate import SelectionPredicate
from fakeapi.registry.stored.item_runs import KEPT_ENTRIES_MAX, KEPT_FROM_ENTRIES, RUN_ENTRIES
from fakeapi_storage import Entry

SELECTORS_KEPT = 16
"""As many selectors of one version of a resource; the one that was asked for longest ago goes first."""

SELECTOR_LENGTH_MAX = 1024
"""Of the text of a selector; what a longer one chooses is not kept."""

_Kept = dict[str, tuple[Sequence[Entry], Sequence[Entry]]]
"""By the first key of each run: the run, and those of it that match."""


class SelectedRuns:
    """The runs of one version of a resource."""

    def __init__(self) -> None:
        self._by_selector: OrderedDict[str, _Kept] = OrderedDict()

    def select(self, chosen: SelectionPredicate, entries: Sequence[Entry]) -> Sequence[Entry]:
        """The entries that match, in their order."""
        labels = chosen.labels
        if labels is None or not chosen.labels_alone or len(entries) > KEPT_ENTRIES_MAX:
            return chosen.select(entries)
        kept = self._kept(labels)
        if kept is None or len(entries) < KEPT_FROM_ENTRIES:
            return chosen.select(entries)
        found: list[Entry] = []
        for start in range(0, len(entries), RUN_ENTRIES):
            run = entries[start : start + RUN_ENTRIES]
            known = kept.get(run[0].key)
            if known is None or known[0] != run:
                known = kept[run[0].key] = run, chosen.select(run)
            found += known[1]
        if len(kept) > KEPT_ENTRIES_MAX // RUN_ENTRIES:
            kept.clear()
        return found

    def _kept(self, selector: Selector) -> _Kept | None:
        text = str(selector)
        if len(text) > SELECTOR_LENGTH_MAX:
            return None
        kept = self._by_selector.setdefault(text, {})
        self._by_selector.move_to_end(text)
        if len(self._by_selector) > SELECTORS_KEPT:
            self._by_selector.popitem(last=False)
        return kept
