"""Addresses of interfaces: an IP address and the length of its prefix, as `10.9.8.7/24`.

Follows `IsValidCIDR` (1.32) and `IsValidInterfaceAddress` (1.33) of k8s.io/apimachinery
`pkg/util/validation`, on `ParseCIDRSloppy` of k8s.io/utils, which lets leading zeros pass.
"""

import ipaddress
from typing import NamedTuple

from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.golang.strconv import quote

_CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
_INTERFACE = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"


class InterfaceAddress(NamedTuple):
    """`address` as Go prints it: an IPv4 address mapped into IPv6 as IPv4. `prefix` as it was written,
    without leading zeros; `mapped`: the address was such a mapped one.
    """

    address: str
    prefix: int
    mapped: bool


def parse(text: str) -> InterfaceAddress | None:
    """None for what is not an address with a prefix length."""
    written, slash, length = text.partition("/")
    if not slash or not _is_digits(length):
        return None
    prefix = int(length) if len(length.lstrip("0")) <= 3 else 1000
    ipv4 = _ipv4(written)
    if ipv4 is not None:
        return InterfaceAddress(ipv4, prefix, mapped=False) if prefix <= 32 else None
    ipv6 = _ipv6(written)
    if ipv6 is None or prefix > 128:
        return None
    if ipv6.ipv4_mapped is not None:
        return InterfaceAddress(str(ipv6.ipv4_mapped), prefix, mapped=True)
    return InterfaceAddress(str(ipv6), prefix, mapped=False)


def set_key(text: str) -> str:
    """What addresses are compared by where their spelling is free; empty for what is none."""
    found = parse(text)
    return "" if found is None else f"{found.address}/{found.prefix}"


def validate_cidr(text: str, path: str) -> list[FieldError]:
    """Any spelling will do."""
    return [] if parse(text) is not None else [invalid(path, text, _CIDR)]


def validate_interface_address(text: str, path: str) -> list[FieldError]:
    """Only the canonical spelling will do."""
    found = parse(text)
    if found is None:
        return [invalid(path, text, _INTERFACE)]
    prefix = found.prefix - 96 if found.mapped and found.prefix > 32 else found.prefix
    canonical = f"{found.address}/{prefix}"
    if text == canonical:
        return []
    return [invalid(path, text, f"must be in canonical form ({quote(canonical)})")]


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _ipv4(text: str) -> str | None:
    octets = text.split(".")
    if len(octets) != 4 or not all(_is_digits(octet) for octet in octets):
        return None
    significant = [octet.lstrip("0") or "0" for octet in octets]
    if any(len(octet) > 3 or int(octet) > 255 for octet in significant):
        return None
    return ".".join(significant)


def _ipv6(text: str) -> ipaddress.IPv6Address | None:
    head, colon, tail = text.rpartition(":")
    if not colon or "%" in text:
        return None
    if "." in tail:
        embedded = _ipv4(tail)
        if embedded is None:
            return None
        tail = embedded
    groups = [group.lstrip("0") or "0" if len(group) > 4 else group for group in head.split(":")]
    last = tail.lstrip("0") or "0" if len(tail) > 4 and "." not in tail else tail
    try:
        return ipaddress.IPv6Address(":".join([*groups, last]))
    except ipaddress.AddressValueError:
        return None
