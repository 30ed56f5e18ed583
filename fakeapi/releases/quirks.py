"""Behaviour that differs between releases, other than kinds, fields, gates and limits.

Each attribute says what a release does; the table at the end says from which release on. Sources are
recordings of the releases' own servers, and k8s.io/kubernetes, k8s.io/apiserver and k8s.io/apimachinery at
the release's last patch where the recordings are silent.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from fakeapi.machinery.meta.wording import Wording
from fakeapi.releases.custom_quirks import CustomQuirks, custom_quirks_of
from fakeapi.releases.history import History, values_at
from fakeapi.releases.pod_quirks import PodQuirks, pod_quirks_of
from fakeapi.releases.rule_quirks import RuleQuirks, rule_quirks_of
from fakeapi.releases.workload_quirks import WorkloadQuirks, workload_quirks_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirks:
    """The behaviour of one release: booleans, numbers and wordings."""

    pods: PodQuirks
    """Differences in pods and pod templates."""

    # Requests for any resource

    list_resource_version_error_is_500: bool
    """A list from the watch cache with an invalid resourceVersion fails with 500 instead of 400."""

    list_parses_resource_version_before_continue: bool
    """A list that combines a continue token with an invalid resourceVersion reports the invalid
    resourceVersion, not that the two exclude each other.
    """

    watch_cache_serves_pages: bool
    """The watch cache also serves lists without a resourceVersion, and first pages. Its continue tokens begin
    the key with a slash.
    """

    uid_of_missing_object_conflicts: bool
    """An update of a missing object with a uid fails with 409 Conflict (failed precondition) instead of 404.
    """

    zero_creation_timestamp_is_null: bool
    """An unset creationTimestamp is written as null instead of being omitted: `omitempty` of encoding/json
    keeps empty structs, `omitzero` omits them.
    """

    delete_body_error_is_500: bool
    """A DELETE with a body that cannot be decoded fails with 500 instead of 400."""

    unsafe_deletes_may_be_dry_runs: bool
    """DeleteOptions may combine `ignoreStoreReadErrorWithClusterBreakingPotential` with `dryRun`."""

    merge_keeps_directives: bool
    """Objects that a strategic merge patch adds keep directives, such as `$patch`, that are inside them."""

    drivers_are_called_by_handles: bool
    """The kubelet calls DRA drivers with the resource handles of an allocation, and drivers answer with CDI
    devices only.
    """

    kubelet_publishes_slices: bool
    """The kubelet publishes ResourceSlices of the resources that drivers stream to it."""
    kubelet_explains_predicates: bool
    """The message of a pod that the kubelet rejects says why the predicate failed, not only its name."""
    kubelet_keeps_driver_instances: bool
    """The kubelet keeps several instances of a DRA driver, and calls the one that registered last."""
    slices_outlive_drivers_by: float | None
    """Seconds after which the kubelet deletes the ResourceSlices of a driver that unregistered; None: never.
    """

    health_services: tuple[str, ...]
    """gRPC services through which the kubelet watches the health of devices, newest first; empty before 1.34.
    """
    drivers_offer_health: bool
    """The kubelet watches only drivers that register a health service; if False, it tries every driver."""
    drivers_say_how_long_health_holds: bool
    """A health report has a timeout for each device, after which its health is stale."""
    health_finds_claims_by: Literal["name in pod", "status", "spec"]
    """Source from which the kubelet takes a claim's name, to report the health of a container's devices: the
    pod's own name for the claim up to 1.34, the pod's status in 1.35, its spec from 1.36.
    """
    health_is_of_requests: bool
    """A container status lists only the devices of the request that the container references, each once."""

    watch_cache_start: int
    """The oldest resourceVersion at which a watch may start on a new server."""

    initial_events_blueprint: bool
    """The bookmark that ends initial events has an annotation with an empty list of the kind."""

    apply_checks_type_first: bool
    """Server-side apply of an object with another group, version or kind fails with `invalid object type`;
    other releases fail later, when they miss its version or schema.
    """

    managed_fields_allow_duplicates: bool
    """An object with duplicate items in a set or map list keeps its managedFields."""

    patches_are_checked_for_audit: bool
    """A patch that is not valid JSON or YAML is rejected before its object is read."""

    managed_fields_survive_errors: bool
    """An update or patch whose fields cannot be determined keeps the managedFields of the stored object;
    other releases drop them. It happens to custom objects whose managedFields name a version that their
    definition does not have. Follows `UpdateNoErrors` of k8s.io/apimachinery `pkg/util/managedfields`.
    """

    list_keys_may_be_absent: bool
    """An item of a map list may omit some of its keys, but not all. It differs from any item that has these
    keys.
    """

    managed_fields_order_matters: bool
    """A list whose items only changed their order counts as changed in managedFields."""

    aggregated_discovery: tuple[str, ...]
    """Versions of apidiscovery.k8s.io that clients can request, preferred version first. The gate
    AggregatedDiscoveryRemoveBetaType removes v2beta1.
    """

    openapi_items_have_defaults: bool
    """In OpenAPI, items of lists and values of maps have Go's zero value as their default."""

    definitions_scheme: str
    """Go source line of the scheme of CustomResourceDefinitions, which errors about other kinds print."""

    openapi_opaque_items_have_defaults: bool
    """In OpenAPI, quantities and times in lists and maps have an empty object as their default."""

    openapi_documents_mark_own_version: bool
    """In OpenAPI v3, the x-kubernetes-group-version-kind of kinds that all groups share, such as
    DeleteOptions, lists only the document's own version.
    """

    openapi_without_text: tuple[str, ...]
    """Fields without a description in OpenAPI: they refer to another type, and their Go fields have no
    comment.
    """

    openapi_lists_have_shards: bool
    """In OpenAPI, list, watch and deletecollection have the parameter `shardSelector`."""

    openapi_requires_bodies: bool
    """In OpenAPI, the bodies of writes are required."""

    openapi_log_has_stream: bool
    """In OpenAPI, pods/log has the parameter `stream`."""

    # Wording of errors

    wording: Wording
    """Wording of errors about metadata, options and selectors."""

    too_long: str
    """Detail of the error for a string or for metadata over its limit; `{}` is the limit in bytes."""

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

    # Device selectors in CEL: new expressions must also compile in the release before

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

    # Storage and validation

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

    # Pods

    pods_have_generations: bool
    """Pods have a metadata.generation, and their conditions keep the observedGeneration."""

    gated_pods_have_transition_time: bool
    """The PodScheduled condition of a pod with scheduling gates has a lastTransitionTime."""

    status_keeps_qos_class: bool
    """A write to a pod's status without `qosClass` keeps the stored one."""

    status_keeps_claim_statuses: bool
    """A write to a pod's status without claim statuses keeps the stored ones."""

    subresources_drop_metadata: bool
    """A write to `/ephemeralcontainers` or `/resize` of a pod keeps the stored metadata, managedFields
    included, and `/resize` sets `status.resize` to Proposed. Other releases treat metadata as a write to
    `/status` does.
    """

    resize_follows_allocation: bool
    """An update of a pod that requests other resources than are allocated sets `status.resize` to Proposed.
    """

    app_armor_fields_are_annotated: bool
    """AppArmor profiles in fields of a new pod are also written to its annotations."""

    grace_never_ends_in_the_past: bool
    """A shortened grace period ends now if it would have ended in the past."""

    initialized_pods_forget_init_containers: bool
    """Tables use the condition Initialized to tell whether a pod is initialized. The restarts of an
    initialized pod then count sidecars, but no other init containers.
    """

    finished_pods_are_not_terminating: bool
    """Tables never show a pod that succeeded or failed as Terminating."""

    failed_containers_hide_completed: bool
    """Tables do not show a pod as Completed if one of its containers failed."""

    resizes_are_held_to_the_node: bool
    """A resize of a pod is refused if its node has too little allocatable CPU or memory."""

    features_of_pod_changes: tuple[str, ...]
    """Node features that changes of a pod may require in the node's `status.declaredFeatures`."""

    pod_addresses_are_warned_of: bool
    """A write to a pod's status returns warnings about IP addresses in non-standard form."""

    eviction_refusals_explain: bool
    """An eviction that a budget refuses explains the budget's condition, if it says more than the counts."""

    forbidden_evictions_have_causes: bool
    """An eviction that is forbidden because of a broken budget status has a cause in its details."""

    addresses_are_canonical: bool
    """`networkData.ips` must be in canonical form, and are compared as strings."""

    # Services, endpoints and networking.k8s.io

    ambiguous_address: str
    """Phrase of the warning about an address that not all programs parse alike."""

    address_warnings_quote_parser: bool
    """Warnings about addresses quote the error of Go's strict parser; other releases suggest a spelling, and
    also warn for network policies, endpoint slices and load balancer status.
    """

    any_service_has_balancer_status: bool
    """Services of any type may have a `status.loadBalancer`."""

    load_balancers_spare_kubelets: bool
    """A LoadBalancer service may not expose the port of kubelets."""

    source_ranges_are_checked_together: bool
    """Invalid source ranges of a load balancer have one error for all of them, in the field or the
    annotation.
    """

    external_ips_have_traffic_policy: bool
    """A service with external IPs has an externalTrafficPolicy."""

    unallocated_node_ports_are_not_patched: bool
    """An update does not copy stored node ports to a load balancer for which none are allocated."""

    service_updates_check_metadata: bool
    """An update of a service validates its metadata as a create does, including the name."""

    services_have_field_labels: bool
    """Field selectors of services may use `spec.clusterIP` and `spec.type`."""

    full_range_names_service: bool
    """The error for an IP range without free addresses names the service."""

    endpoints_go_with_service: bool
    """Deleting a service also deletes its Endpoints."""

    headless_services_are_warned_of: bool
    """A headless service returns warnings about fields that it ignores."""

    ignored_names_are_warned_of: bool
    """A service returns warnings about `externalName` and `externalIPs` that its type ignores."""

    external_ips_are_deprecated: bool
    """A service with external IPs returns a deprecation warning."""

    prefer_close_is_deprecated: bool
    """A service with the traffic distribution PreferClose returns a deprecation warning."""

    stored_endpoints_are_trusted: bool
    """An update does not validate endpoints that it does not change; EndpointSlices validate endpoints after
    ports.
    """

    endpoint_slices_take_any_spelling: bool
    """An address in an EndpointSlice must be of the right family, but may have any spelling."""

    status_address_error: str
    """Detail of the error for an invalid address in the status of a Service or an Ingress."""

    bad_exception_ends_ip_block: bool
    """An IP block with an invalid CIDR in `except` is not validated further, and the error for an invalid
    CIDR is `not a valid CIDR`.
    """

    end_port_error_shows_port: bool
    """The error for an `endPort` before `port` prints `port`; in other releases it prints `endPort`."""

    network_policies_are_checked_twice: bool
    """An update of a NetworkPolicy reports each error of its rules twice."""

    required_reference_parts_are_named: bool
    """The error for a reference without kind or name says which one is required."""

    ingresses_keep_relaxed_names: str
    """Part of a stored Ingress in which a relaxed service name permits such names in an update while the gate
    RelaxedServiceNameValidation is off: `rules`, `everywhere` (the default backend too), or empty for none.
    """

    default_ingress_class_is_marked: bool
    """Tables mark the default IngressClass."""

    service_cidrs_are_parsed_by_netip: bool
    """Go's strict parser (net/netip) parses the ranges of a ServiceCIDR, and they are immutable; other
    releases allow adding a range of the other family.
    """

    service_cidr_status_resets_metadata: bool
    """A write to a ServiceCIDR's status keeps the stored metadata."""

    service_cidr_status_resets_fields: bool
    """A write to a ServiceCIDR's status owns only status fields; in other releases it owns all fields that it
    sends.
    """

    ip_address_name_error: str
    """Detail of the error for an IPAddress name that is not a canonical address; empty: the common rules for
    addresses have their own errors.
    """

    # Access reviews and kinds of access control

    review_attributes_are_a_union: bool
    """An access review with several kinds of attributes, or none, is an error of `spec`, not of one of its
    fields.
    """

    role_reference_change: str
    """Detail of the error for a changed roleRef of a binding."""

    levels_may_have_no_shares: bool
    """A priority level may have 0 concurrency shares."""

    exempt_level: str
    """Detail of the error for a priority level of type Exempt with another name than `exempt`, or the
    reverse.
    """

    empty_level_type_is_required: bool
    """A priority level without a type lacks a required value; in other releases its empty type is not
    supported.
    """

    flow_condition_type_required: str
    """Detail of the error for a condition without a type, in flow control objects."""

    exclusive_conditions_are_of_the_list: bool
    """The error for a CertificateSigningRequest that is both approved and denied has the path of all
    conditions, not of one condition.
    """

    cel_names_wrong_results: bool
    """The error for a policy expression of a wrong type also names its actual type."""

    policies_judge_reviews: bool
    """Admission policies apply to authentication and authorization reviews, as webhooks do."""

    policy_variable_name: str
    """Detail of the error for a policy variable whose name is not a CEL identifier."""

    policy_message: str
    """Beginning of the errors for a validation's `message`."""

    webhook_patch_belongs_to_call: bool
    """A webhook patch that cannot be decoded is a failed call, which failurePolicy may ignore; in other
    releases it is an internal error.
    """

    webhook_service_part_required: str
    """Detail of the error for a webhook service without name or namespace; `{}` is the missing one."""

    binding_match_field: str
    """Spelling of `matchResources` in errors of policy bindings, with a typing error up to 1.31."""

    missing_component_is_500: bool
    """Reading an unknown ComponentStatus fails with 500 instead of 404."""

    pod_certificates_have_stubs: bool
    """A PodCertificateRequest may prove possession of its key by a PKCS #10 request signed with it."""

    rbac_updates_are_checked_twice: bool
    """An update of a role or binding reports the errors of the object twice."""

    # Kinds of the core group

    mountable_secrets_are_deprecated: bool
    """A service account that limits mountable secrets returns a deprecation warning."""

    token_requests_have_uids: bool
    """A TokenRequest has the uid of its service account."""

    quota_has_scope_of_volumes: bool
    """A ResourceQuota may have the scope VolumeAttributesClass."""

    quota_requests_above_limits_are_warned_about: bool
    """A ResourceQuota with requests above its limits returns a warning."""

    quota_scopes_exist: str
    """Detail of the error for a scope that supports only the operator Exists."""

    # Users

    impersonation_without_user_is_bad_request: bool
    """Impersonating groups, extra values or a uid without a user fails with 400 instead of 500."""

    refusals_name_authorizers: bool
    """The reason of a refusal begins with the name of the authorizer: `rbac: ` or `node: `."""

    # Admission

    templates_of_pod_groups_have_to_exist: bool
    """A PodGroup is refused if the workload that it names, or the workload's template, does not exist."""

    jobs_of_gangs_keep_their_parallelism: bool
    """The parallelism of a Job with a gang-scheduled PodGroup is immutable."""

    quota_counts_devices: bool
    """Quotas count the devices that claims request, by DeviceClass."""

    quota_counts_extended_devices: bool
    """Quotas also count devices by the extended resources of their DeviceClasses."""

    quota_exempts_one_claim_of_a_pod: bool
    """Quotas exempt only the first claim generated for a pod's extended resources, because it counts with the
    pod.
    """

    quota_follows_scopes: bool
    """An update that makes an object match a quota's scopes is charged to the quota in full. Quotas also
    count the status of a PersistentVolumeClaim.
    """

    topology_labels: tuple[str, ...]
    """Labels that a pod copies from its node, if the node has them."""

    attribute_classes_are_protected: bool
    """A new VolumeAttributesClass gets the finalizer that protects objects in use."""
    # Volumes, their classes and drivers; leases, priorities and runtimes

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

    declared_rules: Literal["unknown", "taken over", "of new kinds", "enforced"]
    """Kinds whose declarative validation is enforced: none before 1.33; all while
    DeclarativeValidationTakeover is on from 1.33; kinds without other validation in 1.36; all from 1.37.
    """

    class_changes_are_forbidden: bool
    """The change of a fixed field of a StorageClass is Forbidden; in other releases it is Invalid
    (immutable).
    """

    one_storage_class_is_default: bool
    """Tables mark at most one StorageClass as the default."""

    attributes_class_may_be_default: bool
    """Tables mark a VolumeAttributesClass with the default annotation as the default."""

    attributes_classes_are_checked_again: bool
    """An update of a VolumeAttributesClass reports errors of the object twice."""

    capacities_are_checked_twice: bool
    """A create of a CSIStorageCapacity reports each error twice."""

    csi_drivers_may_change: bool
    """All fields of a CSIDriver may change except `attachRequired` and `volumeLifecycleModes`; any change is
    a new generation.
    """

    csi_drivers_know_secrets: bool
    """A CSIDriver that requests tokens should say whether they are passed as secrets."""

    csi_node_updates_are_checked_once: bool
    """An update of a CSINode reports errors of the object once instead of twice."""

    csi_node_driver_path: str
    """Path of the error for a changed driver of a CSINode."""

    csi_node_counts_may_change: bool
    """`allocatable` of a CSINode driver may change, unless the gate MutableCSINodeAllocatableCount is off."""

    attachers_are_driver_names: bool
    """The attacher of a VolumeAttachment is validated as a driver name with the rest of the spec; in other
    releases only on create, at the end.
    """

    volume_error_limit_told: int
    """Limit that the error for a too long message in a VolumeAttachment's status prints."""

    single_pod_is_a_mode: bool
    """The access mode ReadWriteOncePod is supported in inline volume specs too."""

    volume_node_values_are_checked: bool
    """Values in the node affinity of a PersistentVolume must be valid label values."""

    candidates_list_strategies: bool
    """A LeaseCandidate has `preferredStrategies` and needs no version; in other releases it has one
    `strategy`.
    """

    empty_handler_is_required: bool
    """An empty handler of a RuntimeClass is a required value, not an invalid name."""

    toleration_path_repeats: bool
    """The path of errors in a RuntimeClass's tolerations is `scheduling.tolerations.tolerations`."""

    tolerations_compare: bool
    """The error for the toleration operators Lt and Gt lists them as supported."""

    workloads: WorkloadQuirks
    """Differences in workloads, disruption budgets and autoscalers."""

    custom: CustomQuirks
    """Differences in CustomResourceDefinitions and custom objects."""

    rules: RuleQuirks
    """Differences in the validation rules of custom resources."""
    storage_versions_are_served: bool
    """`servedVersions` of a StorageVersion are validated, and each API server may occur only once."""

    migrations_need_version: bool
    """The status of a StorageVersionMigration requires a resourceVersion."""

    ended_migrations_do_not_run: bool
    """A StorageVersionMigration that succeeded or failed cannot be running."""

    # Nodes, persistent volumes and claims for them

    node_networks_are_warned_about: bool
    """A node's podCIDRs in ambiguous form return a warning or are refused."""

    node_network_errors_show_all: bool
    """The error for one invalid podCIDR of a node prints all of them."""

    node_networks_must_differ: bool
    """A repeated podCIDR of a node is an error (Duplicate value)."""

    nodes_declare_features: bool
    """A node's `status.declaredFeatures` are validated."""

    set_provider_is_invalid: bool
    """A change of a node's providerID is Invalid; in other releases it is Forbidden."""

    kernels_show_architecture: bool
    """Tables show a node's architecture after its kernel version."""

    user_namespaces_have_handlers: bool
    """A node's `runtimeHandlers` are also kept if the gate UserNamespacesSupport is on."""

    volumes_warn_of_deprecation: bool
    """PersistentVolumes and claims with deprecated sources or annotations return warnings."""

    mount_options_are_deprecated: bool
    """A PersistentVolume with the annotation for mount options returns a deprecation warning."""

    recycling_is_deprecated: bool
    """A PersistentVolume with the reclaim policy Recycle returns a deprecation warning."""

    volumes_keep_transitions: bool
    """A PersistentVolume's status has the time of its last phase transition."""

    attributes_class_stays_when_off: bool
    """A PersistentVolume keeps its volumeAttributesClassName although the gate VolumeAttributesClass is off.
    """

    attributes_class_may_change: str
    """State in which a claim's volumeAttributesClassName may change: "never", "always", "bound and set"
    (bound, with a new name) or "bound".
    """

    claims_drop_resource_claims: bool
    """`resources.claims` of a PersistentVolumeClaim is dropped."""

    claims_have_resize_statuses: bool
    """A PersistentVolumeClaim has a resize status for each resource; in other releases it has one
    `resizeStatus`.
    """

    resize_statuses_field: str
    """Name of the field `allocatedResourceStatuses` in errors."""

    data_source_groups_are_checked: bool
    """The API group of a claim's data source must be a DNS subdomain."""


_TOO_LONG = "may not be more than {} bytes"

_DEFINITIONS_SCHEME = "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:{}"
_SCHEMA_PROPS = tuple(
    f"apiextensions/v1.JSONSchemaProps.{name}"
    for name in ("additionalItems", "additionalProperties", "example", "externalDocs", "items", "not")
)
_SCOPE = (
    "must be '{}' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
    "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or "
    "ResourceQuotaScopeCrossNamespacePodAffinity"
)

_WORDS_32 = Wording(too_long=_TOO_LONG)
_WORDS_29 = replace(_WORDS_32, too_long="must have at most {} bytes")
_WORDS_27 = replace(_WORDS_29, quoted_resource_names=True)
_WORDS_34 = replace(_WORDS_32, json_values=True, empty_owner_member="must not be empty")
_WORDS_35 = replace(_WORDS_34, length_unit="bytes")
_WORDS_37 = replace(_WORDS_35, required_where_empty=True, applied="patch")

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

_HISTORY: History = {
    "list_resource_version_error_is_500": {27: True, 33: False},
    "list_parses_resource_version_before_continue": {27: True, 30: False},
    "watch_cache_serves_pages": {27: False, 31: True},
    "uid_of_missing_object_conflicts": {27: True, 34: False},
    "zero_creation_timestamp_is_null": {27: True, 34: False},
    "delete_body_error_is_500": {27: True, 35: False},
    "unsafe_deletes_may_be_dry_runs": {27: False, 37: True},
    "merge_keeps_directives": {27: True, 28: False},
    "drivers_are_called_by_handles": {27: True, 31: False},
    "kubelet_publishes_slices": {27: False, 30: True, 31: False},
    "kubelet_explains_predicates": {27: False, 31: True},
    "kubelet_keeps_driver_instances": {27: False, 33: True},
    "slices_outlive_drivers_by": {27: None, 31: 0.0, 33: 30.0},
    "health_services": {
        27: (),
        34: ("v1alpha1.DRAResourceHealth",),
        37: ("v1.DRAResourceHealth", "v1alpha1.DRAResourceHealth"),
    },
    "drivers_offer_health": {27: False, 37: True},
    "drivers_say_how_long_health_holds": {27: False, 35: True},
    "health_finds_claims_by": {27: "name in pod", 35: "status", 36: "spec"},
    "health_is_of_requests": {27: False, 36: True},
    "watch_cache_start": {27: 1, 33: 2, 37: 1},
    "initial_events_blueprint": {27: False, 32: True, 33: False},
    "apply_checks_type_first": {27: False, 28: True},
    "managed_fields_allow_duplicates": {27: False, 29: True},
    "patches_are_checked_for_audit": {27: False, 37: True},
    "managed_fields_survive_errors": {27: False, 37: True},
    "list_keys_may_be_absent": {27: False, 34: True},
    "managed_fields_order_matters": {27: False, 29: True},
    "aggregated_discovery": {27: ("v2beta1",), 30: ("v2", "v2beta1")},
    "openapi_items_have_defaults": {27: True, 36: False},
    "definitions_scheme": {
        27: _DEFINITIONS_SCHEME.format(56),
        29: _DEFINITIONS_SCHEME.format(54),
        31: _DEFINITIONS_SCHEME.format(53),
        33: _DEFINITIONS_SCHEME.format(55),
        37: _DEFINITIONS_SCHEME.format(56),
    },
    "openapi_opaque_items_have_defaults": {27: True, 29: False},
    "openapi_documents_mark_own_version": {27: False, 36: True},
    "openapi_without_text": {
        27: (
            "core/v1.NamespaceCondition.lastTransitionTime",
            "networking/v1.IngressRule.http",
            *_SCHEMA_PROPS,
        ),
        32: ("networking/v1.IngressRule.http", *_SCHEMA_PROPS),
        37: _SCHEMA_PROPS,
    },
    "openapi_lists_have_shards": {27: False, 36: True},
    "openapi_requires_bodies": {27: False, 29: True},
    "openapi_log_has_stream": {27: False, 32: True},
    "wording": {27: _WORDS_27, 29: _WORDS_29, 32: _WORDS_32, 34: _WORDS_34, 35: _WORDS_35, 37: _WORDS_37},
    "too_long": {27: "must have at most {} bytes", 32: _TOO_LONG},
    "too_long_name": {27: "may not be longer than {}", 32: _TOO_LONG},
    "list_over_limit_is_too_many": {27: False, 32: True},
    "list_over_limit_ends_validation": {27: False, 35: True},
    "duplicates_name_the_field": {27: True, 35: False},
    "condition_field_required": {27: "must be set", 34: ""},
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
    "pods_have_generations": {27: False, 33: True},
    "gated_pods_have_transition_time": {27: False, 31: True},
    "status_keeps_qos_class": {27: False, 32: True},
    "status_keeps_claim_statuses": {27: False, 37: True},
    "subresources_drop_metadata": {27: True, 33: False},
    "resize_follows_allocation": {27: True, 32: False},
    "app_armor_fields_are_annotated": {27: True, 34: False},
    "grace_never_ends_in_the_past": {27: False, 33: True},
    "initialized_pods_forget_init_containers": {27: False, 28: True},
    "finished_pods_are_not_terminating": {27: False, 31: True},
    "failed_containers_hide_completed": {27: False, 35: True},
    "resizes_are_held_to_the_node": {27: False, 36: True},
    "features_of_pod_changes": {
        27: (),
        35: ("GuaranteedQoSPodCPUResize", "InPlacePodLevelResourcesVerticalScaling"),
        36: ("InPlacePodLevelResourcesVerticalScaling", "InPlacePodVerticalScalingInitContainers"),
        37: (
            "InPlacePodLevelResourcesVerticalScaling",
            "InPlacePodVerticalScalingInitContainers",
            "InPlacePodVerticalScalingMemoryBackedVolumes",
        ),
    },
    "pod_addresses_are_warned_of": {27: False, 33: True},
    "eviction_refusals_explain": {27: False, 35: True},
    "forbidden_evictions_have_causes": {27: False, 37: True},
    "ambiguous_address": {
        27: "will be considered invalid in a future Kubernetes release",
        36: "is invalid",
    },
    "address_warnings_quote_parser": {27: True, 33: False},
    "any_service_has_balancer_status": {27: True, 29: False},
    "load_balancers_spare_kubelets": {27: True, 33: False},
    "source_ranges_are_checked_together": {27: True, 30: False},
    "external_ips_have_traffic_policy": {27: False, 29: True},
    "unallocated_node_ports_are_not_patched": {27: False, 30: True},
    "service_updates_check_metadata": {27: True, 34: False},
    "services_have_field_labels": {27: False, 31: True},
    "full_range_names_service": {27: False, 36: True},
    "endpoints_go_with_service": {27: True, 37: False},
    "headless_services_are_warned_of": {27: False, 34: True},
    "ignored_names_are_warned_of": {27: False, 28: True},
    "external_ips_are_deprecated": {27: False, 36: True},
    "prefer_close_is_deprecated": {27: False, 35: True},
    "stored_endpoints_are_trusted": {27: False, 33: True},
    "endpoint_slices_take_any_spelling": {27: True, 33: False},
    "status_address_error": {
        27: "must be a valid IP address",
        30: "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
    },
    "bad_exception_ends_ip_block": {27: True, 30: False},
    "end_port_error_shows_port": {27: True, 37: False},
    "network_policies_are_checked_twice": {27: True, 36: False},
    "required_reference_parts_are_named": {27: True, 34: False},
    "ingresses_keep_relaxed_names": {27: "", 34: "rules", 35: "everywhere"},
    "default_ingress_class_is_marked": {27: False, 36: True},
    "service_cidrs_are_parsed_by_netip": {27: True, 33: False},
    "service_cidr_status_resets_metadata": {27: False, 33: True},
    "service_cidr_status_resets_fields": {27: False, 36: True},
    "ip_address_name_error": {
        27: "not a valid ip in canonical format",
        29: "must be a canonical format IP address",
        33: "",
    },
    "levels_may_have_no_shares": {27: False, 30: True},
    "exempt_level": {
        27: "type must be 'Exempt' if and only if name is 'exempt'",
        34: "must be 'Exempt' if and only if `name` is 'exempt'",
    },
    "empty_level_type_is_required": {27: False, 36: True},
    "flow_condition_type_required": {27: "must not be empty", 34: ""},
    "exclusive_conditions_are_of_the_list": {27: False, 34: True},
    "cel_names_wrong_results": {27: False, 32: True},
    "policies_judge_reviews": {27: True, 30: False},
    "policy_variable_name": {27: "name is not a valid CEL identifier", 34: "must be a valid CEL identifier"},
    "policy_message": {27: "message ", 34: ""},
    "webhook_patch_belongs_to_call": {27: False, 34: True},
    "webhook_service_part_required": {27: "service {} is required", 34: ""},
    "binding_match_field": {27: "matchResouces", 32: "matchResources"},
    "missing_component_is_500": {27: True, 33: False},
    "pod_certificates_have_stubs": {27: False, 36: True},
    "rbac_updates_are_checked_twice": {27: True, 35: False},
    "review_attributes_are_a_union": {27: False, 37: True},
    "role_reference_change": {27: "cannot change roleRef", 37: "field is immutable"},
    "mountable_secrets_are_deprecated": {27: False, 32: True},
    "token_requests_have_uids": {27: False, 34: True},
    "impersonation_without_user_is_bad_request": {27: False, 35: True},
    "refusals_name_authorizers": {27: False, 37: True},
    "quota_has_scope_of_volumes": {27: False, 33: True},
    "quota_requests_above_limits_are_warned_about": {27: False, 35: True},
    "quota_scopes_exist": {27: _SCOPE.format("Exist"), 31: _SCOPE.format("Exists")},
    "templates_of_pod_groups_have_to_exist": {27: False, 36: True, 37: False},
    "jobs_of_gangs_keep_their_parallelism": {27: False, 36: True, 37: False},
    "quota_counts_devices": {27: False, 31: True},
    "quota_counts_extended_devices": {27: False, 35: True},
    "quota_exempts_one_claim_of_a_pod": {27: False, 36: True},
    "quota_follows_scopes": {27: False, 33: True},
    "topology_labels": {
        27: ("topology.k8s.io/region", "topology.k8s.io/zone"),
        34: ("topology.kubernetes.io/region", "topology.kubernetes.io/zone"),
    },
    "attribute_classes_are_protected": {27: False, 33: True},
    "capacity_defaults_have_own_errors": {27: False, 37: True},
    "capacity_bounds_are_int64": {27: False, 37: True},
    "unchanged_capacities_are_trusted": {27: False, 37: True},
    "condition_duplicates_name_the_type": {27: True, 37: False},
    "declared_rules": {27: "unknown", 33: "taken over", 36: "of new kinds", 37: "enforced"},
    "class_changes_are_forbidden": {27: True, 36: False},
    "one_storage_class_is_default": {27: False, 37: True},
    "attributes_class_may_be_default": {27: True, 34: False},
    "attributes_classes_are_checked_again": {27: False, 30: True},
    "capacities_are_checked_twice": {27: True, 28: False},
    "csi_drivers_may_change": {27: False, 30: True},
    "csi_drivers_know_secrets": {27: False, 35: True},
    "csi_node_updates_are_checked_once": {27: False, 36: True},
    "csi_node_driver_path": {27: "CSINodeDriver", 33: "spec.drivers"},
    "csi_node_counts_may_change": {27: False, 33: True},
    "attachers_are_driver_names": {27: False, 36: True},
    "volume_error_limit_told": {27: 262144, 37: 1024},
    "single_pod_is_a_mode": {27: False, 29: True},
    "volume_node_values_are_checked": {27: False, 33: True},
    "candidates_list_strategies": {27: True, 32: False},
    "empty_handler_is_required": {27: False, 36: True},
    "toleration_path_repeats": {27: True, 35: False},
    "tolerations_compare": {27: False, 35: True},
    "storage_versions_are_served": {27: False, 28: True},
    "migrations_need_version": {27: True, 36: False},
    "ended_migrations_do_not_run": {27: True, 36: False},
    "node_networks_are_warned_about": {27: False, 33: True},
    "node_network_errors_show_all": {27: True, 30: False},
    "node_networks_must_differ": {27: True, 33: False},
    "nodes_declare_features": {27: False, 35: True},
    "set_provider_is_invalid": {27: False, 37: True},
    "kernels_show_architecture": {27: False, 36: True},
    "user_namespaces_have_handlers": {27: False, 31: True},
    "volumes_warn_of_deprecation": {27: False, 28: True},
    "mount_options_are_deprecated": {27: False, 31: True},
    "recycling_is_deprecated": {27: False, 30: True},
    "volumes_keep_transitions": {27: False, 28: True},
    "attributes_class_stays_when_off": {27: False, 29: True, 31: False},
    "attributes_class_may_change": {27: "never", 29: "always", 31: "bound and set", 34: "bound"},
    "claims_drop_resource_claims": {27: True, 29: False},
    "claims_have_resize_statuses": {27: False, 28: True},
    "resize_statuses_field": {27: "allocatedResourceStatus", 34: "allocatedResourceStatuses"},
    "data_source_groups_are_checked": {27: False, 29: True},
}


@cache
def quirks_of(minor: int) -> Quirks:
    """The quirks of release 1.`minor`."""
    return Quirks(
        pods=pod_quirks_of(minor),
        workloads=workload_quirks_of(minor),
        custom=custom_quirks_of(minor),
        rules=rule_quirks_of(minor),
        **values_at(_HISTORY, minor),
    )
