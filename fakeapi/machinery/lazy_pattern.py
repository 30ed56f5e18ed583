"""Makes regular expressions that are compiled at their first use.

Compiling takes 0.1 to 4 ms for each expression. A process uses few expressions of the modules that it
imports.
"""

import re
from typing import Any, AnyStr, cast


def lazy_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Returns an object with the methods of `re.compile(pattern, flags)`, without compiling the pattern.

    The first use of a method compiles the pattern. It raises re.error if the pattern is not valid. Call the
    object's own methods: `re.sub(object, …)` raises TypeError.
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(pattern, flags))


class _LazyPattern:
    """Takes each attribute from the compiled pattern, and keeps it, so that later uses take no extra time."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copy and pickle look for methods that a pattern does not have
            raise AttributeError(name)
        attribute = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, attribute)
        return attribute
