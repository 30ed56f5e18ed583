"""Formats journal entries as text for people."""

from collections.abc import Sequence

from fakeapi.journal.entry import Entry


def listing(entries: Sequence[Entry], last: int) -> str:
    """Returns one line of text for each of the last entries. `last`: the maximum number of entries.

    If there are earlier entries, the first line states their number.
    """
    last_entries = entries[-last:] if last > 0 else []
    earlier = len(entries) - len(last_entries)
    lines = [f"({earlier} earlier requests)"] if earlier else []
    return "\n".join([*lines, *map(str, last_entries)])
