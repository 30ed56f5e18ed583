"""Decodes many entries of the storage, and lets other tasks of the event loop run meanwhile."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from fakeapi.registry.offloading.turns import Turns
from fakeapi_storage import Entry

T = TypeVar("T")


async def decoded_entries(
    entries: Iterable[Entry],
    known: Mapping[str, tuple[Entry, T]],
    decode: Callable[[Entry], T],
    turns: Turns,
) -> dict[str, tuple[Entry, T]]:
    """Returns entries with their values, by storage key.

    - `known`: an earlier result. The values of entries that did not change come from it.
    - `decode`: returns the value of an entry.
    """
    decoded: dict[str, tuple[Entry, T]] = {}
    for entry in entries:
        await turns.give_turn_if_over()
        pair = known.get(entry.key)
        if pair is None or (pair[0] is not entry and pair[0] != entry):
            pair = entry, decode(entry)
        decoded[entry.key] = pair
    return decoded
