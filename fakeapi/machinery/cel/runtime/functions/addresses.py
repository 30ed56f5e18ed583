"""CEL functions of IP addresses and CIDR blocks, such as `ip('192.0.2.1').family()`.

Follows k8s.io/apiserver `pkg/cel/library/ip.go` and `cidr.go`, and Go's net/netip.
"""

import ipaddress
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.cel.runtime.values import Err, Opaque
from fakeapi.machinery.golang.netip import addr_error, prefix_error
from fakeapi.machinery.golang.strconv import quote

_BROADCAST = ipaddress.IPv4Address("255.255.255.255")


@dataclass(frozen=True, slots=True)
class Address(Opaque):
    type_name = "net.IP"

    address: ipaddress.IPv4Address | ipaddress.IPv6Address

    @property
    def size(self) -> int:
        return 4 if self.address.version == 4 else 16

    def __str__(self) -> str:
        return str(self.address)


@dataclass(frozen=True, slots=True)
class Block(Opaque):
    """A CEL value of type net.CIDR: any address of a block, and the prefix length `bits`."""

    type_name = "net.CIDR"

    address: ipaddress.IPv4Address | ipaddress.IPv6Address
    bits: int

    @property
    def size(self) -> int:
        return math.ceil(self.bits / 8)

    @property
    def network(self) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        return ipaddress.ip_network((self.address, self.bits), strict=False)

    def __str__(self) -> str:
        return f"{self.address}/{self.bits}"


def _is_mapped(text: str) -> bool:
    address = ipaddress.ip_address(text)
    return isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None


def parse_address(text: str) -> Address:
    """Parses an IP address such as `192.0.2.1`.

    Raises ValueError with Kubernetes' message if the address is not valid, has a zone, or is an IPv4-mapped
    IPv6 address.
    """
    error = addr_error(text)
    if error:
        raise ValueError(f"IP Address {quote(text)} parse error during conversion from string: {error}")
    if "%" in text:
        raise ValueError(f"IP address {quote(text)} with zone value is not allowed")
    if _is_mapped(text):
        raise ValueError(f"IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return Address(ipaddress.ip_address(text))


def parse_block(text: str) -> Block:
    """Parses a CIDR block such as `10.0.0.0/8`.

    Raises ValueError with Kubernetes' message if the block is not valid, or has an IPv4-mapped IPv6 address.
    """
    error = prefix_error(text)
    if error:
        raise ValueError(f"network address parse error during conversion from string: {error}")
    address, _, bits = text.rpartition("/")
    if _is_mapped(address):
        raise ValueError(f"IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return Block(ipaddress.ip_address(address), int(bits))


def _address(text: str) -> Any:
    try:
        return parse_address(text)
    except ValueError as error:
        return Err(str(error))


def _block(text: str) -> Any:
    try:
        return parse_block(text)
    except ValueError as error:
        return Err(f"network address parse error during conversion from string: {error}")


def _is_canonical(text: str) -> Any:
    address = _address(text)
    return address if type(address) is Err else str(address) == text


def _is_global(of: Address) -> bool:
    address = of.address
    special = address.is_unspecified or address.is_loopback or address.is_multicast or _is_link_local(of)
    return not special and address != _BROADCAST


def _is_link_local(of: Address) -> bool:
    prefix, bits = (0xA9FE, 16) if of.size == 4 else (0xFE80 >> 6, 118)
    return int(of.address) >> bits == prefix


def _is_link_local_multicast(of: Address) -> bool:
    number = int(of.address)
    return number >> 8 == 0xE00000 if of.size == 4 else (number >> 112) & 0xFF0F == 0xFF02


def _contains(block: Block, other: Any) -> Any:
    if type(other) is Err:
        return Err("no such overload")
    return other.address.version == block.address.version and other.address in block.network


def _contains_block(block: Block, other: Any) -> Any:
    if type(other) is Err:
        return other
    if other.address.version != block.address.version:
        return False
    return block.network.overlaps(other.network) and block.bits <= other.bits


OVERLOADS: dict[str, Callable[..., Any]] = {
    "string_to_ip": _address,
    "cidr_ip": lambda block: Address(block.address),
    "ip_family": lambda of: 4 if of.size == 4 else 6,
    "ip_is_canonical": _is_canonical,
    "ip_is_unspecified": lambda of: of.address.is_unspecified,
    "ip_is_loopback": lambda of: of.address.is_loopback,
    "ip_is_link_local_multicast": _is_link_local_multicast,
    "ip_is_link_local_unicast": _is_link_local,
    "ip_is_global_unicast": _is_global,
    "is_ip": lambda text: type(_address(text)) is Address,
    "ip_to_string": str,
    "cidr_to_string": str,
    "string_to_cidr": _block,
    "cidr_contains_ip_string": lambda block, text: _contains(block, _address(text)),
    "cidr_contains_ip_ip": _contains,
    "cidr_contains_cidr_string": lambda block, text: _contains_block(block, _block(text)),
    "cidr_contains_cidr": _contains_block,
    "cidr_prefix_length": lambda block: block.bits,
    "cidr_masked": lambda block: Block(block.network.network_address, block.bits),
    "is_cidr": lambda text: type(_block(text)) is Block,
}


def _begins(block: Block, other: Any) -> Any:
    """Whether `other` begins at the first address of `block`, with a prefix that is not shorter.

    Returns `other` itself if it is an `Err`.
    """
    if type(other) is Err:
        return other
    return other.address == block.network.network_address and block.bits <= other.bits


VARIANTS: dict[str, dict[str, Callable[..., Any]]] = {
    "blocks contain those that begin them": {
        "cidr_contains_cidr_string": lambda block, text: _begins(block, _block(text)),
        "cidr_contains_cidr": _begins,
    },
}
