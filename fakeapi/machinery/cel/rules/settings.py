"""Settings of a release for x-kubernetes-validations: CEL libraries, cost estimation, wording of errors."""

from dataclasses import dataclass

from fakeapi.machinery.cel.cost import Pricing
from fakeapi.machinery.cel.runtime.program import Dialect
from fakeapi.machinery.cel.source import Wording


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The declarations that expressions may use: `libraries` of `declarations.LIBRARIES`.

    `checks_literals`: literal durations, timestamps and regular expressions are checked; `checks_formats`:
    calls of `format` too. `selects_keywords`: fields whose names are keywords can be selected by them.
    """

    libraries: frozenset[str]
    checks_literals: bool
    checks_formats: bool
    selects_keywords: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSettings:
    """The settings of one release with its feature gates; used as a cache key.

    `new`: the language of expressions that a definition did not have before. `stored`: the language of
    expressions that it had; objects are validated with it too.
    """

    new: Language
    stored: Language
    pricing: Pricing
    wording: Wording
    dialect: Dialect

    forgets_unknown_calls: bool
    """A call of an undeclared function makes the expression around it an error too."""

    ratchets: bool
    """Violations in values that an update does not change become warnings, and rules with optionalOldSelf are
    also evaluated without an old object (feature gate CRDValidationRatcheting).
    """

    shows_values: bool
    """If True, errors print the values of scalars and no value of objects and lists; if False, they print
    types.
    """

    shows_rules_as_json: bool
    """The error of a rule that does not compile prints the rule as JSON, not in Go's syntax; a missing value
    is printed as null without quotes.
    """

    rule_members: int
    """Number of fields of the Go type ValidationRule, as errors print it."""

    moves_paths: bool
    """The fieldPath of a failed rule is also added to the paths of the rules after it."""

    reads_all_of: bool
    """Rules within allOf are evaluated."""

    bounds_enums: bool
    """The size of a string with an enum is bounded by the longest value."""

    bounds_int_or_string: bool
    """maxLength bounds the size of an int-or-string."""

    bounds_names: bool
    """The size of metadata.name is bounded by 253 characters."""
