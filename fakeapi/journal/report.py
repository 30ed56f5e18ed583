"""Lists requests for people."""

from collections.abc import Sequence

from fakeapi.journal.entry import Entry


def listing(entries: Sequence[Entry], last: int) -> str:
    """Returns the last `last` entries, one line each, after a line with the number of earlier ones."""
    last_entries = entries[-last:] if last > 0 else []
    earlier = len(entries) - len(last_entries)
    lines = [f"({earlier} earlier requests)"] if earlier else []
    return "\n".join([*lines, *map(str, last_entries)])
