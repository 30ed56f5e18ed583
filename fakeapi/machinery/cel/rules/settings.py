"""How releases differ in what rules may say, what they cost, and in the words of errors."""

from dataclasses import dataclass

from fakeapi.machinery.cel.cost import Pricing
from fakeapi.machinery.cel.runtime.plan import Dialect
from fakeapi.machinery.cel.source import Wording


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The declarations that expressions may use: `libraries` of `declarations.LIBRARIES`.

    `checks_literals`: durations, times and patterns that are written down are looked into; `checks_formats`:
    calls of `format` too. `selects_keywords`: fields whose names are keywords can be selected by these.
    """

    libraries: frozenset[str]
    checks_literals: bool
    checks_formats: bool
    selects_keywords: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSettings:
    """The rules of one release with its feature gates; the key of caches.

    `new`: what rules may say that a definition did not have before; `stored`: what those may that it had, and
    with which objects are checked.
    """

    new: Language
    stored: Language
    pricing: Pricing
    wording: Wording
    dialect: Dialect

    forgets_unknown_calls: bool
    """What is made of a call of no function is a fault too."""

    ratchets: bool
    """Errors of what an update did not change are warnings, and rules with optionalOldSelf are evaluated
    without an old object too (feature gate CRDValidationRatcheting)."""

    shows_values: bool
    """Errors of scalars show the value, those of objects and lists none; before, all show the type."""

    shows_rules_as_json: bool
    """A rule that does not compile is shown as JSON, not in Go's syntax, and so is nothing."""

    rule_members: int
    """How many members the type of a rule has."""

    moves_paths: bool
    """The fieldPath of a rule that failed is added to the paths of the rules after it, too."""

    reads_all_of: bool
    """The rules of allOf are evaluated."""

    bounds_enums: bool
    """A string is at most as long as the longest of its enum."""

    bounds_int_or_string: bool
    """maxLength bounds what is int or string."""

    bounds_names: bool
    """metadata.name has at most 253 characters."""
