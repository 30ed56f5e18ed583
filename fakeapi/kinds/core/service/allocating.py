"""Allocates the cluster IPs, node ports and health check port that the type of a Service needs.

Follows `allocateCreate` and `allocateUpdate` of k8s.io/kubernetes `pkg/registry/core/service/storage`. All
methods change the spec of the new Service in place.
"""

import msgspec

from fakeapi.kinds.core.service import spec as specs
from fakeapi.kinds.core.service.cluster_ip_validation import printed_ips
from fakeapi.kinds.core.service.families import CONFIGURED, fill_in_families, keeps_preference
from fakeapi.kinds.core.service.pools import (
    AddressPool,
    AllocationError,
    PoolFull,
    PortPool,
)
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Qualified
from fakeapi.machinery.field_errors import invalid
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules

SERVICE = Qualified("", "Service")

_PANIC = "This request caused apiserver to panic. Look in the logs for details."
"""Error message for an update that adds an IP family that the cluster does not have.

This can happen when a Service becomes headless. kube-apiserver panics, because it has no allocator for
cluster IPs of this family.
"""


class Allocator(msgspec.Struct, frozen=True):
    """Allocates addresses and ports for one write of a Service. `name`: the name of the Service."""

    name: str
    addresses: AddressPool
    ports: PortPool
    rules: ReleaseRules
    dry_run: bool

    def allocate_new(self, new: Object) -> None:
        """Allocates addresses and ports of a new Service.

        Raises ApiError 422 if IP families or cluster IPs are invalid, or a requested address or node port is
        unavailable. Raises ApiError 500 if a range is full or the health check port is unavailable.
        """
        self._fill_in_families(new, None)
        self._allocate_cluster_ips(new)
        if specs.has_node_ports(new):
            self._allocate_node_ports(new)
        if specs.needs_health_check(new):
            self._allocate_health_check(new)

    def allocate_change(self, new: Object, old: Object) -> None:
        """Allocates the addresses and ports that an update of a Service needs.

        Raises ApiError 422 if IP families or cluster IPs are invalid, or a requested address or node port is
        unavailable. Raises ApiError 500 in these cases:

        - a range is full
        - the health check port is unavailable
        - node ports are duplicate
        - the cluster does not have the second IP family
        """
        self._fill_in_families(new, old)
        if not keeps_preference(new, old):
            self._change_cluster_ips(new, old)
        if specs.has_node_ports(new):
            self._change_node_ports(new, old)
        if specs.needs_health_check(new) and not specs.needs_health_check(old):
            self._allocate_health_check(new)

    def _fill_in_families(self, new: Object, old: Object | None) -> None:
        problems = fill_in_families(new, old, self.rules)
        if problems:
            raise errors.invalid(SERVICE, self.name, problems)

    def _allocate_cluster_ips(self, new: Object) -> None:
        if specs.type_of(new) == specs.EXTERNAL_NAME or specs.cluster_ips(new)[:1] == [specs.NONE]:
            return
        ips = list(specs.cluster_ips(new))
        families = specs.families(new)
        new["clusterIPs"] = ips + [""] * (len(families) - len(ips))
        allocated = [self._cluster_ip(ip, new) for ip in new["clusterIPs"][: len(families)]]
        new["clusterIPs"] = [*allocated, *ips[len(families) :]]
        if allocated:
            new["clusterIP"] = allocated[0]

    def _change_cluster_ips(self, new: Object, old: Object) -> None:
        if specs.type_of(old) == specs.EXTERNAL_NAME:
            self._allocate_cluster_ips(new)
            return
        upgraded = len(specs.families(old)) == 1 and len(specs.families(new)) == 2
        headless = specs.cluster_ips(old)[:1] == [specs.NONE]
        if headless or specs.type_of(new) == specs.EXTERNAL_NAME or not upgraded:
            return
        ips = [*specs.cluster_ips(new), ""][:2]
        if len(ips) < 2 or specs.families(new)[1] not in CONFIGURED:
            raise ApiError(500, "InternalError", _PANIC)
        new["clusterIPs"] = ips
        new["clusterIPs"] = [ips[0], self._cluster_ip(ips[1], new)]

    def _cluster_ip(self, ip: str, new: Object) -> str:
        """Returns the available address `ip`, or a free address if `ip` is "".

        Raises ApiError 422 if `ip` is unavailable, and 500 if the range is full.
        """
        try:
            if not ip:
                return self.addresses.next(dry_run=self.dry_run)
            self.addresses.check(ip, dry_run=self.dry_run)
        except PoolFull as error:
            whose = f" for Service {_quoted(self.name)}" if self.rules.quirks.full_range_names_service else ""
            raise errors.internal(f"failed to allocate a serviceIP{whose}: {error}") from error
        except AllocationError as error:
            problem = f"failed to allocate IP {ip}: {error}"
            problems = [invalid("spec.clusterIPs", printed_ips(new, self.rules), problem)]
            raise errors.invalid(SERVICE, self.name, problems) from error
        return ip

    def _allocate_node_ports(self, new: Object) -> None:
        """Allocates node ports. Ports with the same number and different protocols share a node port."""
        ports = specs.ports_of(new)
        shared: dict[int, int] = {}
        for index, port in enumerate(ports):
            number, node_port = port.get("port", 0), port.get("nodePort", 0)
            if not node_port and not specs.is_given_node_ports(new):
                continue
            common = shared.get(number, 0)
            if not common:
                requested = [entry.get("nodePort", 0) for entry in ports if entry.get("port", 0) == number]
                chosen = next(filter(None, requested), 0)
                if chosen:
                    self._take_node_port(chosen, index)
                shared[number] = port["nodePort"] = chosen or self._next_node_port()
            elif not node_port:
                port["nodePort"] = common
            elif node_port != common:
                self._take_node_port(node_port, index)

    def _change_node_ports(self, new: Object, old: Object) -> None:
        before = specs.node_ports(old)
        taken: set[int] = set()
        seen: set[tuple[str, int]] = set()
        for index, port in enumerate(specs.ports_of(new)):
            number = port.get("nodePort", 0)
            if not number and not specs.is_given_node_ports(new):
                continue
            if not number:
                number = port["nodePort"] = self._next_node_port()
            elif number not in before and number not in taken:
                self._take_node_port(number, index)
                taken.add(number)
            key = (port.get("protocol", ""), number)
            if key in seen:
                raise ApiError(500, "", f"duplicate nodePort: {{{key[0]} {number}}}")
            seen.add(key)

    def _take_node_port(self, number: int, index: int) -> None:
        try:
            self.ports.take(number)
        except AllocationError as error:
            problems = [invalid(f"spec.ports[{index}].nodePort", number, str(error))]
            raise errors.invalid(SERVICE, self.name, problems) from error

    def _next_node_port(self) -> int:
        try:
            return self.ports.next()
        except AllocationError as error:
            raise errors.internal(f"failed to allocate a nodePort: {error}") from error

    def _allocate_health_check(self, new: Object) -> None:
        requested = new.get("healthCheckNodePort", 0)
        try:
            if requested:
                self.ports.take(requested)
            else:
                new["healthCheckNodePort"] = self.ports.next()
        except AllocationError as error:
            subject = (
                f"requested HealthCheck NodePort {requested}" if requested else "a HealthCheck NodePort 0"
            )
            raise errors.internal(f"failed to allocate {subject}: {error}") from error


def _quoted(name: str) -> str:
    return f'"{name}"'
