"""Finds the name that a user probably meant."""

from collections.abc import Iterable
from difflib import SequenceMatcher

from fakeapi.machinery.lazy_pattern import lazy_pattern

_WORD = lazy_pattern(r"[^.-]+[.-]?|[.-]")
"""A word of a name, with the dot or hyphen after it."""

SIMILARITY = 0.7
"""Minimum similarity of two names, from 0 to 1. "gpus" is similar to "gpu"; "vpu" and "nic" are not."""


def nearest(name: str, names: Iterable[str]) -> str:
    """Returns the name most similar to `name`; "" if no name is similar.

    Ignores the last words that two names share, such as a domain or "-claim", because they make unrelated
    names similar.
    """
    best: str | None = None
    most = SIMILARITY
    for other in sorted(set(names) - {name}):
        similarity = _similarity(name, other, most)
        if similarity > most or (similarity == most and best is None):
            best, most = other, similarity
    return best or ""


def _similarity(one: str, other: str, least: float) -> float:
    """Returns the similarity of two names, from 0 to 1. Returns 0 for most names below `least`."""
    own, others = (_WORD.findall(name.lower()) for name in (one, other))
    while len(own) > 1 and len(others) > 1 and own[-1] == others[-1]:
        own.pop()
        others.pop()
    text, compared = "".join(own).rstrip(".-"), "".join(others).rstrip(".-")
    common = sum(min(text.count(letter), compared.count(letter)) for letter in set(text))
    if 2 * common < least * (len(text) + len(compared)):
        return 0.0
    return SequenceMatcher(None, text, compared).ratio()
