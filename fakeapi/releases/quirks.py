"""Named differences between releases that are neither a field, a gate nor a limit.

Each name says what the release does; the table at the end says from which release on. Known from recordings
of the releases' own servers, and where those are silent from k8s.io/kubernetes, k8s.io/apiserver and
k8s.io/apimachinery at the release's last patch.
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
    """What a release does: booleans, numbers and wordings."""

    pods: PodQuirks
    """Those that are about pods and templates of pods."""

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

    merge_keeps_directives: bool
    """What a strategic merge patch adds whole keeps the directives that stand inside it."""

    drivers_are_called_by_handles: bool
    """The kubelet calls DRA drivers with the handles of an allocation, and they answer with CDI devices
    alone."""

    kubelet_publishes_slices: bool
    """A kubelet publishes what drivers stream to it, as ResourceSlices."""
    kubelet_explains_predicates: bool
    """A kubelet that refuses a pod tells more than the predicate's name."""
    kubelet_keeps_driver_instances: bool
    """A kubelet knows several instances of a driver, and calls the one that registered last."""
    slices_outlive_drivers_by: float | None
    """Seconds after which a kubelet deletes the ResourceSlices of a driver that went; None for never."""

    health_services: tuple[str, ...]
    """gRPC services in which a kubelet asks drivers for the health of devices, the newest first."""
    drivers_offer_health: bool
    """Only drivers that register such a service are asked."""
    drivers_say_how_long_health_holds: bool
    """A report says for each device when its health is stale."""
    health_finds_claims_by: Literal["name in pod", "status", "spec"]
    """How the kubelet finds the claim that a container uses, to show the health of its devices."""
    health_is_of_requests: bool
    """A container shows only the devices of the request that it names, each once."""

    watch_cache_start: int
    """The resourceVersion at which a new server begins to keep history for watches."""

    initial_events_blueprint: bool
    """The bookmark that ends initial events carries an empty list of the kind as an annotation."""

    apply_checks_type_first: bool
    """Server-side apply refuses a body of another group, version or kind by `invalid object type`; a release
    that does not finds its version or its schema missing later on."""

    managed_fields_allow_duplicates: bool
    """An object with two equal items in a set or map list keeps its managedFields."""

    patches_are_checked_for_audit: bool
    """A patch that is not JSON, or not YAML, is refused before its object is looked for."""

    managed_fields_survive_errors: bool
    """An update or patch whose fields cannot be determined keeps the managedFields of the stored object;
    other releases drop them. It happens to custom objects whose managedFields name a version that their
    definition does not have. Follows `UpdateNoErrors` of k8s.io/apimachinery `pkg/util/managedfields`."""

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

    definitions_scheme: str
    """The Go package of the scheme of CustomResourceDefinitions, named in errors about other kinds."""

    openapi_opaque_items_have_defaults: bool
    """In OpenAPI the quantities and times of lists and maps have an empty object as their default."""

    openapi_documents_mark_own_version: bool
    """In OpenAPI 3 the kinds of all groups, such as DeleteOptions, are marked with the document's own version
    alone."""

    openapi_without_text: tuple[str, ...]
    """Members that refer to another type and have no description, as their Go fields have no comment."""

    openapi_lists_have_shards: bool
    """In OpenAPI lists, watches and deletions of collections take the parameter `shardSelector`."""

    openapi_requires_bodies: bool
    """In OpenAPI the bodies of writes are required."""

    openapi_log_has_stream: bool
    """In OpenAPI pods/log takes the parameter `stream`."""

    # How errors are worded

    wording: Wording
    """Of errors about metadata, options and selectors."""

    too_long: str
    """How a text, or metadata, beyond its limit is worded; `{}` is the limit in bytes."""

    too_long_name: str
    """The same for what is checked by its length as such: pool names, attribute values and, where they are
    `Too long`, lists."""

    condition_field_required: str
    """What is said of a condition without a reason, or without the time of its last transition."""

    list_over_limit_is_too_many: bool
    """A list of a resource.k8s.io object beyond its limit is `Too many`, not `Too long`."""

    list_over_limit_ends_validation: bool
    """Of a list or map beyond its limit nothing else is said, neither of its items nor of duplicates."""

    duplicates_name_the_field: bool
    """A duplicate is reported at the field that it has in common with another item; elsewhere at the item."""

    request_fields_under_exactly: bool
    """A v1alpha3 request is v1beta2's inside the server: errors name its fields as
    `requests[0].exactly.count`, one without a class is neither `exactly` nor `firstAvailable` and has no
    defaults, and other parts of a claim may name `request/subrequest`."""

    ambiguous_request_ends_validation: bool
    """Of a request that is both exact and a list, neither part is looked at."""

    empty_driver_name_ends_validation: bool
    """A driver name that is missing is not also called an invalid DNS subdomain."""

    attribute_domain: str
    """What messages call the part of a qualified name before its slash."""

    missing_domain_is_required: bool
    """A `matchAttribute` without a domain is an error of the field `domain`, not of the attribute's value."""

    missing_domain: str
    """How a `matchAttribute` without a domain is worded."""

    empty_name_parts_are_invalid: bool
    """An attribute's name of which a part is empty is invalid; elsewhere the part is required."""

    identifier_errors_are_of_type: bool
    """An attribute's name that is no C identifier is a `FieldValueTypeInvalid`."""

    opaque_not_an_object: str
    """How parameters and device data are refused that are JSON, but no object."""

    device_shown: str
    """A device of `status.devices` in errors: as "text" (driver/pool/device), or a struct of "handles" that
    show nothing, or of "strings"."""

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

    attribute_values_are_counted: bool
    """The values of all attributes of a device together have a limit."""

    map_keys_are_shortened: bool
    """A long key is shortened in the paths of errors."""

    empty_attribute_is_required: bool
    """An attribute without a value is a required value, not an invalid one."""

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

    admin_access_label: str
    """The name of that label."""

    updates_are_checked_once: bool
    """What an update leaves as it is need not be valid any more: of a claim's spec only that it changed is
    said, of a template's and a class's each error once."""

    tolerations_are_gated: bool
    """Tolerations are dropped while the gate DRADeviceTaints is off."""

    distinct_attribute_is_gated: bool
    """So is a constraint's `distinctAttribute`, by the gate DRAConsumableCapacity."""

    binding_needs_device_status: bool
    """Binding conditions need the gate of device status too; the time of an allocation goes with them."""

    deallocated_devices_go_first: bool
    """The status of deallocated devices is dropped before fields of gates that are off are."""

    taint_effects: tuple[str, ...]
    """The effects of device taints, in the order of messages."""

    unchanged_taints_are_trusted: bool
    """Taints that a device had before are not validated by an update of the slice."""

    result_tolerations_are_checked: bool
    """Tolerations of an allocation's results are validated."""

    stored_expressions_are_trusted: bool
    """Selectors that an update leaves as they are are not compiled."""

    taint_time_follows_effect: bool
    """A taint rule whose effect changes gets a new `timeAdded`, unless the writer changes that too."""

    counter_sets_stand_alone: bool
    """A slice has devices or counter sets, not both; devices name counter sets of other slices of the pool,
    and the limits are on each set and each device instead of on the whole."""

    drivers_should_be_lowercase: bool
    """A write of a slice whose driver has uppercase letters is answered with a warning."""

    status_resets_metadata: bool
    """A write of status owns nothing in the metadata."""

    allocation_is_always_checked: bool
    """An allocation is validated by every write of status, before all else; elsewhere only where it is new,
    after all else."""

    node_selector_values_are_checked: bool
    """Values in an allocation's node selector must be values that a label can have."""

    # Pods

    pods_have_generations: bool
    """A pod counts the changes of its spec, and its conditions keep the generations that they were observed
    at."""

    gated_pods_have_transition_time: bool
    """The condition of a pod that is held by scheduling gates says since when."""

    status_keeps_qos_class: bool
    """A write to the status of a pod that leaves out its class keeps it."""

    status_keeps_claim_statuses: bool
    """A write to the status of a pod that leaves out what it says of claims keeps it."""

    subresources_drop_metadata: bool
    """A write to `/ephemeralcontainers` or `/resize` of a pod changes no metadata, not even managed fields;
    elsewhere it is held to what a write to `/status` may change. A proposed resize is marked as such."""

    resize_follows_allocation: bool
    """An update of a pod that asks for other resources than are allocated is marked as a proposed resize."""

    app_armor_fields_are_annotated: bool
    """AppArmor profiles in fields of a new pod are also written into its annotations."""

    grace_never_ends_in_the_past: bool
    """A shortened grace period ends now if it would have ended before."""

    initialized_pods_forget_init_containers: bool
    """A condition says whether a pod is initialized; from then on only restartable init containers count for
    its restarts in tables."""

    finished_pods_are_not_terminating: bool
    """A pod that has succeeded or failed is never shown as Terminating."""

    failed_containers_hide_completed: bool
    """A pod is not shown as Completed while one of its containers has failed."""

    resizes_are_held_to_the_node: bool
    """A resize of a pod is refused that its node has no room for."""

    features_of_pod_changes: tuple[str, ...]
    """The features that nodes declare, and that a change of a pod may need."""

    pod_addresses_are_warned_of: bool
    """A write to the status of a pod is answered with warnings about addresses in an odd spelling."""

    eviction_refusals_explain: bool
    """An eviction that a budget refuses names the condition of the budget, if that says more than counts."""

    forbidden_evictions_have_causes: bool
    """An eviction that a budget's broken status forbids has a cause of its own."""

    addresses_are_canonical: bool
    """`networkData.ips` must be spelled in the canonical form, and are compared as texts."""

    # Services, endpoints and networking.k8s.io

    ambiguous_address: str
    """What warnings say of a spelling of an address that not all programs read in the same way."""

    address_warnings_quote_parser: bool
    """A warning of an address says what Go's strict parser says of it, not how to spell it instead."""

    any_service_has_balancer_status: bool
    """The status of any service may name the points of a load balancer."""

    load_balancers_spare_kubelets: bool
    """A load balancer may not have the port of kubelets."""

    source_ranges_are_checked_together: bool
    """Source ranges of a load balancer have one error, for all of them or the annotation."""

    external_ips_have_traffic_policy: bool
    """A service with external IPs has a policy about traffic from outside."""

    unallocated_node_ports_are_not_patched: bool
    """A load balancer for which no node ports are chosen is not given those that it had."""

    service_updates_check_metadata: bool
    """An update of a service validates its metadata as that of a new one, its name included."""

    services_have_field_labels: bool
    """Services can be selected by cluster IP and type."""

    full_range_names_service: bool
    """The error about a range without free addresses names the service."""

    endpoints_go_with_service: bool
    """The endpoints of a service go when it goes."""

    headless_services_are_warned_of: bool
    """A headless service is warned of fields that it makes no use of."""

    ignored_names_are_warned_of: bool
    """A service is warned of names and addresses outside of the cluster that its type makes no use of."""

    external_ips_are_deprecated: bool
    """A service with external IPs is warned of them."""

    prefer_close_is_deprecated: bool
    """The traffic distribution PreferClose is warned of."""

    stored_endpoints_are_trusted: bool
    """Endpoints that an update leaves as they are are not validated; those of slices come after the ports."""

    endpoint_slices_take_any_spelling: bool
    """Of an address in a slice only the family is checked, not how it is spelled."""

    status_address_error: str
    """What is said of an address in the status of a Service or an Ingress that is none."""

    bad_exception_ends_ip_block: bool
    """Of a block of addresses with an exception that is no CIDR value nothing more is said; what is no CIDR
    value is called so."""

    end_port_error_shows_port: bool
    """The error about a port range that ends before it begins shows where it begins."""

    network_policies_are_checked_twice: bool
    """An update of a network policy has each error of its rules twice."""

    required_reference_parts_are_named: bool
    """The error about a reference without kind or name names what is missing."""

    ingresses_keep_relaxed_names: str
    """Where in a stored ingress a service's name must be, such as the gate RelaxedServiceNameValidation
    allows, to be allowed in the new one: `rules`, or `everywhere`; empty for nowhere."""

    default_ingress_class_is_marked: bool
    """The table of ingress classes marks the one that is the default."""

    service_cidrs_are_parsed_by_netip: bool
    """Ranges of services are held to Go's strict parser, and stay as they were made."""

    service_cidr_status_resets_metadata: bool
    """A write to the status of a ServiceCIDR keeps the metadata."""

    service_cidr_status_resets_fields: bool
    """Such a write owns nothing but the status; in other releases whatever it sends."""

    ip_address_name_error: str
    """What is said of the name of an IPAddress that is no address in canonical form; empty where the rules
    for addresses have words of their own."""

    # Access reviews and kinds of access control

    review_attributes_are_a_union: bool
    """An access review of several things, or of nothing, is an error of the spec, not of a field of it."""

    role_reference_change: str
    """How a change of a binding's role is worded."""

    levels_may_have_no_shares: bool
    """A priority level may have no concurrency shares of its own."""

    exempt_level: str
    """What is said of a priority level that is exempt without having that name, or the other way around."""

    empty_level_type_is_required: bool
    """A priority level without a type lacks a required value; elsewhere an empty type is not supported."""

    flow_condition_type_required: str
    """What is said of a condition without a type."""

    exclusive_conditions_are_of_the_list: bool
    """A certificate request that is approved and denied is an error of its conditions, not of one of them."""

    cel_names_wrong_results: bool
    """An expression of a policy that comes to a wrong type is told which."""

    policies_judge_reviews: bool
    """Policies are asked about reviews, as webhooks are."""

    policy_variable_name: str
    """What is said of a policy's variable that CEL could not name."""

    policy_message: str
    """What the errors about the message of a validation begin with."""

    webhook_patch_belongs_to_call: bool
    """A webhook's patch that cannot be read is a failed call, which its failurePolicy may ignore."""

    webhook_service_part_required: str
    """What is said of a webhook's service without a name or namespace, `{}`."""

    binding_match_field: str
    """How errors spell `matchResources` of the binding of a policy."""

    missing_component_is_500: bool
    """Reading the status of a component that there is not is an internal error."""

    pod_certificates_have_stubs: bool
    """A request for a pod's certificate may show its key by a request that is signed with it."""

    rbac_updates_are_checked_twice: bool
    """An update of a role or binding reports what is wrong with the object twice."""

    # Kinds of the core group

    mountable_secrets_are_deprecated: bool
    """A service account that limits the secrets that pods may mount is warned about."""

    token_requests_have_uids: bool
    """A request for a token has the uid of its service account."""

    quota_has_scope_of_volumes: bool
    """A quota may be about claims of a VolumeAttributesClass."""

    quota_requests_above_limits_are_warned_about: bool
    """A quota whose requests are above its limits is warned about."""

    quota_scopes_exist: str
    """The message about a scope that can only be asked for with Exists."""

    # Users

    impersonation_without_user_is_bad_request: bool
    """Groups, extra values or a uid to impersonate without a user are a 400, not an error of the server."""

    refusals_name_authorizers: bool
    """The reason of a refusal begins with the name of the authorizer: `rbac: ` or `node: `."""

    # Admission

    templates_of_pod_groups_have_to_exist: bool
    """A group of pods is refused where the workload that it names, or its template, is not there."""

    jobs_of_gangs_keep_their_parallelism: bool
    """A job whose pods start together cannot change how many they are."""

    quota_counts_devices: bool
    """Quotas count the devices that claims ask for, by class."""

    quota_counts_extended_devices: bool
    """Quotas count devices by the extended resources that stand for their classes too."""

    quota_exempts_one_claim_of_a_pod: bool
    """Of the claims that are made for a pod's extended resources, only the first is counted with the pod."""

    quota_follows_scopes: bool
    """An update is charged in whole to quotas that come to be about an object by it, and the status of a
    volume claim is counted."""

    topology_labels: tuple[str, ...]
    """The labels that a pod takes over from its node, where it does."""

    attribute_classes_are_protected: bool
    """A new VolumeAttributesClass gets the finalizer of what may be in use."""
    # Volumes, their classes and drivers; leases, priorities and runtimes

    capacity_defaults_have_own_errors: bool
    """The error of a default outside of a range of capacities is at the default, not at the bound."""

    capacity_bounds_are_int64: bool
    """The step of a range of capacities is above zero, and what an int64 does not hold is refused."""

    unchanged_capacities_are_trusted: bool
    """The capacities of a device that an update leaves as they are are not validated again."""

    condition_duplicates_name_the_type: bool
    """The error of two conditions of one type is at the type of the second, not at the condition."""

    declared_rules: Literal["unknown", "taken over", "of new kinds", "enforced"]
    """Whose declared rules are enforced: those of kinds with no other rules, of all kinds, or of all where
    the gate DeclarativeValidationTakeover says so."""

    class_changes_are_forbidden: bool
    """A change of what a StorageClass is made of is forbidden; elsewhere the field is immutable."""

    one_storage_class_is_default: bool
    """In tables at most one StorageClass is called the default."""

    attributes_class_may_be_default: bool
    """In tables a VolumeAttributesClass with the annotation is called the default."""

    attributes_classes_are_checked_again: bool
    """What is wrong with an updated VolumeAttributesClass is said twice."""

    capacities_are_checked_twice: bool
    """What is wrong with a new CSIStorageCapacity is said twice."""

    csi_drivers_may_change: bool
    """All of a CSIDriver may change but whether volumes are attached and how long they live; any change is a
    new generation."""

    csi_drivers_know_secrets: bool
    """A CSIDriver that asks for tokens should say whether they are secrets."""

    csi_node_updates_are_checked_once: bool
    """What is wrong with an updated CSINode is not said twice."""

    csi_node_driver_path: str
    """Where a change of a CSINode's driver is reported."""

    csi_node_counts_may_change: bool
    """How many volumes a driver of a CSINode can attach may change, where the gate is on."""

    attachers_are_driver_names: bool
    """The attacher of a VolumeAttachment is checked as the name of a driver with the rest of the spec;
    elsewhere only where it is new, after all else."""

    volume_error_limit_told: int
    """What is told to be the limit of the message of an attachment's error."""

    single_pod_is_a_mode: bool
    """The access mode ReadWriteOncePod is supported wherever volumes are described."""

    volume_node_values_are_checked: bool
    """Values in the node affinity of a volume must be values that a label can have."""

    candidates_list_strategies: bool
    """A LeaseCandidate has preferred strategies and needs no version; elsewhere it has one strategy."""

    empty_handler_is_required: bool
    """The handler of a RuntimeClass that is missing is a required value, not an invalid name."""

    toleration_path_repeats: bool
    """Errors of a RuntimeClass' tolerations are reported at `scheduling.tolerations.tolerations`."""

    tolerations_compare: bool
    """The operators Lt and Gt are told to be supported where they are asked for."""

    workloads: WorkloadQuirks
    """Those of workloads, budgets and autoscalers."""

    custom: CustomQuirks
    """Those of CustomResourceDefinitions and their objects."""

    rules: RuleQuirks
    """Those of the rules of custom resources."""
    storage_versions_are_served: bool
    """Servers tell the versions that they serve, and each server is there once."""

    migrations_need_version: bool
    """The status of a StorageVersionMigration needs a resourceVersion."""

    ended_migrations_do_not_run: bool
    """A StorageVersionMigration that has ended cannot be running."""

    # Nodes, persistent volumes and claims for them

    node_networks_are_warned_about: bool
    """Networks of a node's pods that are spelled ambiguously are answered with a warning, or refused."""

    node_network_errors_show_all: bool
    """The error of one network of a node's pods shows all of them."""

    node_networks_must_differ: bool
    """A network of a node's pods that is there twice is a duplicate."""

    nodes_declare_features: bool
    """The features that a node declares are checked."""

    set_provider_is_invalid: bool
    """A change of a node's provider is invalid; elsewhere it is forbidden."""

    kernels_show_architecture: bool
    """In tables a node's architecture follows its kernel."""

    user_namespaces_have_handlers: bool
    """Handlers of a node's runtime are kept for user namespaces too."""

    volumes_warn_of_deprecation: bool
    """Volumes and claims with deprecated sources or annotations are answered with a warning."""

    mount_options_are_deprecated: bool
    """So are mount options in an annotation."""

    recycling_is_deprecated: bool
    """So is a volume that is to be recycled."""

    volumes_keep_transitions: bool
    """The server keeps the time at which a volume changed its phase."""

    attributes_class_stays_when_off: bool
    """A volume keeps its attributes class although the gate is off."""

    attributes_class_may_change: str
    """When the attributes class of a claim may change: "never", "always", "bound and set" or "bound"."""

    claims_drop_resource_claims: bool
    """The resource claims of a volume claim's resources are dropped."""

    claims_have_resize_statuses: bool
    """A claim has a status of its expansion for each resource; elsewhere one for all."""

    resize_statuses_field: str
    """What errors call that field."""

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
