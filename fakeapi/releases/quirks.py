"""Named differences between releases that are neither a field, a gate nor a limit.

Each name says what the release does; the table at the end says from which release on. Known from recordings
of the releases' own servers, and where those are silent from k8s.io/kubernetes, k8s.io/apiserver and
k8s.io/apimachinery at the release's last patch.
"""

from dataclasses import dataclass, replace
from typing import Any

from fakeapi.machinery.meta.wording import Wording


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirks:
    """What a release does: booleans, numbers and wordings."""

    # How requests are answered, whatever the resource

    list_resource_version_error_is_500: bool
    """A list from the watch cache at a resourceVersion that is no number is an internal error, not a bad
    request."""

    list_parses_resource_version_before_continue: bool
    """A list with a continue token and a resourceVersion, which exclude each other, has the
    resourceVersion parsed first, so that a malformed one is the error that is reported."""

    watch_cache_serves_pages: bool
    """The watch cache answers lists without a resourceVersion too, and first pages; the continue tokens of
    those begin their key with a slash, as the cache knows its keys' prefix without it."""

    uid_of_missing_object_conflicts: bool
    """An update with a uid of an object that there is not is a conflict of preconditions, not a 404."""

    zero_creation_timestamp_is_null: bool
    """A creationTimestamp that is not set is written as null: the standard library's `omitempty` does not
    leave out structs, `omitzero` does."""

    delete_body_error_is_500: bool
    """A body of a delete that does not decode is an internal error, not a bad request."""

    unsafe_deletes_may_be_dry_runs: bool
    """`ignoreStoreReadErrorWithClusterBreakingPotential` may be set together with `dryRun`."""

    patches_are_parsed_first: bool
    """A patch that is no JSON or YAML is refused before the object is looked for, and errors of applied
    configurations speak of the patch, not of YAML."""

    merge_keeps_directives: bool
    """What a strategic merge patch adds whole keeps the directives that stand inside it."""

    watch_cache_start: int
    """The resourceVersion at which a new server begins to keep history for watches."""

    initial_events_blueprint: bool
    """The bookmark that ends initial events carries an empty list of the kind as an annotation."""

    apply_checks_type_first: bool
    """Server-side apply refuses a body of another group, version or kind by `invalid object type`; a release
    that does not finds its version or its schema missing later on."""

    managed_fields_allow_duplicates: bool
    """An object with two equal items in a set or map list keeps its managedFields."""

    list_keys_may_be_absent: bool
    """An item of a map list may leave out some of its keys, and is then another item than one that has
    them; all of them it may not."""

    managed_fields_order_matters: bool
    """A list that only changed its order has changed."""

    aggregated_discovery: tuple[str, ...]
    """The versions of apidiscovery.k8s.io that discovery can be asked for, the preferred one first; v2beta1
    goes with the gate AggregatedDiscoveryRemoveBetaType, where a release has it."""

    openapi_items_have_defaults: bool
    """In OpenAPI the items of lists and the values of maps have Go's zero value as their default."""

    # How errors are worded

    wording: Wording
    """Of errors about metadata, options and selectors."""

    too_long: str
    """How a text, or metadata, beyond its limit is worded; `{}` is the limit in bytes."""

    too_long_name: str
    """The same for what is checked by its length as such: pool names, attribute values and, where they are
    `Too long`, lists."""

    list_over_limit_is_too_many: bool
    """A list of a resource.k8s.io object beyond its limit is `Too many`, not `Too long`."""

    request_fields_under_exactly: bool
    """A v1alpha3 request is v1beta2's inside the server: errors name its fields as
    `requests[0].exactly.count`, one without a class is neither `exactly` nor `firstAvailable` and has no
    defaults, and other parts of a claim may name `request/subrequest`."""

    attribute_domain: str
    """What messages call the part of a qualified name before its slash."""

    missing_domain_is_required: bool
    """A `matchAttribute` without a domain is an error of the field `domain`, not of the attribute's value."""

    # Device selectors in CEL: a new expression is held to what the release before could compile too

    cel_libraries: frozenset[str]
    """Of functions and macros, beyond those that every release with such selectors has; the names are those
    of `machinery.cel`."""

    cel_results_may_be_unknown: bool
    """An expression may come to an attribute of unknown type."""

    cel_devices_can_be_made: bool
    """Expressions may write devices down."""

    cel_formats_are_checked: bool
    """The text and the arguments of `format` must fit."""

    cel_sizes_are_traced: bool
    """Estimates of cost know the sizes of elements and of what variables stand for."""

    cel_counts_empty_from_one: bool
    """An empty expression ends at column 1, not 0."""

    cel_line_starts_before: bool
    """A fault at the very start of a line is shown at the end of the line before."""

    cel_lexes_quoted_fields: bool
    """Names in backquotes are read, and then refused."""

    map_errors_name_the_key: bool
    """An error about a key of a device's attributes or capacity has the key in its path."""

    attribute_member: str
    """What an attribute of a device has to have exactly one of."""

    node_selector_term: str
    """What the node selector of a slice has to have exactly one of."""

    invalid_slice_error_dumps_value: bool
    """The error about a slice that chooses nodes in several ways prints the spec as Go does."""

    # What is stored and what is checked

    status_stores_metadata: bool
    """A write to a claim's status stores labels, annotations, finalizers and owners too."""

    admin_access_needs_label: bool
    """`adminAccess` asks for a label on the claim's namespace."""

    allocation_is_always_checked: bool
    """An allocation is validated by every write of status, before all else; elsewhere only where it is new,
    after all else."""

    node_selector_values_are_checked: bool
    """Values in an allocation's node selector must be values that a label can have."""

    addresses_are_canonical: bool
    """`networkData.ips` must be spelled in the canonical form, and are compared as texts."""


_TOO_LONG = "may not be more than {} bytes"

_WORDS_32 = Wording(too_long=_TOO_LONG)
_WORDS_27 = replace(_WORDS_32, too_long="must have at most {} bytes")
_WORDS_34 = replace(_WORDS_32, json_values=True, empty_owner_member="must not be empty")
_WORDS_35 = replace(_WORDS_34, length_unit="bytes")
_WORDS_37 = replace(_WORDS_35, required_where_empty=True)

_HISTORY: dict[str, dict[int, Any]] = {
    "list_resource_version_error_is_500": {27: True, 33: False},
    "list_parses_resource_version_before_continue": {27: True, 30: False},
    "watch_cache_serves_pages": {27: False, 31: True},
    "uid_of_missing_object_conflicts": {27: True, 34: False},
    "zero_creation_timestamp_is_null": {27: True, 34: False},
    "delete_body_error_is_500": {27: True, 35: False},
    "unsafe_deletes_may_be_dry_runs": {27: False, 37: True},
    "patches_are_parsed_first": {27: False, 37: True},
    "merge_keeps_directives": {27: True, 28: False},
    "watch_cache_start": {27: 1, 33: 2},
    "initial_events_blueprint": {27: False, 32: True, 33: False},
    "apply_checks_type_first": {27: False, 28: True},
    "managed_fields_allow_duplicates": {27: False, 29: True},
    "list_keys_may_be_absent": {27: False, 34: True},
    "managed_fields_order_matters": {27: False, 29: True},
    "aggregated_discovery": {27: ("v2beta1",), 30: ("v2", "v2beta1")},
    "openapi_items_have_defaults": {27: True, 36: False},
    "wording": {27: _WORDS_27, 32: _WORDS_32, 34: _WORDS_34, 35: _WORDS_35, 37: _WORDS_37},
    "too_long": {27: "must have at most {} bytes", 32: _TOO_LONG},
    "too_long_name": {27: "may not be longer than {}", 32: _TOO_LONG},
    "list_over_limit_is_too_many": {27: False, 32: True},
    "request_fields_under_exactly": {27: False, 33: True},
    "attribute_domain": {27: "prefix", 32: "domain"},
    "missing_domain_is_required": {27: True, 32: False},
    "cel_libraries": {
        27: frozenset(),
        31: frozenset({"addresses", "bindings"}),
        32: frozenset({"addresses", "bindings", "formats", "authorization selectors"}),
        33: frozenset(
            {"addresses", "bindings", "formats", "authorization selectors", "two variables", "optional lists"}
        ),
    },
    "cel_results_may_be_unknown": {27: False, 31: True},
    "cel_devices_can_be_made": {27: False, 32: True},
    "cel_formats_are_checked": {27: False, 31: True},
    "cel_sizes_are_traced": {27: False, 33: True},
    "cel_counts_empty_from_one": {27: True, 32: False},
    "cel_line_starts_before": {27: True, 32: False},
    "cel_lexes_quoted_fields": {27: False, 33: True},
    "map_errors_name_the_key": {27: False, 32: True},
    "attribute_member": {27: "field", 32: "value"},
    "node_selector_term": {27: "selector term", 32: "node selector term"},
    "invalid_slice_error_dumps_value": {27: False, 31: True, 32: False},
    "status_stores_metadata": {27: True, 30: False},
    "admin_access_needs_label": {27: False, 33: True},
    "allocation_is_always_checked": {27: False, 31: True, 32: False},
    "node_selector_values_are_checked": {27: False, 32: True},
    "addresses_are_canonical": {27: False, 33: True},
}
"""By quirk: from which minor release on it is what."""


def quirks_of(minor: int) -> Quirks:
    """The quirks of release 1.`minor`."""
    return Quirks(
        **{
            name: history[max(since for since in history if since <= minor)]
            for name, history in _HISTORY.items()
        }
    )
