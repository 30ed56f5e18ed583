"""Caches values computed from a header, because a client's requests repeat the same few headers."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

TEXTS_MAX = 256
"""Maximum number of header values cached for each function; the least recently used is dropped first."""

TEXT_LENGTH_MAX = 1024
"""Maximum number of characters of a cached header value, so that unusual clients do not fill the memory."""

P = ParamSpec("P")
T = TypeVar("T")


def cached_by_header(function: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """Decorates a pure function of a header's text with a cache."""
    cached = lru_cache(TEXTS_MAX)(function)

    @wraps(function)
    def call(text: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if len(text) > TEXT_LENGTH_MAX:
            return function(text, *args, **kwargs)
        return cached(text, *args, **kwargs)  # type: ignore[arg-type] # all arguments are hashable

    return call
