"""Implementations of the functions of CEL and of Kubernetes.

`OVERLOADS`: implementations by overload id; `plan` calls them with arguments of the declared types.
`SINGLETONS`: implementations by function name, which check the types of their arguments themselves. An
implementation returns an Err if it fails.
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
"""Variant implemented in `plan`: `in` a constant list is false for an operand that is an error."""

NO_RANGE = "errors are no range"
"""Variant implemented in `plan`: comprehensions with two variables hide the error of their range."""

VARIANTS = strings.VARIANTS | addresses.VARIANTS | {NO_ERRORS: {}, NO_RANGE: {}}
"""Overloads that differ between releases, by variant name."""


@cache
def overloads_of(variants: frozenset[str]) -> dict[str, Callable[..., Any]]:
    """The implementations by overload id, with those of the variants in place of the default ones."""
    implementations = dict(OVERLOADS)
    for name in sorted(variants):
        implementations |= VARIANTS[name]
    return implementations
