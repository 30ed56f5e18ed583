"""Caches the bytes of runs of list items, so that unchanged runs are not joined again.

A run is a sequence of consecutive entries. Entries are immutable, so the bytes of a run depend only on its
entries. A list uses a cached run if it has the same entries in a row. A write invalidates the run with its
entry, and runs whose boundaries it moves.
"""

from collections.abc import Callable, Iterator, Sequence

from fakeapi_storage import Entry

RUN_ENTRIES = 128
"""Maximum number of items in a run. Between the runs of a long list, the server handles other requests."""

KEPT_BYTES_MAX = 16 * 1024 * 1024
"""Maximum bytes of cached runs for each version of a resource. A full cache is cleared."""

RUN_BYTES_MAX = 1024 * 1024
"""Maximum bytes of the stored objects in a run. A larger object is a run by itself.

A client that does not read its list occupies the memory of one run.
"""

KEPT_ENTRIES_MAX = 4096
"""Maximum entries of a list whose runs are cached. A longer list would displace all other runs."""

KEPT_FROM_ENTRIES = 8
"""Minimum entries of a cached run. Joining a shorter run is faster than a look-up."""


class ItemRuns:
    """Caches the bytes of list items of one version of a resource. `item` returns the JSON of an item."""

    def __init__(self, item: Callable[[Entry], bytes]) -> None:
        self._item = item
        self._kept: dict[str, tuple[Sequence[Entry], bytes]] = {}
        self._bytes = 0

    def runs(self, entries: Sequence[Entry]) -> Iterator[bytes]:
        """Yields the bytes of a list's items in order. Each text has the items of a run, joined by commas."""
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
        joined = self._joined(run)
        if self._bytes + len(joined) > KEPT_BYTES_MAX:
            self._kept.clear()
            self._bytes = 0
        self._bytes += len(joined)
        self._kept[key] = run, joined
        return joined

    def _joined(self, run: Sequence[Entry]) -> bytes:
        return b",".join(map(self._item, run))


def _run(entries: Sequence[Entry], start: int) -> Sequence[Entry]:
    """Returns the entries of the run that begins at `start`.

    A run has at least one entry, and at most RUN_ENTRIES. Runs of several entries have at most RUN_BYTES_MAX
    bytes.
    """
    run = entries[start : start + RUN_ENTRIES]
    size = 0
    for count, entry in enumerate(run):
        size += len(entry.value)
        if size > RUN_BYTES_MAX and count:
            return run[:count]
    return run
