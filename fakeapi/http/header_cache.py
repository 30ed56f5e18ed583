"""Remembering what was made of a header, for the few that all requests of a client share."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

TEXTS_MAX = 256
"""As many texts are remembered for each function, the most recently used."""

TEXT_LENGTH_MAX = 1024
"""A longer text is read anew each time, so that odd clients do not fill the memory."""

P = ParamSpec("P")
T = TypeVar("T")


def remembered(function: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """A pure function of a header's text that is computed once for each short text."""
    cached = lru_cache(TEXTS_MAX)(function)

    @wraps(function)
    def call(text: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if len(text) > TEXT_LENGTH_MAX:
            return function(text, *args, **kwargs)
        return cached(text, *args, **kwargs)  # type: ignore[arg-type] # all arguments are hashable

    return call
