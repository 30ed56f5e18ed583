"""Lists of requests for people."""

from collections.abc import Sequence

from fakeapi.journal.entry import Entry


def listing(entries: Sequence[Entry], last: int) -> str:
    """The last so many entries, a line each, and how many came before them."""
    shown = entries[-last:] if last > 0 else []
    earlier = len(entries) - len(shown)
    lines = [f"({earlier} earlier requests)"] if earlier else []
    return "\n".join([*lines, *map(str, shown)])
