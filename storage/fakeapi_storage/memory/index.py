"""Keeps the committed entries by key, and in the order of their keys."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Mapping

from fakeapi_storage.interface import Entry, Event, EventKind

_LAST_CHARACTER = "\U0010ffff"


def successor(prefix: str) -> str | None:
    """Returns the smallest text that sorts after all texts beginning with `prefix`.

    Returns None if such a text does not exist: `prefix` is empty, or has only the last Unicode character.
    """
    stem = prefix.rstrip(_LAST_CHARACTER)
    return stem[:-1] + chr(ord(stem[-1]) + 1) if stem else None


class Index:
    """The committed entries by key, with a sorted list of all keys.

    To insert a key, Python moves 8 bytes for each greater key, which is fast.
    """

    __slots__ = ("_entries", "_keys")

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._entries = {entry.key: entry for entry in entries}
        self._keys = sorted(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return map(self._entries.__getitem__, self._keys)

    def get(self, key: str) -> Entry | None:
        return self._entries.get(key)

    def apply(self, event: Event) -> None:
        key = event.entry.key
        if event.kind is EventKind.DELETE:
            del self._entries[key]
            del self._keys[bisect_left(self._keys, key)]
            return
        if event.previous is None:
            insort(self._keys, key)
        self._entries[key] = event.entry

    def page(
        self, prefix: str, start_after: str | None, limit: int | None, undo: Mapping[str, Entry | None]
    ) -> tuple[list[Entry], int]:
        """Returns a page of the entries of a prefix, and the number of entries after the page.

        `undo`: entries to return instead of the current entries, by key; None for a key to leave out. All
        keys of `undo` must begin with `prefix`.
        """
        low, end = self._range(prefix, start_after)
        entries = self._entries
        if not undo:
            stop = end if limit is None else min(end, low + limit)
            return [*map(entries.__getitem__, self._keys[low:stop])], end - stop
        keys = [key for key in self._keys[low:end] if key not in undo]
        keys += [
            key
            for key, entry in undo.items()
            if entry is not None and (start_after is None or key > start_after)
        ]
        keys.sort()
        total = len(keys)
        if limit is not None and limit < total:
            keys = keys[:limit]
        return [undo.get(key) or entries[key] for key in keys], total - len(keys)

    def _range(self, prefix: str, start_after: str | None) -> tuple[int, int]:
        """Returns the range in `_keys` of the keys that begin with `prefix` and sort after `start_after`."""
        keys = self._keys
        low = bisect_left(keys, prefix)
        if start_after is not None:
            low = bisect_right(keys, start_after, low)
        end = successor(prefix)
        return low, len(keys) if end is None else bisect_left(keys, end, low)
