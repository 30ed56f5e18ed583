"""Implementations of the functions of CEL and of Kubernetes.

- `OVERLOADS`: implementations by overload id. Their arguments always have the declared types.
- `SINGLETONS`: implementations by function name, which check the types of their arguments themselves.

Implementations return an Err if they fail.
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
"""Name of the variant in which `x in [1, 2]` is false if `x` is an error; implemented in `plan`."""

NO_RANGE = "errors are no range"
"""Name of the variant in which two-variable comprehensions hide errors of their range.

`plan` implements the variant: the error is then about the type of the range.
"""

VARIANTS = strings.VARIANTS | addresses.VARIANTS | {NO_ERRORS: {}, NO_RANGE: {}}
"""Implementations that differ between releases: variant name -> overload id -> implementation."""


@cache
def overloads_of(variants: frozenset[str]) -> dict[str, Callable[..., Any]]:
    """Returns the implementations by overload id; the variants replace default implementations."""
    implementations = dict(OVERLOADS)
    for name in sorted(variants):
        implementations |= VARIANTS[name]
    return implementations
