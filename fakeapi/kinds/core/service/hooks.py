"""Hooks of Service writes: allocate addresses before the commit, and update IPAddresses after the commit.

Follows `beginCreate`, `beginUpdate` and `afterDelete` of k8s.io/kubernetes
`pkg/registry/core/service/storage`.
"""

from typing import Final

from fakeapi.kinds.core.service import spec as specs
from fakeapi.kinds.core.service.allocating import Allocator
from fakeapi.kinds.core.service.inferred import normalize_cluster_ips, patch_allocated_values
from fakeapi.kinds.core.service.pools import AddressPool, PortPool
from fakeapi.kinds.core.service.usage import SERVICES, UsageTracker
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.ip_addresses import family_of, parse_ip
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import List, Struct
from fakeapi.registry.model.definition import StrategyContext, Write
from fakeapi.registry.requests.options import DeleteOptions, ObjectReference, WriteOptions
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.server import Server
from fakeapi.registry.verbs.creating import create
from fakeapi.registry.verbs.deleting import delete
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules

MULTIPLE_RANGES_GATE: Final = "MultiCIDRServiceAllocator"
FAMILY_LABEL: Final = "ipaddress.kubernetes.io/ip-family"
MANAGED_LABEL: Final = "ipaddress.kubernetes.io/managed-by"
ALLOCATOR: Final = "ipallocator.k8s.io"
"""Value of the managed-by label of IPAddresses that the server creates."""

_NETWORKING: Final = "networking.k8s.io"


class ServiceHooks:
    """Allocates addresses and ports of Services. Creates and deletes objects that depend on a Service."""

    may_run_in_thread = False
    pool = SERVICES

    def __init__(self, kind: Kind, rules: ReleaseRules, context: StrategyContext) -> None:
        self._kind = kind
        self._rules = rules
        self._context = context
        self._network = context.service_network
        self._usage = UsageTracker(context.entries, self._network.cluster_ips)

    def begin_create(self, obj: Object, *, dry_run: bool) -> Object:
        spec = _own_spec(obj)
        normalize_cluster_ips(spec, None)
        self._allocator(obj, dry_run=dry_run).allocate_new(spec)
        return self._with_spec(obj, spec)

    def begin_update(self, new: Object, old: Object, *, dry_run: bool) -> Object:
        spec, before = _own_spec(new), old["spec"]
        without = self._rules.quirks.unallocated_node_ports_are_not_patched
        patch_allocated_values(spec, before, without_unallocated=without)
        normalize_cluster_ips(spec, before)
        self._allocator(new, dry_run=dry_run).allocate_change(spec, before)
        return self._with_spec(new, spec)

    async def after(self, server: Server, write: Write) -> None:
        """Creates and deletes IPAddresses after a write, if the release allocates from ServiceCIDRs.

        Up to 1.36, also deletes the Endpoints of a deleted Service.
        """
        before = _addresses(write.old)
        now = _addresses(write.new)
        if self._rules.gates.enabled(MULTIPLE_RANGES_GATE):
            for address in sorted(before - now):
                await _remove(server, _NETWORKING, "ipaddresses", ObjectReference(name=address))
            for address in sorted(now - before):
                await _add_address(server, address, write.target)
        if write.new is None and self._rules.quirks.endpoints_go_with_service:
            await _remove(server, "", "endpoints", write.target)

    def _allocator(self, obj: Object, *, dry_run: bool) -> Allocator:
        meta = obj["metadata"]
        taken = self._usage.taken()
        if not dry_run:
            self._usage.expect(meta.get("namespace", ""), meta.get("name", ""))
        several = self._rules.gates.enabled(MULTIPLE_RANGES_GATE)
        addresses = taken.addresses | (self._usage.addresses_in_use() if several else frozenset())
        networks = self._usage.networks(several=several)
        return Allocator(
            name=meta.get("name", ""),
            addresses=AddressPool(networks, addresses, self._context.fraction, names_network=not several),
            ports=PortPool(self._network.node_ports, taken.ports, self._context.fraction, dry_run),
            rules=self._rules,
            dry_run=dry_run,
        )

    def _with_spec(self, obj: Object, spec: Object) -> Object:
        """Returns the Service with the given spec, whose fields are sorted in the order of the Go type."""
        node = self._kind.schema.fields["spec"].node
        assert isinstance(node, Struct), "the spec of a Service is a struct"
        ports = node.fields["ports"].node
        assert isinstance(ports, List), "a Service has a list of ports"
        assert isinstance(ports.items, Struct), "a port is a struct"
        if specs.ports_of(spec):
            spec["ports"] = [_in_order(port, ports.items) for port in specs.ports_of(spec)]
        return {**obj, "spec": _in_order(spec, node)}


def _in_order(obj: Object, node: Struct) -> Object:
    return {name: obj[name] for name in node.fields if name in obj}


def _own_spec(obj: Object) -> Object:
    """Returns a copy of the spec and its ports, so that changes do not affect the stored Service."""
    spec = dict(obj["spec"])
    if specs.ports_of(spec):
        spec["ports"] = [dict(port) for port in specs.ports_of(spec)]
    return spec


def _addresses(obj: Object | None) -> set[str]:
    """Returns the cluster IPs of a Service in canonical form; an empty set for None."""
    ips = () if obj is None else specs.cluster_ips(obj["spec"])
    return {str(ip) for ip in map(parse_ip, ips) if ip is not None}


async def _add_address(server: Server, address: str, service: ObjectReference) -> None:
    """Creates an IPAddress for a Service, unless the IPAddress already exists.

    Does nothing if the server does not serve IPAddresses. Raises ApiError if the write fails.
    """
    resource = server.find(_NETWORKING, "v1", "ipaddresses") or server.find(
        _NETWORKING, "v1beta1", "ipaddresses"
    )
    if resource is None:
        return
    obj = resource.empty_object()
    obj["metadata"] |= {
        "name": address,
        "labels": {FAMILY_LABEL: family_of(address) or "", MANAGED_LABEL: ALLOCATOR},
    }
    parent = {"resource": "services", "namespace": service.namespace, "name": service.name}
    obj["spec"] = {"parentRef": parent}
    options = WriteOptions(manager="kube-apiserver")
    try:
        await create(WriteRequest(server, resource, ObjectReference(name=address), options), obj)
    except ApiError as error:
        if error.reason != errors.already_exists(resource.qualified, address).reason:
            raise


async def _remove(server: Server, group: str, plural: str, target: ObjectReference) -> None:
    versions = ("v1", "v1beta1") if group else ("v1",)
    resource = next(filter(None, (server.find(group, version, plural) for version in versions)), None)
    if resource is None:
        return
    try:
        await delete(server, resource, target, DeleteOptions())
    except ApiError as error:
        if error.code != 404:
            raise
