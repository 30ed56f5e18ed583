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

RUN_BYTES_MAX = 1024 * 1024
"""Of the stored objects of a run; a longer object is a run by itself. A client that does not read its list
holds up one run."""

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
        start = 0
        while start < len(entries):
            kept = self._kept.get(entries[start].key) if keeps else None
            if kept is not None and kept[0] == entries[start : start + len(kept[0])]:
                start += len(kept[0])
                yield kept[1]
                continue
            run = _run(entries, start)
            start += len(run)
            yield self._keep(run) if keeps and len(run) >= KEPT_FROM_ENTRIES else self._joined(run)

    def _keep(self, run: Sequence[Entry]) -> bytes:
        key = run[0].key
        kept = self._kept.pop(key, None)
        if kept is not None:
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


def _run(entries: Sequence[Entry], start: int) -> Sequence[Entry]:
    """The run that begins there: fewer entries where they are long, and at least one."""
    run = entries[start : start + RUN_ENTRIES]
    size = 0
    for count, entry in enumerate(run):
        size += len(entry.value)
        if size > RUN_BYTES_MAX and count:
            return run[:count]
    return run
