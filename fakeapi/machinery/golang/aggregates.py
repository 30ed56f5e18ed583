"""Prints several errors as one, as k8s.io/apimachinery `util/errors` does."""

from collections.abc import Iterable


def aggregate(texts: Iterable[str]) -> str:
    """Errors as one text: alone, or each once in brackets."""
    found = list(dict.fromkeys(texts))
    return found[0] if len(found) == 1 else f"[{', '.join(found)}]"
