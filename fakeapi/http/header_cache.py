"""Caches values computed from a header: all requests of a client send the same few."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

TEXTS_MAX = 256
"""Texts cached for each function; the least recently used is dropped first."""

TEXT_LENGTH_MAX = 1024
"""A longer text is never cached, so that odd clients do not fill the memory."""

P = ParamSpec("P")
T = TypeVar("T")


def cached_by_header(function: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """Decorator: caches a pure function of a header's text."""
    cached = lru_cache(TEXTS_MAX)(function)

    @wraps(function)
    def call(text: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if len(text) > TEXT_LENGTH_MAX:
            return function(text, *args, **kwargs)
        return cached(text, *args, **kwargs)  # type: ignore[arg-type] # all arguments are hashable

    return call
