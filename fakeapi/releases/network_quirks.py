"""Differences between releases in services, endpoints and networking.k8s.io."""

from fakeapi.releases.history import ReleaseValues, since

_VALIDATION = "pkg/apis/core/validation"
_SERVICE_STORAGE = "pkg/registry/core/service/storage"
_ADDRESSES = "staging/src/k8s.io/apimachinery/pkg/util/validation"
_ALLOCATOR = "pkg/registry/core/service/ipallocator"
_WARNINGS = "pkg/api/service"
_DISCOVERY = "pkg/apis/discovery/validation"
_NETWORKING = "pkg/apis/networking/validation"
_TABLES = "pkg/printers/internalversion"
_CIDRS = "pkg/registry/networking/servicecidr"
_DEFAULTS = "pkg/apis/core/v1"
_AGGREGATOR = "staging/src/k8s.io/kube-aggregator/pkg/controllers/status/remote"


class NetworkQuirks(ReleaseValues):
    """Describes how one release treats services, endpoints and networking.k8s.io, where releases differ."""

    ambiguous_address: str = since(
        {
            27: "will be considered invalid in a future Kubernetes release",
            36: "is invalid",
        },
        _ADDRESSES,
    )
    """Phrase in the warning about an IP address that different programs parse differently."""

    address_warnings_quote_parser: bool = since({27: True, 33: False}, _ADDRESSES)
    """Whether warnings about IP addresses quote the error of Go's strict parser.

    In other releases, the warnings suggest a spelling. Those releases also warn about addresses in network
    policies, endpoint slices and load balancer status.
    """

    any_service_has_balancer_status: bool = since({27: True, 29: False}, _VALIDATION)
    """Whether services of any type may have a `status.loadBalancer`."""

    load_balancers_spare_kubelets: bool = since({27: True, 33: False}, _VALIDATION)
    """Whether a LoadBalancer service must not expose the kubelet's port."""

    source_ranges_are_checked_together: bool = since({27: True, 30: False}, _VALIDATION)
    """Whether all invalid source ranges of a load balancer get one error together.

    The ranges come from `loadBalancerSourceRanges` or from the annotation.
    """

    external_ips_have_traffic_policy: bool = since({27: False, 29: True}, _DEFAULTS)
    """Whether a service with external IPs has an externalTrafficPolicy. Its default is Cluster."""

    unallocated_node_ports_are_not_patched: bool = since({27: False, 30: True}, _SERVICE_STORAGE)
    """Whether an update loses the stored node ports that the client omits.

    Only concerns services with `allocateLoadBalancerNodePorts: false`. In other releases, the update copies
    these node ports from the stored service.
    """

    service_updates_check_metadata: bool = since({27: True, 34: False}, _VALIDATION)
    """Whether an update of a service validates its metadata like a create, including the name."""

    services_have_field_labels: bool = since({27: False, 31: True}, _DEFAULTS)
    """Whether field selectors of services may use `spec.clusterIP` and `spec.type`."""

    full_range_names_service: bool = since({27: False, 36: True}, _ALLOCATOR)
    """Whether the error for a ClusterIP range without free addresses names the service."""

    endpoints_go_with_service: bool = since({27: True, 37: False}, _SERVICE_STORAGE)
    """Whether deleting a service also deletes its Endpoints."""

    headless_services_are_warned_of: bool = since({27: False, 34: True}, _WARNINGS)
    """Whether a headless service causes warnings about fields that it ignores."""

    ignored_names_are_warned_of: bool = since({27: False, 28: True}, _WARNINGS)
    """Whether a service causes warnings about `externalName` and `externalIPs` that its type ignores."""

    external_ips_are_deprecated: bool = since({27: False, 36: True}, _WARNINGS)
    """Whether a service with external IPs causes a deprecation warning."""

    prefer_close_is_deprecated: bool = since({27: False, 35: True}, _WARNINGS)
    """Whether a service with the traffic distribution PreferClose causes a deprecation warning."""

    stored_endpoints_are_trusted: bool = since({27: False, 33: True}, _VALIDATION)
    """Whether an update does not validate endpoints that it does not change.

    If so, EndpointSlices validate endpoints after ports.
    """

    endpoint_slices_take_any_spelling: bool = since({27: True, 33: False}, _DISCOVERY)
    """Whether EndpointSlice addresses of the right IP family may have any spelling."""

    status_address_error: str = since(
        {
            27: "must be a valid IP address",
            30: "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
        },
        _VALIDATION,
    )
    """Detail of the error for an invalid address in the status of a Service or an Ingress."""

    bad_exception_ends_ip_block: bool = since({27: True, 30: False}, _NETWORKING)
    """Whether an invalid CIDR in `except` ends the validation of its IP block.

    If so, the error for an invalid CIDR is `not a valid CIDR`.
    """

    end_port_error_shows_port: bool = since({27: True, 37: False}, _NETWORKING)
    """Whether the error for an `endPort` below `port` prints `port`; other releases print `endPort`."""

    network_policies_are_checked_twice: bool = since({27: True, 36: False}, _NETWORKING)
    """Whether an update of a NetworkPolicy reports each error of its rules twice."""

    required_reference_parts_are_named: bool = since({27: True, 34: False}, _VALIDATION)
    """Whether the error for an object reference without kind or name has a detail with the missing part."""

    ingresses_keep_relaxed_names: str = since({27: "", 34: "rules", 35: "everywhere"}, _NETWORKING)
    """The parts of a stored Ingress in which a relaxed service name allows updates to use relaxed names.

    Only applies while the gate RelaxedServiceNameValidation is off.

    - "rules": the rules
    - "everywhere": the rules and the default backend
    - "": an update may never use relaxed names
    """

    default_ingress_class_is_marked: bool = since({27: False, 36: True}, _TABLES)
    """Whether `kubectl get` tables mark the default IngressClass."""

    service_cidrs_are_parsed_by_netip: bool = since({27: True, 33: False}, _NETWORKING)
    """Whether Go's strict parser (net/netip) parses the ranges of a ServiceCIDR.

    If so, the ranges are immutable. In other releases, updates may add a range of the other IP family.
    """

    service_cidr_status_resets_metadata: bool = since({27: False, 33: True}, _CIDRS)
    """Whether a write to a ServiceCIDR's status keeps the stored metadata."""

    service_cidr_status_resets_fields: bool = since({27: False, 36: True}, _CIDRS)
    """Whether managedFields of a write to a ServiceCIDR's status only contain fields of the status.

    In other releases the managedFields contain all fields that the client sends.
    """

    ip_address_name_error: str = since(
        {
            27: "not a valid ip in canonical format",
            29: "must be a canonical format IP address",
            33: "",
        },
        _NETWORKING,
    )
    """Detail of the error for an IPAddress whose name is not a canonical address.

    Empty if the common rules for addresses give the error.
    """

    aggregator_reads: str = since({27: "endpoints", 34: "endpointslices"}, _AGGREGATOR)
    """The resource in which the aggregator looks for the addresses of an APIService's Service."""
