"""Differences between releases in x-kubernetes-validations, the CEL validation rules of custom resources.

HISTORY lists each value with the first release that has it. Sources are k8s.io/apiextensions-apiserver
`pkg/apiserver/schema/cel`, k8s.io/apiserver `pkg/cel` and cel-go at each release's last patch.
"""

from dataclasses import dataclass

from fakeapi.releases.history import History, values_at


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleQuirks:
    """Describes how one release treats x-kubernetes-validations, where releases differ."""

    new_may_say: frozenset[str]
    """The CEL libraries for new rules of a CustomResourceDefinition: the libraries of the previous release.

    `machinery.cel.declarations` defines their names. "literals" is not a library: it means that literal
    durations, timestamps and patterns are checked.
    """

    stored_may_say: frozenset[str]
    """The CEL libraries for rules that the stored CustomResourceDefinition already has.

    `machinery.cel.declarations` defines their names.
    """

    new_select_keywords: bool
    """Whether new rules may select a field by its name if the name is a CEL keyword."""

    stored_select_keywords: bool
    """Whether stored rules may select a field by its name if the name is a CEL keyword."""

    kept_may_cost: bool
    """Whether rules in schemas that an update does not change may exceed the cost limit of a rule."""

    pays_for_affixes: bool
    """Whether the runtime cost of CEL's startsWith and endsWith grows with the length of the argument.

    In other releases, the cost grows with the length of the string that is searched.
    """

    unknown_calls_are_forgotten: bool
    """Whether a CEL call of an undeclared function also makes the expression around the call an error."""

    sizes_loops: bool
    """Whether CEL cost estimates track how many items a loop produces."""

    prices_equality: bool
    """Whether comparing two quantities, IP addresses or similar values has an estimated CEL cost of 1."""

    binds_lazily: bool
    """Whether CEL evaluates the initial value of a loop only when the value is first read."""

    variants: frozenset[str]
    """The variants of CEL functions that the release uses.

    `machinery.cel.runtime.functions.VARIANTS` defines their names.
    """

    unpriced: frozenset[str]
    """Functions of Kubernetes' CEL libraries whose runtime cost is 1, like most calls."""

    shown_as_json: bool
    """Whether the error of a rule that does not compile prints the rule as JSON, not in Go syntax."""

    show_values: bool
    """Whether the error of a failed rule prints a scalar value, and nothing for an object or list.

    In other releases it prints the type of the value.
    """

    members: int
    """Number of fields of the Go type ValidationRule.

    The type first had three fields. Later releases added reason and fieldPath, and then optionalOldSelf.
    """

    move_paths: bool
    """Whether the fieldPath of a failed rule is also added to the error paths of later rules."""

    old_self_may_be_optional: bool
    """Whether rules with optionalOldSelf also run without an old object.

    The gate CRDValidationRatcheting must be on.
    """

    count_in_all_of: bool
    """Whether rules in `allOf` schemas are evaluated."""

    enums_bound: bool
    """Whether CEL cost estimates limit a string with an enum to the length of its longest enum value."""

    int_or_string_is_bound: bool
    """Whether CEL cost estimates limit an int-or-string to its maxLength."""

    names_are_bound: bool
    """Whether CEL cost estimates limit metadata.name to 253 characters."""


_1_27 = frozenset((
    "standard", "strings", "list functions", "regular expressions", "urls", "authorizer",
))  # fmt: skip
_1_28 = _1_27 | {"mixed comparisons", "optionals", "quantities"}
_1_29 = _1_28 | {"formatting", "sets", "literals"}
_1_30 = _1_29 | {"addresses"}
_1_31 = _1_30 | {"formats"}
_1_32 = _1_31 | {"two variables"}
_SELECTORS = "authorization selectors"
_OPTIONAL_LISTS = "optional lists"
"""Name of a CEL library of cel-go itself.

Unlike Kubernetes' own libraries, it is available to new rules from its first release on, not one release
later.
"""
_1_33 = _1_32 | {"versions", "semver normalization"}
_1_34 = _1_33 | {"lists"}
_1_37 = _1_34 | {"includes"}

_INCLUDES = frozenset(("includes",))
_WITHIN, _NO_LAST = "places are within the text", "the empty text has no last place"

HISTORY: History = {
    "new_may_say": {
        27: _1_27,
        29: _1_28,
        30: _1_29,
        31: _1_30,
        32: _1_31,
        33: _1_32 | {_OPTIONAL_LISTS},
        34: _1_33 | {_OPTIONAL_LISTS},
        35: _1_34 | {_OPTIONAL_LISTS},
    },
    "stored_may_say": {
        27: _1_27,
        28: _1_28,
        29: _1_29,
        30: _1_30,
        31: _1_31 | {_SELECTORS},
        32: _1_32 | {_SELECTORS},
        33: _1_33 | {_SELECTORS, _OPTIONAL_LISTS},
        34: _1_34 | {_SELECTORS, _OPTIONAL_LISTS},
        37: _1_37 | {_SELECTORS, _OPTIONAL_LISTS},
    },
    "new_select_keywords": {27: False, 32: True},
    "stored_select_keywords": {27: False, 31: True},
    "kept_may_cost": {27: False, 29: True},
    "pays_for_affixes": {27: False, 37: True},
    "unknown_calls_are_forgotten": {27: True, 29: False},
    "sizes_loops": {27: False, 30: True},
    "prices_equality": {27: False, 32: True},
    "binds_lazily": {27: False, 32: True},
    "variants": {
        27: frozenset((_WITHIN, _NO_LAST, "errors are in no list")),
        28: frozenset((_WITHIN, _NO_LAST, "blocks contain those that begin them")),
        32: frozenset((_NO_LAST, "errors are no range")),
        33: frozenset((_NO_LAST,)),
        34: frozenset(),
    },
    "unpriced": {27: frozenset(("quantity", "isQuantity", "includes")), 30: _INCLUDES, 37: frozenset()},
    "shown_as_json": {27: False, 34: True},
    "show_values": {27: False, 35: True},
    "members": {27: 3, 28: 5, 29: 6},
    "move_paths": {27: True, 30: False},
    "old_self_may_be_optional": {27: False, 29: True},
    "count_in_all_of": {27: False, 31: True},
    "enums_bound": {27: False, 29: True},
    "int_or_string_is_bound": {27: False, 34: True},
    "names_are_bound": {27: False, 37: True},
}


def rule_quirks_of(minor: int) -> RuleQuirks:
    """Returns the behaviour of release 1.`minor` with the CEL validation rules of custom resources."""
    return RuleQuirks(**values_at(HISTORY, minor))
