"""Caches values that are computed from headers, because clients repeat the same few header values."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

TEXTS_MAX = 256
"""Maximum number of cached results per function. A full cache drops the least recently used result."""

TEXT_LENGTH_MAX = 1024
"""Maximum length of a cached header value in characters. This limits the size of the cache."""

P = ParamSpec("P")
T = TypeVar("T")


def cached_by_header(function: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """Caches the results of a pure function whose first argument is the value of a header.

    All arguments must be hashable.
    """
    cached = lru_cache(TEXTS_MAX)(function)

    @wraps(function)
    def call(text: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if len(text) > TEXT_LENGTH_MAX:
            return function(text, *args, **kwargs)
        return cached(text, *args, **kwargs)  # type: ignore[arg-type] # all arguments are hashable

    return call
