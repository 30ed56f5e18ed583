"""Joins several errors into one, like k8s.io/apimachinery `pkg/util/errors`."""

from collections.abc import Iterable


def aggregate(texts: Iterable[str]) -> str:
    """Joins error messages, each only once: one message stays as it is, several become `[a, b]`."""
    unique = list(dict.fromkeys(texts))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"
