"""The implementations of the functions of CEL and of Kubernetes.

`OVERLOADS`: implementations by overload id; `plan` calls them with arguments of the declared types.
`SINGLETONS`: those of functions that look at their arguments themselves, by name. An implementation returns
an Err where it fails.
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
"""The variant of membership in a constant list, which is in `plan`."""

NO_RANGE = "errors are no range"
"""The variant of loops with two variables, in `plan` too: they hide what is wrong with their range."""

VARIANTS = strings.VARIANTS | addresses.VARIANTS | {NO_ERRORS: {}, NO_RANGE: {}}
"""Overloads that differ between releases, by the name of the variant."""


@cache
def overloads_of(variants: frozenset[str]) -> dict[str, Callable[..., Any]]:
    """The implementations with these variants."""
    found = dict(OVERLOADS)
    for name in sorted(variants):
        found |= VARIANTS[name]
    return found
