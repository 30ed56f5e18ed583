"""Finds the name that a user probably meant."""

from collections.abc import Iterable
from difflib import SequenceMatcher

SIMILARITY = 0.7
"""Minimum similarity of two names, from 0 to 1. "gpus" is similar to "gpu"; "vpu" and "nic" are not."""


def nearest(name: str, names: Iterable[str]) -> str:
    """Returns the name most similar to `name`; "" if no name is similar.

    Ignores a domain that two names share, because it makes all names of one vendor similar.
    """
    scored = [(_similarity(name, other), other) for other in sorted(set(names)) if other != name]
    best, other = max(scored, key=lambda pair: pair[0], default=(0.0, ""))
    return other if best >= SIMILARITY else ""


def _similarity(one: str, other: str) -> float:
    own, others = one.lower().split("."), other.lower().split(".")
    while len(own) > 1 and len(others) > 1 and own[-1] == others[-1]:
        own.pop()
        others.pop()
    return SequenceMatcher(None, ".".join(own), ".".join(others)).ratio()
