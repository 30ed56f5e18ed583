"""Named differences between releases that are neither a field, a gate nor a limit.

Each name says what the release does. Known from recordings of the releases' own servers, and where those are
silent from k8s.io/kubernetes, k8s.io/apiserver and k8s.io/apimachinery at the release's last patch.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirks:
    """What a release does, in yes and no and in words."""

    # How requests are answered, whatever the resource

    list_resource_version_error_is_500: bool
    """A list from the watch cache at a resourceVersion that is no number is an internal error, not a bad
    request."""

    list_version_is_read_first: bool
    """A list that goes on reads the resourceVersion, which it may not have, before its continue token."""

    cache_lists_pages: bool
    """The watch cache answers lists without a resourceVersion too, and first pages; the continue tokens of
    those begin their key with a slash, as the cache knows its keys' prefix without it."""

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

    managed_fields_order_matters: bool
    """A list that only changed its order has changed."""

    aggregated_discovery: tuple[str, ...]
    """The versions of apidiscovery.k8s.io that discovery can be asked for, the preferred one first; v2beta1
    goes with the gate AggregatedDiscoveryRemoveBetaType, where a release has it."""

    # How errors are worded

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

    slices_are_shown: bool
    """A slice with several choices of nodes is shown in the error about them."""

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


def quirks_of(minor: int) -> Quirks:
    """The quirks of release 1.`minor`."""
    return Quirks(
        list_resource_version_error_is_500=minor <= 32,
        list_version_is_read_first=minor <= 29,
        cache_lists_pages=minor >= 31,
        merge_keeps_directives=minor <= 27,
        watch_cache_start=2 if minor >= 33 else 1,
        initial_events_blueprint=minor == 32,
        apply_checks_type_first=minor >= 28,
        managed_fields_allow_duplicates=minor >= 29,
        managed_fields_order_matters=minor >= 29,
        aggregated_discovery=("v2", "v2beta1") if minor >= 30 else ("v2beta1",),
        too_long="may not be more than {} bytes" if minor >= 32 else "must have at most {} bytes",
        too_long_name="may not be more than {} bytes" if minor >= 32 else "may not be longer than {}",
        list_over_limit_is_too_many=minor >= 32,
        request_fields_under_exactly=minor >= 33,
        attribute_domain="domain" if minor >= 32 else "prefix",
        missing_domain_is_required=minor <= 31,
        cel_libraries=_cel_libraries(minor),
        cel_results_may_be_unknown=minor >= 31,
        cel_devices_can_be_made=minor >= 32,
        cel_formats_are_checked=minor >= 31,
        cel_sizes_are_traced=minor >= 33,
        cel_counts_empty_from_one=minor <= 31,
        cel_line_starts_before=minor <= 31,
        cel_lexes_quoted_fields=minor >= 33,
        map_errors_name_the_key=minor >= 32,
        attribute_member="value" if minor >= 32 else "field",
        node_selector_term="node selector term" if minor >= 32 else "selector term",
        slices_are_shown=minor == 31,
        status_stores_metadata=minor <= 29,
        admin_access_needs_label=minor >= 33,
        allocation_is_always_checked=minor == 31,
        node_selector_values_are_checked=minor >= 32,
        addresses_are_canonical=minor >= 33,
    )


def _cel_libraries(minor: int) -> frozenset[str]:
    by_release = {
        31: {"addresses", "bindings"},
        32: {"formats", "authorization selectors"},
        33: {"two variables", "optional lists"},
    }
    return frozenset(name for since, names in by_release.items() if minor >= since for name in names)
