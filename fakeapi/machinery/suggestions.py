"""Suggests the name that a user probably meant."""

from collections.abc import Iterable

LIKENESS = 0.6
"""Minimum similarity, from 0 to 1, of a suggested name."""


def nearest(word: str, known: Iterable[str], likeness: float = LIKENESS) -> str:
    """Returns the known name that is most similar to a word; "" if none has the similarity `likeness`.

    Ignores the case of letters.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - loaded only for an error

    by_lower = {name.lower(): name for name in known}
    near = get_close_matches(word.lower(), by_lower, 1, likeness)
    return by_lower[near[0]] if near else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Returns the end of an error message, such as "; did you mean pods?"; "" if no name is similar."""
    near = nearest(word, known)
    return f"; did you mean {near}?" if near else ""
