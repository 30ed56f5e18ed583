"""Differences between releases in x-kubernetes-validations, the CEL validation rules of custom resources.

The sources are the packages named below at each release's last patch.
"""

from fakeapi.releases.history import ReleaseValues, since

_ENVIRONMENT = "staging/src/k8s.io/apiserver/pkg/cel/environment"
_SCHEMA = "staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
_LIBRARY = "staging/src/k8s.io/apiserver/pkg/cel/library"
_CEL_GO = "github.com/google/cel-go"
_VALIDATION = "staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
_MODEL = "staging/src/k8s.io/apiserver/pkg/cel/common"

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

New rules may use this library from its first release on. They may use Kubernetes' own libraries one release
later.
"""
_1_33 = _1_32 | {"versions", "semver normalization"}
_1_34 = _1_33 | {"lists"}
_1_37 = _1_34 | {"includes"}

_INCLUDES = frozenset(("includes",))
_WITHIN, _NO_LAST = "places are within the text", "the empty text has no last place"


class RuleQuirks(ReleaseValues):
    """Describes how one release treats x-kubernetes-validations, where releases differ."""

    new_may_say: frozenset[str] = since(
        {
            27: _1_27,
            29: _1_28,
            30: _1_29,
            31: _1_30,
            32: _1_31,
            33: _1_32 | {_OPTIONAL_LISTS},
            34: _1_33 | {_OPTIONAL_LISTS},
            35: _1_34 | {_OPTIONAL_LISTS},
        },
        _ENVIRONMENT,
    )
    """The CEL libraries for new rules of a CustomResourceDefinition.

    These libraries are the libraries of the previous release, and from 1.33 on also the optional lists of
    cel-go. `machinery.cel.declarations` defines the names. "literals" is not a library: this name means that
    literal durations, timestamps and patterns are checked.
    """

    stored_may_say: frozenset[str] = since(
        {
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
        _ENVIRONMENT,
    )
    """The CEL libraries for rules that the stored CustomResourceDefinition already has.

    `machinery.cel.declarations` defines their names.
    """

    new_select_keywords: bool = since({27: False, 32: True}, _CEL_GO)
    """Whether new rules may select a field by its name if the name is a CEL keyword."""

    stored_select_keywords: bool = since({27: False, 31: True}, _CEL_GO)
    """Whether stored rules may select a field by its name if the name is a CEL keyword."""

    kept_may_cost: bool = since({27: False, 29: True}, _VALIDATION)
    """Whether rules in schemas that an update does not change may exceed the cost limit of a rule."""

    pays_for_affixes: bool = since({27: False, 37: True}, _LIBRARY)
    """Whether the runtime cost of CEL's startsWith and endsWith grows with the length of the argument.

    In other releases, the cost grows with the length of the string that is searched.
    """

    unknown_calls_are_forgotten: bool = since({27: True, 29: False}, _CEL_GO)
    """Whether a CEL call of an undeclared function also makes the expression around the call an error."""

    sizes_loops: bool = since({27: False, 30: True}, _CEL_GO)
    """Whether CEL cost estimates track how many items a loop produces."""

    prices_equality: bool = since({27: False, 32: True}, _LIBRARY)
    """Whether comparing two quantities, IP addresses or similar values has an estimated CEL cost of 1."""

    binds_lazily: bool = since({27: False, 32: True}, _CEL_GO)
    """Whether CEL evaluates the initial value of a loop only when the value is first read."""

    variants: frozenset[str] = since(
        {
            27: frozenset((_WITHIN, _NO_LAST, "errors are in no list")),
            28: frozenset((_WITHIN, _NO_LAST, "blocks contain those that begin them")),
            32: frozenset((_NO_LAST, "errors are no range")),
            33: frozenset((_NO_LAST,)),
            34: frozenset(),
        },
        _LIBRARY,
    )
    """The variants of CEL functions that the release uses.

    `machinery.cel.runtime.functions.VARIANTS` defines their names.
    """

    unpriced: frozenset[str] = since(
        {27: frozenset(("quantity", "isQuantity", "includes")), 30: _INCLUDES, 37: frozenset()}, _LIBRARY
    )
    """Functions of Kubernetes' CEL libraries whose runtime cost is 1, like most calls."""

    shown_as_json: bool = since({27: False, 34: True}, _VALIDATION)
    """Whether the error of a rule that does not compile prints the rule as JSON, not in Go syntax."""

    show_values: bool = since({27: False, 35: True}, _SCHEMA)
    """Whether the error of a failed rule prints a scalar value, and nothing for an object or list.

    In other releases the error prints the type of the value.
    """

    members: int = since({27: 3, 28: 5, 29: 6}, _VALIDATION)
    """Number of fields of the Go type ValidationRule.

    The type first had three fields. Later releases added reason and fieldPath, and then optionalOldSelf.
    """

    move_paths: bool = since({27: True, 30: False}, _SCHEMA)
    """Whether the fieldPath of a failed rule is also added to the error paths of later rules."""

    old_self_may_be_optional: bool = since({27: False, 29: True}, _SCHEMA)
    """Whether rules with optionalOldSelf also run without an old object.

    The gate CRDValidationRatcheting must be on.
    """

    count_in_all_of: bool = since({27: False, 31: True}, _VALIDATION)
    """Whether rules in `allOf` schemas are evaluated."""

    enums_bound: bool = since({27: False, 29: True}, _MODEL)
    """Whether CEL cost estimates limit a string with an enum to the length of its longest enum value."""

    int_or_string_is_bound: bool = since({27: False, 34: True}, _MODEL)
    """Whether CEL cost estimates limit an int-or-string to its maxLength."""

    names_are_bound: bool = since({27: False, 37: True}, _MODEL)
    """Whether CEL cost estimates limit metadata.name to 253 characters."""
