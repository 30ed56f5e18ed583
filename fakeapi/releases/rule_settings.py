"""Creates the settings with which a release compiles and evaluates x-kubernetes-validations."""

from functools import cache

from fakeapi.machinery.cel.cost import (
    Pricing,
    cost_by_path,
    cost_by_path_alone,
    cost_traced,
    cost_without_loops,
)
from fakeapi.machinery.cel.rules.settings import Language, RuleSettings
from fakeapi.machinery.cel.runtime.program import Dialect
from fakeapi.machinery.cel.source import Wording
from fakeapi.releases.quirks import Quirks
from fakeapi.releases.rules import ReleaseRules

RATCHETING = "CRDValidationRatcheting"
_SELECTORS = "AuthorizeWithSelectors"


def rule_settings(rules: ReleaseRules) -> RuleSettings:
    """Returns the settings for x-kubernetes-validations in a release.

    Equal rules share one settings object.
    """
    return _settings(rules.quirks, rules.gates.enabled(RATCHETING), rules.gates.enabled(_SELECTORS))


@cache
def _settings(
    quirks: Quirks,
    ratchets: bool,  # noqa: FBT001 - the key of a cache
    selects: bool,  # noqa: FBT001
) -> RuleSettings:
    own = quirks.rules
    new = own.new_may_say | ({"authorization selectors"} if selects else set())
    return RuleSettings(
        new=_language(quirks, new, selects_keywords=own.new_select_keywords),
        stored=_language(quirks, own.stored_may_say, selects_keywords=own.stored_select_keywords),
        pricing=_pricing(quirks),
        wording=wording_of(quirks),
        dialect=dialect_of(quirks),
        forgets_unknown_calls=own.unknown_calls_are_forgotten,
        ratchets=ratchets and own.old_self_may_be_optional,
        shows_values=own.show_values,
        shows_rules_as_json=own.shown_as_json,
        rule_members=own.members,
        moves_paths=own.move_paths,
        reads_all_of=own.count_in_all_of,
        bounds_enums=own.enums_bound,
        bounds_int_or_string=own.int_or_string_is_bound,
        bounds_names=own.names_are_bound,
    )


def wording_of(quirks: Quirks) -> Wording:
    """Returns the texts of a release's errors about CEL expressions."""
    return Wording(
        empty_column=1 if quirks.cel_counts_empty_from_one else 0,
        line_starts_before=quirks.cel_line_starts_before,
        lexes_quoted_fields=quirks.cel_lexes_quoted_fields,
    )


def dialect_of(quirks: Quirks) -> Dialect:
    """Returns the settings with which a release evaluates CEL expressions."""
    own = quirks.rules
    return Dialect(
        reads_affix=own.pays_for_affixes,
        binds_lazily=own.binds_lazily,
        variants=own.variants,
        unpriced=own.unpriced,
    )


def _pricing(quirks: Quirks) -> Pricing:
    if quirks.cel_sizes_are_traced:
        return cost_traced
    if not quirks.rules.sizes_loops:
        return cost_without_loops
    return cost_by_path if quirks.rules.prices_equality else cost_by_path_alone


def _language(quirks: Quirks, libraries: frozenset[str], *, selects_keywords: bool) -> Language:
    return Language(
        libraries=libraries - {"literals"},
        checks_literals="literals" in libraries,
        checks_formats="formatting" in libraries and quirks.cel_formats_are_checked,
        selects_keywords=selects_keywords,
    )
