"""AddressPool and PortPool: allocate cluster IPs and node ports.

Follows k8s.io/kubernetes `pkg/registry/core/service/ipallocator` and `portallocator`. A pool does not store
allocations: the addresses and ports of stored Services are allocated. A rejected write allocates nothing.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

import msgspec

from fakeapi.machinery.golang.ip_addresses import parse_ip

Network = IPv4Network | IPv6Network


class AllocationError(ValueError):
    """Raised if an address or a port is unavailable. Has upstream's message."""


class PoolFull(AllocationError):
    """Raised if all addresses or ports of a pool are allocated."""


class AddressPool(msgspec.Struct, frozen=True):
    """The available cluster IPs: addresses of `networks` that are not in `taken`.

    - `networks`: the ranges; the first range is the cluster's own
    - `fraction`: returns a random number x with 0 <= x < 1
    - `names_network`: whether the error for an address outside all ranges contains the valid range
    """

    networks: Sequence[Network]
    taken: Collection[str]
    fraction: Callable[[], float]
    names_network: bool = True

    def check(self, text: str, *, dry_run: bool) -> None:
        """Raises AllocationError if an address is not in the ranges or is already allocated.

        `dry_run`: whether only the ranges are checked
        """
        ip = parse_ip(text)
        assert ip is not None, "addresses are validated before they are allocated"
        if not any(_holds(network, ip.value) for network in self.networks):
            if not self.names_network and not dry_run:
                raise AllocationError("the provided network does not match the current range")
            valid = f"The range of valid IPs is {self.networks[0]}"
            raise AllocationError(f"the provided IP ({ip}) is not in the valid range. {valid}")
        if not dry_run and str(ip) in self.taken:
            raise AllocationError("provided IP is already allocated")

    def next(self, *, dry_run: bool) -> str:
        """Returns a free address. Raises PoolFull if no address is free.

        `dry_run`: whether to return the network address of the first range instead
        """
        if dry_run:
            return str(self.networks[0].network_address)
        for network in self.networks:
            for address in _dynamic_first(network, self.fraction()):
                if address not in self.taken:
                    return address
        raise PoolFull("range is full")


class PortPool(msgspec.Struct):
    """The available node ports.

    - `ports`: the range of node ports
    - `taken`: the node ports of stored Services; ports that the current write has allocated are unavailable,
      too
    - `fraction`: returns a random number x with 0 <= x < 1
    """

    ports: range
    taken: Collection[int]
    fraction: Callable[[], float]
    dry_run: bool
    _given: set[int] = msgspec.field(default_factory=set)

    def take(self, port: int) -> None:
        """Allocates a node port.

        Raises AllocationError if the port is unavailable. A dry run does not check the range.
        """
        if not self.dry_run and port not in self.ports:
            valid = f"The range of valid ports is {self.ports.start}-{self.ports.stop - 1}"
            raise AllocationError(f"provided port is not in the valid range. {valid}")
        if port in self.taken or port in self._given:
            raise AllocationError("provided port is already allocated")
        self._given.add(port)

    def next(self) -> int:
        """Allocates and returns a free node port; in a dry run, a port after the range.

        Raises PoolFull if no port is free.
        """
        if self.dry_run:
            port = max(self._given, default=self.ports.stop) + 1
            self._given.add(port)
            return port
        offset = _reserved(len(self.ports), at_most=128, step=32)
        for part in (self.ports[offset:], self.ports[:offset]):
            for port in _rotated(part, self.fraction()):
                if port not in self.taken and port not in self._given:
                    self._given.add(port)
                    return port
        raise PoolFull("range is full")


def _reserved(size: int, *, at_most: int, step: int) -> int:
    """Returns the number of addresses or ports at the start of a range that are allocated after all others.

    These addresses or ports stay free longer for clients that request a specific number.

    - `size`: the size of the range
    - `at_most`: the maximum result
    - `step`: the size is divided by this number
    """
    return 0 if size <= 16 else min(max(16, size // step), at_most)


def _hosts(network: Network) -> range:
    """Returns the offsets of usable addresses: not the network address, not the IPv4 broadcast address."""
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
    """Yields all numbers of a range once. Starts at `fraction` of the range, and wraps around at its end."""
    start = int(len(numbers) * fraction)
    yield from numbers[start:]
    yield from numbers[:start]
