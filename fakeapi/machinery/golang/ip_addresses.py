"""Parses IP addresses and CIDR values as Kubernetes reads them, and prints them as Go does.

Follows `ParseIPSloppy` and `ParseCIDRSloppy` of k8s.io/utils `net`, which let leading zeros pass, and the
stricter `netip.ParseAddr` and `netip.ParsePrefix` of Go's standard library.
"""

import ipaddress
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Family: TypeAlias = Literal["IPv4", "IPv6"]

_MAPPED_BITS: Final = 96
"""An IPv4 address stands in the last 32 bits of the IPv6 address that it is mapped into."""


@dataclass(frozen=True, slots=True)
class IP:
    """An address. `value` is the IPv4 address where one was `mapped` into IPv6; `leading_zeros`: it was
    written with some that only the tolerant parser accepts. Its text is Go's, in canonical form.
    """

    value: ipaddress.IPv4Address | ipaddress.IPv6Address
    mapped: bool = False
    leading_zeros: bool = False

    @property
    def family(self) -> Family:
        return "IPv4" if self.value.version == 4 else "IPv6"

    @property
    def strict(self) -> bool:
        """Whether it is written so that it can be read in one way alone."""
        return not self.mapped and not self.leading_zeros

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class CIDR:
    """An address with the length of its prefix. `address` is what stands before the slash; `prefix` the
    length as written, which for a mapped address counts the 96 bits before it too.
    """

    address: IP
    prefix: int
    leading_zeros: bool = False

    @property
    def network(self) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        """The network that the address is in."""
        value = self.address.value
        if not self.address.mapped:
            return ipaddress.ip_network((value, self.prefix), strict=False)
        if self.prefix >= _MAPPED_BITS:
            return ipaddress.IPv4Network((int(value), self.prefix - _MAPPED_BITS), strict=False)
        return ipaddress.IPv6Network((0xFFFF << 32 | int(value), self.prefix), strict=False)

    @property
    def is_network(self) -> bool:
        """Whether no bit is set after the prefix."""
        return self.network.network_address == self.address.value

    @property
    def strict(self) -> bool:
        """Whether it is written so that it can be read in one way alone."""
        return self.address.strict and not self.leading_zeros

    def __str__(self) -> str:
        return str(self.network)


def parse_ip(text: str) -> IP | None:
    """Parses an IP address; None for text that is not one, also for an address with a zone."""
    if ":" in text:
        return _ipv6(text)
    octets = _octets(text)
    if octets is None:
        return None
    value, zeros = octets
    return IP(ipaddress.IPv4Address(value), leading_zeros=zeros)


def parse_cidr(text: str) -> CIDR | None:
    """None for what is not an address with a prefix length that fits it."""
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
    """The family of an address; None for what is none."""
    found = parse_ip(text)
    return None if found is None else found.family


def family_of_cidr(text: str) -> Family | None:
    """The family of a CIDR value's network; None for what is none."""
    found = parse_cidr(text)
    return None if found is None else found.address.family


def join_host_port(host: str, port: int) -> str:
    """`host:port`, an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host or "%" in host else f"{host}:{port}"


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _octets(text: str) -> tuple[int, bool] | None:
    """The number that an IPv4 address stands for, and whether it has leading zeros."""
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
        found = ipaddress.IPv6Address(":".join(shortened))
    except ipaddress.AddressValueError:
        return None
    if "%" in text:
        return None
    zeros = zeros or shortened != groups
    if found.ipv4_mapped is not None:
        return IP(found.ipv4_mapped, mapped=True, leading_zeros=zeros)
    return IP(found, leading_zeros=zeros)
