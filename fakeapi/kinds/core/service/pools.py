"""The pools that cluster IPs and node ports are taken from.

Follows k8s.io/kubernetes `pkg/registry/core/service/ipallocator` and `portallocator`. A pool keeps no list of
what is taken: stored services say so, and a write that is refused takes nothing.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

from fakeapi.machinery.golang.ip_addresses import parse_ip

SERVICE_RANGE: Final = "10.0.0.0/24"
"""The range of cluster IPs, the default of kube-apiserver's `--service-cluster-ip-range`."""

NODE_PORTS: Final = range(30000, 32768)
"""The range of node ports, the default of kube-apiserver's `--service-node-port-range`."""

_DRY_RUN_PORT = 32768
"""A dry run chooses node ports after this one, outside of the range."""

Network = IPv4Network | IPv6Network


class AllocationError(ValueError):
    """Why an address or a port cannot be had, in upstream's words."""


class PoolFull(AllocationError):
    """Nothing is left."""


@dataclass(frozen=True, slots=True)
class AddressPool:
    """The cluster IPs of the `networks`, less those that are `taken`; the first network is the cluster's own.

    `fraction` gives a random number from 0 to below 1. `names_network`: an address outside of all networks
    is told which one it should be in.
    """

    networks: Sequence[Network]
    taken: Collection[str]
    fraction: Callable[[], float]
    names_network: bool = True

    def check(self, text: str, *, dry_run: bool) -> None:
        """Raises AllocationError for an address that cannot be had. A dry run asks only for its network."""
        found = parse_ip(text)
        assert found is not None, "addresses are validated before they are allocated"
        if not any(_holds(network, found.value) for network in self.networks):
            if not self.names_network and not dry_run:
                raise AllocationError("the provided network does not match the current range")
            valid = f"The range of valid IPs is {self.networks[0]}"
            raise AllocationError(f"the provided IP ({found}) is not in the valid range. {valid}")
        if not dry_run and str(found) in self.taken:
            raise AllocationError("provided IP is already allocated")

    def next(self, *, dry_run: bool) -> str:
        """An address that is free; for a dry run that of the network. Raises PoolFull."""
        if dry_run:
            return str(self.networks[0].network_address)
        for network in self.networks:
            for address in _dynamic_first(network, self.fraction()):
                if address not in self.taken:
                    return address
        raise PoolFull("range is full")


@dataclass(slots=True)
class PortPool:
    """The node ports, less those that are `taken` by stored services and by the write itself."""

    taken: Collection[int]
    fraction: Callable[[], float]
    dry_run: bool
    _given: set[int] = field(default_factory=set)

    def take(self, port: int) -> None:
        """Raises AllocationError for a port that cannot be had. A dry run does not ask for its range."""
        if not self.dry_run and port not in NODE_PORTS:
            valid = f"The range of valid ports is {NODE_PORTS.start}-{NODE_PORTS.stop - 1}"
            raise AllocationError(f"provided port is not in the valid range. {valid}")
        if port in self.taken or port in self._given:
            raise AllocationError("provided port is already allocated")
        self._given.add(port)

    def next(self) -> int:
        """A port that is free. Raises PoolFull."""
        if self.dry_run:
            port = max(self._given, default=_DRY_RUN_PORT) + 1
            self._given.add(port)
            return port
        offset = _reserved(len(NODE_PORTS), at_most=128, step=32)
        for part in (NODE_PORTS[offset:], NODE_PORTS[:offset]):
            for port in _rotated(part, self.fraction()):
                if port not in self.taken and port not in self._given:
                    self._given.add(port)
                    return port
        raise PoolFull("range is full")


def _reserved(size: int, *, at_most: int, step: int) -> int:
    """How many of a range stand first, which are chosen last: they are for those who name them."""
    return 0 if size <= 16 else min(max(16, size // step), at_most)


def _hosts(network: Network) -> range:
    """The addresses of a network that a service can have, as offsets: neither the network's nor, in IPv4,
    the broadcast address.
    """
    return range(1, network.num_addresses - (1 if network.version == 4 else 0))


def _holds(network: Network, address: IPv4Address | IPv6Address) -> bool:
    return address in network and int(address) - int(network.network_address) in _hosts(network)


def _dynamic_first(network: Network, fraction: float) -> Iterator[str]:
    hosts = _hosts(network)
    offset = _reserved(network.num_addresses, at_most=256, step=16)
    for part in (hosts[offset:], hosts[:offset]):
        for number in _rotated(part, fraction):
            yield str(network.network_address + number)


def _rotated(numbers: range, fraction: float) -> Iterator[int]:
    """All numbers once, beginning somewhere."""
    start = int(len(numbers) * fraction)
    yield from numbers[start:]
    yield from numbers[:start]
