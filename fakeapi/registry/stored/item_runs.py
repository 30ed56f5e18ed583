"""Caches the JSON of consecutive list items, so that the server need not join unchanged items again.

A run is a sequence of consecutive entries (stored objects) in a list. The JSON of a run is cached. Entries
are immutable, so the cached JSON is never out of date. A list uses a cached run if the list has the same
entries in a row. After a write of an object, lists do not use the run with the old entry any more. Other runs
become useless too if the write moves their start or end.
"""

from collections.abc import Callable, Iterator, Sequence

from fakeapi_storage import Entry

RUN_ENTRIES = 128
"""Maximum number of consecutive list items that are joined and cached together (a run).

The server handles other requests between two runs of a long list.
"""

KEPT_BYTES_MAX = 16 * 1024 * 1024
"""Maximum size in bytes of the cached list items of each version of a resource. A full cache is cleared."""

RUN_BYTES_MAX = 1024 * 1024
"""Maximum total size in bytes of the objects that are joined together (a run).

An object over this size is a run of its own. A client that reads its list slowly occupies the memory of only
one run.
"""

KEPT_ENTRIES_MAX = 4096
"""Maximum number of entries in a list whose items are cached. A longer list would displace other lists."""

KEPT_FROM_ENTRIES = 8
"""Minimum number of list items that are cached together.

Joining fewer items is faster than a cache look-up.
"""


class ItemRuns:
    """Caches the JSON of list items of one version of a resource.

    `item`: a function that returns the JSON of one stored object.
    """

    def __init__(self, item: Callable[[Entry], bytes]) -> None:
        self._item = item
        self._kept: dict[str, tuple[Sequence[Entry], bytes]] = {}
        self._bytes = 0

    def runs(self, entries: Sequence[Entry]) -> Iterator[bytes]:
        """Yields the JSON of the items in order, in chunks.

        Each chunk contains consecutive items, joined by commas.
        """
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
    """Returns the entries of the run that begins at the index `start`.

    A run has at least one entry, and at most RUN_ENTRIES. A run of several entries has at most RUN_BYTES_MAX
    bytes.
    """
    run = entries[start : start + RUN_ENTRIES]
    size = 0
    for count, entry in enumerate(run):
        size += len(entry.value)
        if size > RUN_BYTES_MAX and count:
            return run[:count]
    return run
