"""Items of lists as bytes, kept by runs so that a list of what has not changed is not joined again.

The bytes of a run are a function of its entries, which never change: a run is found again where a list has
the very same entries in a row. A write spoils the run that it is in, and no other but what moves by it.
"""

from collections.abc import Callable, Iterator, Sequence

from fakeapi_storage import Entry

RUN_ENTRIES = 128
"""As many items are joined at a time; between runs of a long list other requests are answered."""

KEPT_BYTES_MAX = 16 * 1024 * 1024
"""Of runs of one version of a resource; when there are more, all are forgotten."""

KEPT_ENTRIES_MAX = 4096
"""A longer list keeps nothing: it would take the place of all others."""

KEPT_FROM_ENTRIES = 8
"""A shorter run is joined faster than it is found."""


class ItemRuns:
    """The runs of one version of a resource. `item` makes the JSON of one item."""

    def __init__(self, item: Callable[[Entry], bytes]) -> None:
        self._item = item
        self._kept: dict[str, tuple[Sequence[Entry], bytes]] = {}
        self._bytes = 0

    def runs(self, entries: Sequence[Entry]) -> Iterator[bytes]:
        """The items of a list in order, each run joined by commas."""
        keeps = len(entries) <= KEPT_ENTRIES_MAX
        for start in range(0, len(entries), RUN_ENTRIES):
            run = entries[start : start + RUN_ENTRIES]
            yield self._found(run) if keeps and len(run) >= KEPT_FROM_ENTRIES else self._joined(run)

    def _found(self, run: Sequence[Entry]) -> bytes:
        key = run[0].key
        kept = self._kept.get(key)
        if kept is not None:
            if kept[0] == run:
                return kept[1]
            self._bytes -= len(kept[1])
        made = self._joined(run)
        if self._bytes + len(made) > KEPT_BYTES_MAX:
            self._kept.clear()
            self._bytes = 0
        self._bytes += len(made)
        self._kept[key] = run, made
        return made

    def _joined(self, run: Sequence[Entry]) -> bytes:
        return b",".join(map(self._item, run))
