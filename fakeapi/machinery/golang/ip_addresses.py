"""Parses IP addresses and CIDR values like Kubernetes, and formats them like Go.

Follows `ParseIPSloppy` and `ParseCIDRSloppy` of k8s.io/utils `net`, which accept leading zeros, and the
stricter `netip.ParseAddr` and `netip.ParsePrefix` of Go's standard library.
"""

import ipaddress
from typing import Final, Literal, TypeAlias

import msgspec

Family: TypeAlias = Literal["IPv4", "IPv6"]

_MAPPED_BITS: Final = 96
"""Number of bits before the IPv4 address in an IPv4-mapped IPv6 address."""


class IP(msgspec.Struct, frozen=True):
    """An IP address. `str()` returns Go's canonical form.

    `mapped`: whether the input was an IPv4-mapped IPv6 address such as `::ffff:192.0.2.1`; `value` is then
    the IPv4 address.
    `leading_zeros`: whether the input had leading zeros. Only `ParseIPSloppy` accepts leading zeros.
    """

    value: ipaddress.IPv4Address | ipaddress.IPv6Address
    mapped: bool = False
    leading_zeros: bool = False

    @property
    def family(self) -> Family:
        return "IPv4" if self.value.version == 4 else "IPv6"

    @property
    def strict(self) -> bool:
        """Whether all parsers agree on the input: it has no leading zeros and is not IPv4-mapped."""
        return not self.mapped and not self.leading_zeros

    def __str__(self) -> str:
        return str(self.value)


class CIDR(msgspec.Struct, frozen=True):
    """An IP address with a prefix length. `str()` returns the network in Go's canonical form.

    `address`: the part before the slash; bits after the prefix may be set.
    `prefix`: the prefix length in the input. For an IPv4-mapped address, the length includes the 96 bits
    before the IPv4 address.
    """

    address: IP
    prefix: int
    leading_zeros: bool = False

    @property
    def network(self) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        """The network that contains the address: its bits after the prefix are zero."""
        value = self.address.value
        if not self.address.mapped:
            return ipaddress.ip_network((value, self.prefix), strict=False)
        if self.prefix >= _MAPPED_BITS:
            return ipaddress.IPv4Network((int(value), self.prefix - _MAPPED_BITS), strict=False)
        return ipaddress.IPv6Network((0xFFFF << 32 | int(value), self.prefix), strict=False)

    @property
    def is_network(self) -> bool:
        """Whether `address` is the network's own address: all bits after the prefix are zero."""
        return self.network.network_address == self.address.value

    @property
    def strict(self) -> bool:
        """Whether all parsers agree on the input: it has no leading zeros and is not IPv4-mapped."""
        return self.address.strict and not self.leading_zeros

    def __str__(self) -> str:
        return str(self.network)


def parse_ip(text: str) -> IP | None:
    """Parses an IP address; leading zeros are allowed.

    Returns None for other text, and for addresses with a zone.
    """
    if ":" in text:
        return _ipv6(text)
    octets = _octets(text)
    if octets is None:
        return None
    value, zeros = octets
    return IP(ipaddress.IPv4Address(value), leading_zeros=zeros)


def parse_cidr(text: str) -> CIDR | None:
    """Parses an IP address with a prefix length such as `10.0.0.0/8`; returns None for other text."""
    written, slash, length = text.partition("/")
    address = parse_ip(written) if slash else None
    if address is None or not _is_digits(length):
        return None
    significant = length.lstrip("0") or "0"
    bits = 32 if address.family == "IPv4" and not address.mapped else 128
    if len(significant) > 3 or int(significant) > bits:
        return None
    return CIDR(address, int(significant), leading_zeros=length != significant)


def family_of(text: str) -> Family | None:
    """Returns the family of an IP address; None for text that is not an address."""
    address = parse_ip(text)
    return None if address is None else address.family


def family_of_cidr(text: str) -> Family | None:
    """Returns the family of the address in a CIDR value; None for text that is not a CIDR value."""
    cidr = parse_cidr(text)
    return None if cidr is None else cidr.address.family


def join_host_port(host: str, port: int) -> str:
    """Returns `host:port`, with brackets around an IPv6 address: `[::1]:443`."""
    return f"[{host}]:{port}" if ":" in host or "%" in host else f"{host}:{port}"


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _octets(text: str) -> tuple[int, bool] | None:
    """Parses an IPv4 address: (address as a number, whether it has leading zeros); None for other text."""
    parts = text.split(".")
    if len(parts) != 4 or not all(map(_is_digits, parts)):
        return None
    significant = [part.lstrip("0") or "0" for part in parts]
    if any(len(part) > 3 or int(part) > 0xFF for part in significant):
        return None
    value = 0
    for part in significant:
        value = value << 8 | int(part)
    return value, significant != parts


def _ipv6(text: str) -> IP | None:
    head, _, tail = text.rpartition(":")
    zeros = False
    if "." in tail:
        octets = _octets(tail)
        if octets is None:
            return None
        value, zeros = octets
        tail = f"{value >> 16:x}:{value & 0xFFFF:x}"
    groups = [*head.split(":"), *tail.split(":")]
    shortened = [group.lstrip("0") or "0" if len(group) > 4 else group for group in groups]
    try:
        address = ipaddress.IPv6Address(":".join(shortened))
    except ipaddress.AddressValueError:
        return None
    if "%" in text:
        return None
    zeros = zeros or shortened != groups
    if address.ipv4_mapped is not None:
        return IP(address.ipv4_mapped, mapped=True, leading_zeros=zeros)
    return IP(address, leading_zeros=zeros)
