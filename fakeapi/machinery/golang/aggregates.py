"""Prints several errors as one, as k8s.io/apimachinery `util/errors` does."""

from collections.abc import Iterable


def aggregate(texts: Iterable[str]) -> str:
    """Joins error texts without repetitions: a single one as it is, several as `[a, b]`."""
    unique = list(dict.fromkeys(texts))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"
