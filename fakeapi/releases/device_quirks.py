"""Differences between releases in the kinds of resource.k8s.io and their device selectors."""

from fakeapi.releases.history import ReleaseValues, since

_VALIDATION = "pkg/apis/resource/validation"
_STRATEGIES = "pkg/registry/resource"
_DEVICE_CEL = "staging/src/k8s.io/dynamic-resource-allocation/cel"
_CEL = "staging/src/k8s.io/apiserver/pkg/cel"
_CEL_GO = "github.com/google/cel-go"

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


class DeviceQuirks(ReleaseValues):
    """Describes how one release treats the kinds of resource.k8s.io, where releases differ."""

    too_long_name: str = since({27: "may not be longer than {}", 32: _TOO_LONG}, _VALIDATION)
    """Detail of the error for a pool name or attribute value over its limit, or a Job's `managedBy`.

    `{}` is the limit. Lists over their limit have the same detail in releases that report them as `Too long`.
    """

    condition_field_required: str = since({27: "must be set", 34: ""}, _VALIDATION)
    """Detail of the error for a condition without `reason` or `lastTransitionTime`."""

    list_over_limit_is_too_many: bool = since({27: False, 32: True}, _VALIDATION)
    """Whether an overlong list in a resource.k8s.io object is reported as `Too many`, not as `Too long`."""

    list_over_limit_ends_validation: bool = since({27: False, 35: True}, _VALIDATION)
    """Whether validation skips the items of a list or map that is longer than the limit."""

    duplicates_name_the_field: bool = since({27: True, 35: False}, _VALIDATION)
    """Whether the error for a duplicate item has the path of its key field.

    In other releases the error has the path of the item.
    """

    request_fields_under_exactly: bool = since({27: False, 33: True}, _STRATEGIES)
    """Whether device requests of v1alpha3 are validated in the form of v1beta2.

    Error paths are then `requests[0].exactly.count`. A request without a class is neither `exactly` nor
    `firstAvailable`, and has no defaults. Other parts of a claim may refer to `REQUEST/SUBREQUEST`.
    """

    ambiguous_request_ends_validation: bool = since({27: False, 35: True}, _VALIDATION)
    """Whether validation skips the fields `exactly` and `firstAvailable` of a request that has both fields.

    The request still gets the error that it has both fields.
    """

    empty_driver_name_ends_validation: bool = since({27: False, 35: True}, _VALIDATION)
    """Whether an empty driver name gets only a required error, and no error about DNS subdomains."""

    attribute_domain: str = since({27: "prefix", 32: "domain"}, _VALIDATION)
    """Noun in errors for the part of an attribute name before the slash.

    The noun is `prefix` up to 1.31, and `domain` from 1.32 on.
    """

    missing_domain_is_required: bool = since({27: True, 32: False}, _VALIDATION)
    """Whether the error for a `matchAttribute` without a domain is `Required value` at the path `domain`.

    In other releases the error for the attribute is `Invalid value`.
    """

    missing_domain: str = since(
        {
            27: "must include a prefix",
            32: "must include a domain",
            35: "a fully qualified name must be a domain and a name separated by a slash",
        },
        _VALIDATION,
    )
    """Detail of the error for a `matchAttribute` without a domain."""

    empty_name_parts_are_invalid: bool = since({27: False, 35: True}, _VALIDATION)
    """Whether the error for an attribute name with an empty part is `Invalid value`.

    In other releases the error for the part is `Required value`.
    """

    identifier_errors_are_of_type: bool = since({27: True, 34: False}, _VALIDATION)
    """Whether an attribute name that is not a C identifier has the error cause `FieldValueTypeInvalid`."""

    opaque_not_an_object: str = since(
        {
            27: "parameters must be a valid JSON object",
            34: "must be a valid JSON object",
        },
        _VALIDATION,
    )
    """Detail of the error for opaque parameters or device data that are valid JSON, but not a JSON object."""

    device_shown: str = since({27: "text", 34: "handles", 35: "strings"}, _VALIDATION)
    """The form in which errors print a device of `status.devices`.

    - "text": `DRIVER/POOL/DEVICE`, up to 1.33
    - "handles": a struct with `{}` for each field, in 1.34
    - "strings": a struct with a string for each field, from 1.35
    """

    cel_libraries: frozenset[str] = since(
        {
            27: frozenset(),
            31: frozenset({"addresses", "bindings"}),
            32: frozenset({"addresses", "bindings", "formats", "authorization selectors"}),
            33: frozenset(
                {
                    "addresses",
                    "bindings",
                    "formats",
                    "authorization selectors",
                    "two variables",
                    "optional lists",
                }
            ),
            34: _CEL_1_34,
            35: _CEL_1_34 | {"lists"},
        },
        _DEVICE_CEL,
    )
    """CEL libraries of device selectors, besides the libraries that all releases have.

    `machinery.cel.declarations` defines their names.
    """

    cel_results_may_be_unknown: bool = since({27: False, 31: True}, _DEVICE_CEL)
    """Whether the CEL compiler accepts a selector that only returns an attribute.

    The compiler does not know the type of an attribute.
    """

    cel_devices_can_be_made: bool = since({27: False, 32: True}, _DEVICE_CEL)
    """Whether CEL expressions may construct values of the device type."""

    cel_formats_are_checked: bool = since({27: False, 31: True}, _CEL)
    """Whether the CEL compiler checks that the arguments of each call of `format` fit its template."""

    cel_sizes_are_traced: bool = since({27: False, 33: True}, _CEL_GO)
    """Whether CEL cost estimates track the sizes of list elements and of bound variables."""

    cel_counts_empty_from_one: bool = since({27: True, 32: False}, _CEL_GO)
    """Whether the error for an empty CEL expression is at column 1; in other releases at column 0."""

    cel_line_starts_before: bool = since({27: True, 32: False}, _CEL_GO)
    """Whether an error at the start of a line in a CEL expression has the position before the line break."""

    cel_lexes_quoted_fields: bool = since({27: False, 33: True}, _CEL_GO)
    """Whether the CEL lexer accepts names in backquotes. A later check then rejects these names."""

    map_errors_name_the_key: bool = since({27: False, 32: True, 36: False}, _VALIDATION)
    """Whether the path of an error about a key of a device's attributes or capacity includes the key."""

    attribute_values_are_counted: bool = since({27: False, 36: True}, _VALIDATION)
    """Whether a limit applies to the total number of values in all attributes of a device."""

    map_keys_are_shortened: bool = since({27: False, 32: True}, _VALIDATION)
    """Whether error paths shorten long keys of a device's attributes and capacity."""

    empty_attribute_is_required: bool = since({27: True, 35: False}, _VALIDATION)
    """Whether the error for a device attribute without a value is `Required value`, not `Invalid value`."""

    attribute_member: str = since({27: "field", 32: "value"}, _VALIDATION)
    """Noun in the error for an attribute with several values: `field` up to 1.31, `value` from 1.32 on."""

    node_selector_term: str = since({27: "selector term", 32: "node selector term"}, _VALIDATION)
    """Noun in the error for a slice's node selector that does not have exactly one term.

    The noun is `selector term` up to 1.31, and `node selector term` from 1.32 on.
    """

    invalid_slice_error_dumps_value: bool = since({27: False, 31: True, 32: False}, _VALIDATION)
    """Whether the error for a slice that selects nodes in several ways prints the spec in Go syntax."""

    status_stores_metadata: bool = since({27: True, 30: False}, _STRATEGIES)
    """Whether a write to a claim's status also stores labels, annotations, finalizers and ownerReferences."""

    admin_access_needs_label: bool = since({27: False, 33: True}, _STRATEGIES)
    """Whether `adminAccess` requires a label on the claim's namespace."""

    admin_access_label: str = since(
        {27: "resource.k8s.io/admin-access", 34: "resource.kubernetes.io/admin-access"}, _STRATEGIES
    )
    """Label of a namespace that permits `adminAccess`."""

    updates_are_checked_once: bool = since({27: False, 35: True}, _VALIDATION)
    """Whether an update does not validate unchanged parts again.

    A changed claim spec only gets the error that it is immutable. Errors of templates and classes are
    reported once instead of twice.
    """

    tolerations_are_gated: bool = since({27: False, 35: True}, _STRATEGIES)
    """Whether tolerations are dropped while the gate DRADeviceTaints is off."""

    distinct_attribute_is_gated: bool = since({27: False, 35: True}, _STRATEGIES)
    """Whether `distinctAttribute` of a constraint is dropped while the gate DRAConsumableCapacity is off."""

    binding_needs_device_status: bool = since({27: True, 35: False}, _STRATEGIES)
    """Whether binding conditions also require the gate DRAResourceClaimDeviceStatus.

    If so, the allocation's timestamp is dropped together with the conditions.
    """

    deallocated_devices_go_first: bool = since({27: True, 35: False}, _STRATEGIES)
    """Whether the status of deallocated devices is dropped before the fields of disabled gates."""

    taint_effects: tuple[str, ...] = since(
        {27: ("NoExecute", "NoSchedule"), 35: ("NoExecute", "NoSchedule", "None")}, _VALIDATION
    )
    """Effects of device taints, in the order in which errors list them."""

    unchanged_taints_are_trusted: bool = since({27: False, 35: True}, _VALIDATION)
    """Whether an update does not validate unchanged taints of devices and DeviceTaintRules."""

    result_tolerations_are_checked: bool = since({27: False, 37: True}, _VALIDATION)
    """Whether tolerations in the results of an allocation are validated."""

    stored_expressions_are_trusted: bool = since({27: False, 37: True}, _VALIDATION)
    """Whether an update does not compile selectors that it does not change."""

    taint_time_follows_effect: bool = since({27: False, 36: True}, _STRATEGIES)
    """Whether a change of a DeviceTaintRule's effect sets `timeAdded` to the current time.

    If the update itself changes `timeAdded`, the server keeps the new value.
    """

    counter_sets_stand_alone: bool = since({27: False, 35: True}, _VALIDATION)
    """Whether a ResourceSlice may have devices or counter sets, but not both.

    If so, devices refer to counter sets in other slices of the pool. Limits apply to each set and each device
    instead of the whole slice.
    """

    drivers_should_be_lowercase: bool = since({27: False, 35: True}, _STRATEGIES)
    """Whether uppercase letters in the driver name of a ResourceSlice cause a warning."""

    status_resets_metadata: bool = since({27: False, 35: True}, _STRATEGIES)
    """Whether managedFields omit the metadata that a write to a claim's status contains."""

    allocation_is_always_checked: bool = since({27: False, 31: True, 32: False}, _VALIDATION)
    """Whether every write to a claim's status first validates the allocation.

    Other releases validate only a new allocation, after `reservedFor` and `devices`.
    """

    node_selector_values_are_checked: bool = since({27: False, 32: True}, _VALIDATION)
    """Whether values in an allocation's node selector must be valid label values."""

    addresses_are_canonical: bool = since({27: False, 33: True}, _VALIDATION)
    """Whether addresses in `networkData.ips` must be in canonical form.

    If so, duplicate addresses are found by comparing strings.
    """

    capacity_defaults_have_own_errors: bool = since({27: False, 37: True}, _VALIDATION)
    """Whether the error for a default value outside a capacity range has the path of the default.

    In other releases the error has the path of the bound.
    """

    capacity_bounds_are_int64: bool = since({27: False, 37: True}, _VALIDATION)
    """Whether the step of a capacity range must be positive, and amounts must fit into an int64."""

    unchanged_capacities_are_trusted: bool = since({27: False, 37: True}, _VALIDATION)
    """Whether an update of a slice does not validate capacities that it does not change."""

    condition_duplicates_name_the_type: bool = since({27: True, 37: False}, _VALIDATION)
    """Whether the error for a duplicate condition has the path of the condition's type.

    In other releases the error has the path of the condition.
    """
