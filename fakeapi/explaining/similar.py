"""Finds the name that a user probably meant."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

_WORD = re.compile(r"[^.-]+[.-]?|[.-]")
"""A word of a name, with the dot or hyphen after it."""

SIMILARITY = 0.7
"""Minimum similarity of two names, from 0 to 1. "gpus" is similar to "gpu"; "vpu" and "nic" are not."""


def nearest(name: str, names: Iterable[str]) -> str:
    """Returns the name most similar to `name`; "" if no name is similar.

    Ignores the last words that two names share, such as a domain or "-claim", because they make unrelated
    names similar.
    """
    scored = [(_similarity(name, other), other) for other in sorted(set(names)) if other != name]
    best, other = max(scored, key=lambda pair: pair[0], default=(0.0, ""))
    return other if best >= SIMILARITY else ""


def _similarity(one: str, other: str) -> float:
    own, others = (_WORD.findall(name.lower()) for name in (one, other))
    while len(own) > 1 and len(others) > 1 and own[-1] == others[-1]:
        own.pop()
        others.pop()
    return SequenceMatcher(None, "".join(own).rstrip(".-"), "".join(others).rstrip(".-")).ratio()
