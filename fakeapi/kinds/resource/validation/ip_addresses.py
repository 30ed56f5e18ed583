"""Addresses of interfaces: an IP address and the length of its prefix, as `10.9.8.7/24`.

Follows `IsValidCIDR` (1.32) and `IsValidInterfaceAddress` (1.33) of k8s.io/apimachinery
`pkg/util/validation`, on `ParseCIDRSloppy` of k8s.io/utils, which lets leading zeros pass.
"""

from fakeapi.kinds.common.addresses import CIDR_ERROR
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.golang.ip_addresses import parse_cidr
from fakeapi.machinery.golang.strconv import quote

_INTERFACE = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"


def set_key(text: str) -> str:
    """What addresses are compared by where their spelling is free; empty for what is none."""
    found = parse_cidr(text)
    return "" if found is None else f"{found.address}/{found.prefix}"


def validate_cidr(text: str, path: str) -> list[FieldError]:
    """Any spelling will do."""
    return [] if parse_cidr(text) is not None else [invalid(path, text, CIDR_ERROR)]


def validate_interface_address(text: str, path: str) -> list[FieldError]:
    """Only the canonical spelling will do."""
    found = parse_cidr(text)
    if found is None:
        return [invalid(path, text, _INTERFACE)]
    prefix = found.prefix - 96 if found.address.mapped and found.prefix > 32 else found.prefix
    canonical = f"{found.address}/{prefix}"
    if text == canonical:
        return []
    return [invalid(path, text, f"must be in canonical form ({quote(canonical)})")]
