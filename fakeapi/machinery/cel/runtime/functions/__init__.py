"""Implementations of the standard CEL functions and of the functions that Kubernetes adds.

- `OVERLOADS`: implementations by overload id. The arguments always have the declared types.
- `SINGLETONS`: implementations by function name. The implementations check the types of their arguments.

Implementations that fail return an `Err`, a CEL error.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from fakeapi.machinery.cel.runtime.functions import (
    addresses,
    authorization,
    conversions,
    formats,
    formatting,
    lists,
    operators,
    optionals,
    quantities,
    regexes,
    strings,
    times,
    urls,
    versions,
)

SINGLETONS = operators.SINGLETONS | regexes.SINGLETONS | conversions.SINGLETONS | lists.SINGLETONS

OVERLOADS = (
    conversions.OVERLOADS
    | strings.OVERLOADS
    | formatting.OVERLOADS
    | times.OVERLOADS
    | lists.OVERLOADS
    | optionals.OVERLOADS
    | regexes.OVERLOADS
    | quantities.OVERLOADS
    | versions.OVERLOADS
    | addresses.OVERLOADS
    | urls.OVERLOADS
    | formats.OVERLOADS
    | authorization.OVERLOADS
)

NO_ERRORS = "errors are in no list"
"""Name of the variant in which `x in [1, 2]` is false if `x` is a CEL error; implemented in `plan`."""

NO_RANGE = "errors are no range"
"""Name of the variant in which a two-variable comprehension hides the CEL error of its range.

The comprehension reports that the range has a wrong type instead. `plan` implements the variant.
"""

VARIANTS = strings.VARIANTS | addresses.VARIANTS | {NO_ERRORS: {}, NO_RANGE: {}}
"""Implementations that only some releases use: variant name -> overload id -> implementation."""


@cache
def overloads_of(variants: frozenset[str]) -> dict[str, Callable[..., Any]]:
    """Returns overload id -> implementation.

    Implementations of `variants` replace the default implementations.
    """
    implementations = dict(OVERLOADS)
    for name in sorted(variants):
        implementations |= VARIANTS[name]
    return implementations
