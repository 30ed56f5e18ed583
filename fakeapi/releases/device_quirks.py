"""Differences between releases in the kinds of resource.k8s.io and their device selectors.

The source is k8s.io/kubernetes `pkg/apis/resource` and `pkg/registry/resource`.
"""

from dataclasses import dataclass

from fakeapi.releases.history import History


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)  # a base of `Quirks`
class DeviceQuirks:
    """Differences in the kinds of resource.k8s.io."""

    too_long_name: str
    """Detail of the error for pool names, attribute values and, if they are `Too long`, lists over their
    limit; `{}` is the limit.
    """

    condition_field_required: str
    """Detail of the error for a condition without `reason` or `lastTransitionTime`."""

    list_over_limit_is_too_many: bool
    """A list in a resource.k8s.io object that is over its limit is `Too many`, not `Too long`."""

    list_over_limit_ends_validation: bool
    """A list or map over its limit reports only this error; its items and duplicates are not validated."""

    duplicates_name_the_field: bool
    """The error for a duplicate has the path of the key field; in other releases the path of the item."""

    request_fields_under_exactly: bool
    """A v1alpha3 request is validated in the form of v1beta2. Errors name its fields as
    `requests[0].exactly.count`. A request without a class is neither `exactly` nor `firstAvailable`, and has
    no defaults. Other parts of a claim may reference `request/subrequest`.
    """

    ambiguous_request_ends_validation: bool
    """A request with both `exactly` and `firstAvailable` reports only this error; neither is validated."""

    empty_driver_name_ends_validation: bool
    """An empty driver name is only a required value, not also an invalid DNS subdomain."""

    attribute_domain: str
    """Name in errors of the part of a qualified name before the slash: `prefix` up to 1.31, then `domain`."""

    missing_domain_is_required: bool
    """A `matchAttribute` without a domain is a required value of the field `domain`, not an invalid
    attribute.
    """

    missing_domain: str
    """Detail of the error for a `matchAttribute` without a domain."""

    empty_name_parts_are_invalid: bool
    """An attribute name with an empty part is an invalid value; in other releases the part is a required
    value.
    """

    identifier_errors_are_of_type: bool
    """The error for an attribute name that is not a C identifier has the cause `FieldValueTypeInvalid`."""

    opaque_not_an_object: str
    """Detail of the error for opaque parameters and device data that are JSON, but not an object."""

    device_shown: str
    """Form of a device of `status.devices` in errors: "text" (`driver/pool/device`) up to 1.33, a struct of
    "handles" (`{}` for each field) in 1.34, a struct of "strings" from 1.35.
    """

    cel_libraries: frozenset[str]
    """CEL libraries (names of `machinery.cel.declarations`) in addition to those of all releases."""

    cel_results_may_be_unknown: bool
    """The result of a selector may be an attribute, whose type is unknown."""

    cel_devices_can_be_made: bool
    """Expressions may construct values of the device type."""

    cel_formats_are_checked: bool
    """Calls of `format` are checked when an expression is compiled: template and arguments must fit."""

    cel_sizes_are_traced: bool
    """Cost estimates track the sizes of elements and of bound variables."""

    cel_counts_empty_from_one: bool
    """The error of an empty expression is at column 1, not 0."""

    cel_line_starts_before: bool
    """The error for a fault at the start of a line shows the end of the line before."""

    cel_lexes_quoted_fields: bool
    """The lexer accepts names in backquotes, and a later check refuses them."""

    map_errors_name_the_key: bool
    """The path of an error about a key of a device's attributes or capacity includes the key."""

    attribute_values_are_counted: bool
    """All attributes of a device together have a limit on the number of values."""

    map_keys_are_shortened: bool
    """Paths of errors shorten long keys of attributes and capacity."""

    empty_attribute_is_required: bool
    """The error for a device attribute without a value is `Required value`, not `Invalid value`."""

    attribute_member: str
    """Noun in the error for a device attribute with several values: `field` up to 1.31, then `value`."""

    node_selector_term: str
    """Noun in the error for a slice's node selector without exactly one term: `selector term` up to 1.31,
    then `node selector term`.
    """

    invalid_slice_error_dumps_value: bool
    """The error for a slice that selects nodes in several ways prints the spec in Go syntax."""

    status_stores_metadata: bool
    """A write to a claim's status also stores labels, annotations, finalizers and ownerReferences."""

    admin_access_needs_label: bool
    """`adminAccess` requires a label on the claim's namespace."""

    admin_access_label: str
    """Namespace label that permits `adminAccess`."""

    updates_are_checked_once: bool
    """An update does not validate unchanged parts again. A changed claim spec reports only that it is
    immutable; templates and classes report each error once instead of twice.
    """

    tolerations_are_gated: bool
    """Tolerations are dropped while the gate DRADeviceTaints is off."""

    distinct_attribute_is_gated: bool
    """`distinctAttribute` of a constraint is dropped while the gate DRAConsumableCapacity is off."""

    binding_needs_device_status: bool
    """Binding conditions also need the gate of device status; an allocation's timestamp is dropped with them.
    """

    deallocated_devices_go_first: bool
    """The status of deallocated devices is dropped before the fields of disabled gates."""

    taint_effects: tuple[str, ...]
    """Effects of device taints, in the order in which errors list them."""

    unchanged_taints_are_trusted: bool
    """An update of a slice does not validate taints that the device had before."""

    result_tolerations_are_checked: bool
    """Tolerations in the results of an allocation are validated."""

    stored_expressions_are_trusted: bool
    """An update does not compile selectors that it does not change."""

    taint_time_follows_effect: bool
    """Changing the effect of a DeviceTaintRule sets `timeAdded` to now, unless the update changes `timeAdded`
    too.
    """

    counter_sets_stand_alone: bool
    """A ResourceSlice has devices or counter sets, not both. Devices name counter sets in other slices of the
    pool, and limits apply to each set and each device instead of the whole slice.
    """

    drivers_should_be_lowercase: bool
    """A write of a ResourceSlice whose driver name has uppercase letters returns a warning."""

    status_resets_metadata: bool
    """A write to a claim's status does not own metadata fields."""

    allocation_is_always_checked: bool
    """Every write to a claim's status validates the allocation, before all else; other releases validate only
    a new allocation, at the end.
    """

    node_selector_values_are_checked: bool
    """Values in an allocation's node selector must be valid label values."""

    addresses_are_canonical: bool
    """`networkData.ips` must be in canonical form, and are compared as strings."""

    capacity_defaults_have_own_errors: bool
    """The error for a default outside of a capacity range has the path of the default, not of the bound."""

    capacity_bounds_are_int64: bool
    """The step of a capacity range must be above zero, and amounts that do not fit into an int64 are refused.
    """

    unchanged_capacities_are_trusted: bool
    """An update of a slice does not validate capacities that it does not change."""

    condition_duplicates_name_the_type: bool
    """The error for two conditions of one type has the path of the second type, not of the second condition.
    """


_TOO_LONG = "may not be more than {} bytes"
_CEL_1_34 = frozenset(
    {
        "addresses",
        "bindings",
        "formats",
        "authorization selectors",
        "two variables",
        "optional lists",
        "semver normalization",
    }
)

HISTORY: History = {
    "too_long_name": {27: "may not be longer than {}", 32: _TOO_LONG},
    "condition_field_required": {27: "must be set", 34: ""},
    "list_over_limit_is_too_many": {27: False, 32: True},
    "list_over_limit_ends_validation": {27: False, 35: True},
    "duplicates_name_the_field": {27: True, 35: False},
    "request_fields_under_exactly": {27: False, 33: True},
    "ambiguous_request_ends_validation": {27: False, 35: True},
    "empty_driver_name_ends_validation": {27: False, 35: True},
    "attribute_domain": {27: "prefix", 32: "domain"},
    "missing_domain_is_required": {27: True, 32: False},
    "missing_domain": {
        27: "must include a prefix",
        32: "must include a domain",
        35: "a fully qualified name must be a domain and a name separated by a slash",
    },
    "empty_name_parts_are_invalid": {27: False, 35: True},
    "identifier_errors_are_of_type": {27: True, 34: False},
    "opaque_not_an_object": {
        27: "parameters must be a valid JSON object",
        34: "must be a valid JSON object",
    },
    "device_shown": {27: "text", 34: "handles", 35: "strings"},
    "cel_libraries": {
        27: frozenset(),
        31: frozenset({"addresses", "bindings"}),
        32: frozenset({"addresses", "bindings", "formats", "authorization selectors"}),
        33: frozenset(
            {"addresses", "bindings", "formats", "authorization selectors", "two variables", "optional lists"}
        ),
        34: _CEL_1_34,
        35: _CEL_1_34 | {"lists"},
    },
    "cel_results_may_be_unknown": {27: False, 31: True},
    "cel_devices_can_be_made": {27: False, 32: True},
    "cel_formats_are_checked": {27: False, 31: True},
    "cel_sizes_are_traced": {27: False, 33: True},
    "cel_counts_empty_from_one": {27: True, 32: False},
    "cel_line_starts_before": {27: True, 32: False},
    "cel_lexes_quoted_fields": {27: False, 33: True},
    "map_errors_name_the_key": {27: False, 32: True, 36: False},
    "attribute_values_are_counted": {27: False, 36: True},
    "map_keys_are_shortened": {27: False, 32: True},
    "empty_attribute_is_required": {27: True, 35: False},
    "attribute_member": {27: "field", 32: "value"},
    "node_selector_term": {27: "selector term", 32: "node selector term"},
    "invalid_slice_error_dumps_value": {27: False, 31: True, 32: False},
    "status_stores_metadata": {27: True, 30: False},
    "admin_access_needs_label": {27: False, 33: True},
    "admin_access_label": {27: "resource.k8s.io/admin-access", 34: "resource.kubernetes.io/admin-access"},
    "updates_are_checked_once": {27: False, 35: True},
    "tolerations_are_gated": {27: False, 35: True},
    "distinct_attribute_is_gated": {27: False, 35: True},
    "binding_needs_device_status": {27: True, 35: False},
    "deallocated_devices_go_first": {27: True, 35: False},
    "taint_effects": {27: ("NoExecute", "NoSchedule"), 35: ("NoExecute", "NoSchedule", "None")},
    "unchanged_taints_are_trusted": {27: False, 35: True},
    "result_tolerations_are_checked": {27: False, 37: True},
    "stored_expressions_are_trusted": {27: False, 37: True},
    "taint_time_follows_effect": {27: False, 36: True},
    "counter_sets_stand_alone": {27: False, 35: True},
    "drivers_should_be_lowercase": {27: False, 35: True},
    "status_resets_metadata": {27: False, 35: True},
    "allocation_is_always_checked": {27: False, 31: True, 32: False},
    "node_selector_values_are_checked": {27: False, 32: True},
    "addresses_are_canonical": {27: False, 33: True},
    "capacity_defaults_have_own_errors": {27: False, 37: True},
    "capacity_bounds_are_int64": {27: False, 37: True},
    "unchanged_capacities_are_trusted": {27: False, 37: True},
    "condition_duplicates_name_the_type": {27: True, 37: False},
}
