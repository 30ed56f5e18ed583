"""Named differences between releases in the rules of custom resources.

As in `fakeapi.releases.quirks`; from k8s.io/apiextensions-apiserver `pkg/apiserver/schema/cel`,
k8s.io/apiserver `pkg/cel` and cel-go at each release's last patch.
"""

from dataclasses import dataclass

from fakeapi.releases.history import History, values_at


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleQuirks:
    """The quirks of a release in x-kubernetes-validations."""

    new_may_say: frozenset[str]
    """The libraries (of `machinery.cel.declarations`) that rules may use which a definition did not have
    before: those of the release before. With "literals", what is written down is looked into."""

    stored_may_say: frozenset[str]
    """The libraries that rules may use which were there before."""

    new_select_keywords: bool
    """New rules may select a field by its name if that is a keyword."""

    stored_select_keywords: bool
    """Stored rules may too."""

    kept_may_cost: bool
    """A rule of a schema that an update leaves alone may be estimated to cost more than one may."""

    pays_for_affixes: bool
    """At run time, what a string begins or ends with is paid for, not the string."""

    unknown_calls_are_forgotten: bool
    """What is made of a call of no function is a fault too."""

    sizes_loops: bool
    """Estimates of cost know how many items a loop makes."""

    prices_equality: bool
    """Comparing two quantities, addresses or the like is estimated to cost 1."""

    binds_lazily: bool
    """What a loop begins with is evaluated where it is first asked for."""

    variants: frozenset[str]
    """The function variants that the release uses, of `machinery.cel.runtime.functions.VARIANTS`."""

    unpriced: frozenset[str]
    """Functions of Kubernetes that cost no more than any call at run time."""

    shown_as_json: bool
    """A rule that does not compile is shown as JSON, not in Go's syntax."""

    show_values: bool
    """Rules that scalars do not keep show the value, those of objects and lists nothing; before, all show the
    type."""

    members: int
    """How many members the type of a rule has: reason and fieldPath, then optionalOldSelf were added."""

    move_paths: bool
    """The fieldPath of a rule that failed is added to the paths of the rules after it, too."""

    old_self_may_be_optional: bool
    """A rule with optionalOldSelf is evaluated without an old object too, where CRDValidationRatcheting is
    on.
    """

    count_in_all_of: bool
    """The rules within allOf are evaluated."""

    enums_bound: bool
    """A string is estimated to be as long as the longest of its enum."""

    int_or_string_is_bound: bool
    """maxLength counts for what is int or string."""

    names_are_bound: bool
    """metadata.name is estimated to have at most 253 characters."""


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
"""They come with cel-go, and so with the release itself."""
_1_33 = _1_32 | {"versions", "semver normalization"}
_1_34 = _1_33 | {"lists"}
_1_37 = _1_34 | {"includes"}

_INCLUDES = frozenset(("includes",))
_WITHIN, _NO_LAST = "places are within the text", "the empty text has no last place"

_HISTORY: History = {
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
    """The quirks of release 1.`minor`."""
    return RuleQuirks(**values_at(_HISTORY, minor))
