"""Caches values that are computed from headers, because clients send the same few headers repeatedly."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

TEXTS_MAX = 256
"""Maximum number of cached header values of each function; the least recently used are dropped first."""

TEXT_LENGTH_MAX = 1024
"""Maximum length, in characters, of a header value that is cached, which limits the size of the cache."""

P = ParamSpec("P")
T = TypeVar("T")


def cached_by_header(function: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """Caches the results of a pure function whose first argument is the text of a header.

    All arguments must be hashable.
    """
    cached = lru_cache(TEXTS_MAX)(function)

    @wraps(function)
    def call(text: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if len(text) > TEXT_LENGTH_MAX:
            return function(text, *args, **kwargs)
        return cached(text, *args, **kwargs)  # type: ignore[arg-type] # all arguments are hashable

    return call
