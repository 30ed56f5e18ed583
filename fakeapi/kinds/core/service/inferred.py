"""Sets fields of a Service that a client omitted, and clears fields that no longer apply.

Follows `normalizeClusterIPs` and `patchAllocatedValues` of k8s.io/kubernetes
`pkg/registry/core/service/storage` and `dropTypeDependentFields` of `pkg/registry/core/service`. All
functions change the new spec in place, and never change the old spec.
"""

from fakeapi.kinds.core.service import spec as specs
from fakeapi.kinds.core.service.spec import keeps, put
from fakeapi.machinery.json_types import Object


def normalize_cluster_ips(new: Object, old: Object | None) -> None:
    """Derives `clusterIPs` of the spec `new` from `clusterIP`, for clients that only send `clusterIP`.

    `old`: the stored spec; None on create
    """
    cluster_ip = new.get("clusterIP", "")
    if old is None:
        if cluster_ip and not specs.cluster_ips(new):
            new["clusterIPs"] = [cluster_ip]
        return
    before = old.get("clusterIP", "")
    if specs.cluster_ips(old) and not specs.cluster_ips(new) and cluster_ip == before:
        new["clusterIPs"] = list(specs.cluster_ips(old))
    if cluster_ip != before and keeps(new, old, "clusterIPs"):
        put(new, "clusterIPs", [] if before and not cluster_ip else [cluster_ip])


def patch_allocated_values(new: Object, old: Object, *, without_unallocated: bool) -> None:
    """Copies missing cluster IPs and ports from the stored spec, so that clients can apply a manifest again.

    `without_unallocated`: whether to skip node ports if `allocateLoadBalancerNodePorts` is false
    """
    if specs.needs_cluster_ip(old) and specs.needs_cluster_ip(new):
        for name in ("clusterIP", "clusterIPs"):
            if not new.get(name) and old.get(name):
                new[name] = old[name]
    wants = specs.is_given_node_ports if without_unallocated else specs.has_node_ports
    if wants(old) and wants(new):
        _patch_node_ports(new, old)
    if specs.needs_health_check(old) and specs.needs_health_check(new) and not new.get("healthCheckNodePort"):
        put(new, "healthCheckNodePort", old.get("healthCheckNodePort"))


def _patch_node_ports(new: Object, old: Object) -> None:
    """Copies a missing node port from the port of the same name in the stored spec.

    Skips stored node ports that the new spec already contains.
    """
    used = set(specs.node_ports(old)) & set(specs.node_ports(new))
    by_name = {port.get("name", ""): port.get("nodePort", 0) for port in specs.ports_of(old)}
    for port in specs.ports_of(new):
        if not port.get("nodePort"):
            before = by_name.get(port.get("name", ""), 0)
            if before not in used:
                put(port, "nodePort", before)


def drop_type_dependent_fields(new: Object, old: Object) -> None:
    """Clears fields that only the old type of the Service needs, unless the client changed these fields."""
    if specs.needs_cluster_ip(old) and not specs.needs_cluster_ip(new):
        if keeps(new, old, "clusterIP", "clusterIPs"):
            put(new, "clusterIP", None)
            put(new, "clusterIPs", None)
        for name in ("ipFamilies", "ipFamilyPolicy"):
            if keeps(new, old, name):
                put(new, name, None)
    chosen = set(specs.node_ports(new)) <= set(specs.node_ports(old))
    if specs.has_node_ports(old) and not specs.has_node_ports(new) and chosen:
        for port in specs.ports_of(new):
            put(port, "nodePort", None)
    checked = specs.needs_health_check(old) and not specs.needs_health_check(new)
    if checked and keeps(new, old, "healthCheckNodePort"):
        put(new, "healthCheckNodePort", None)
    if specs.type_of(old) == specs.LOAD_BALANCER and specs.type_of(new) != specs.LOAD_BALANCER:
        if new.get("allocateLoadBalancerNodePorts") == old.get("allocateLoadBalancerNodePorts"):
            put(new, "allocateLoadBalancerNodePorts", None)
        if new.get("loadBalancerClass") == old.get("loadBalancerClass"):
            put(new, "loadBalancerClass", None)


def drop_traffic_policy(new: Object, old: Object, *, follows_accessibility: bool) -> None:
    """Clears an externalTrafficPolicy that no longer applies, unless the client changed the policy.

    `follows_accessibility`: whether the policy also applies to Services with external IPs
    """
    has_policy = specs.is_externally_accessible if follows_accessibility else specs.has_node_ports
    if has_policy(old) and not has_policy(new) and keeps(new, old, "externalTrafficPolicy"):
        put(new, "externalTrafficPolicy", None)
