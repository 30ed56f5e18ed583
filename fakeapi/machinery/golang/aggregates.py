"""Joins several errors into one, like k8s.io/apimachinery `pkg/util/errors`."""

from collections.abc import Iterable


def aggregate(texts: Iterable[str]) -> str:
    """Joins error texts without repetitions: a single one as it is, several as `[a, b]`."""
    unique = list(dict.fromkeys(texts))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"
