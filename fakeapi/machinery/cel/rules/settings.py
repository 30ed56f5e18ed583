"""Settings for x-kubernetes-validations, by release: CEL libraries, cost estimation, error messages."""

import msgspec

from fakeapi.machinery.cel.cost import Pricing
from fakeapi.machinery.cel.runtime.program import Dialect
from fakeapi.machinery.cel.source import Wording


class Language(msgspec.Struct, frozen=True, kw_only=True):
    """The CEL dialect of rules: which functions expressions may use, and how expressions are checked.

    - `libraries`: names of CEL libraries, from `declarations.LIBRARIES`.
    - `checks_literals`: whether literal durations, timestamps and regular expressions are checked.
    - `checks_formats`: whether the arguments of the CEL function `format` are checked.
    - `selects_keywords`: whether expressions may select fields by unescaped names that are CEL keywords.
    """

    libraries: frozenset[str]
    checks_literals: bool
    checks_formats: bool
    selects_keywords: bool


class RuleSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings for CEL rules in one release with its feature gates. Immutable; used as a cache key.

    `new`: the language of expressions that a write adds to a CustomResourceDefinition.
    `stored`: the language of expressions that the CustomResourceDefinition already had. The server also uses
    this language to validate objects.
    """

    new: Language
    stored: Language
    pricing: Pricing
    wording: Wording
    dialect: Dialect

    forgets_unknown_calls: bool
    """Whether a call of an undeclared function causes a second error in the expression around the call."""

    ratchets: bool
    """Whether rules ratchet: from 1.29 on, while the feature gate CRDValidationRatcheting is enabled.

    If True, rule violations in values that an update does not change become warnings. Rules with
    optionalOldSelf are also evaluated without an old object.
    """

    shows_values: bool
    """Whether errors include the values of scalars; they never include objects and lists.

    If False, errors include the type of the value instead.
    """

    shows_rules_as_json: bool
    """Whether errors of rules that do not compile print the rule as JSON instead of Go syntax.

    If True, errors also print a missing value as `null` instead of `"null"`.
    """

    rule_members: int
    """The number of fields that errors print for the Go type ValidationRule."""

    moves_paths: bool
    """Whether the fieldPath of a failed rule is also added to the error paths of later rules."""

    reads_all_of: bool
    """Whether CEL rules within allOf are evaluated."""

    bounds_enums: bool
    """Whether the longest enum value bounds the estimated size of a string."""

    bounds_int_or_string: bool
    """Whether maxLength bounds the estimated size of an int-or-string value."""

    bounds_names: bool
    """Whether metadata.name is at most 253 characters, and metadata.generateName 252, for cost estimation."""
