"""Validates interface addresses: an IP address with a prefix length, such as `10.9.8.7/24`.

Follows `IsValidCIDR` (1.32) and `IsValidInterfaceAddress` (1.33) of k8s.io/apimachinery
`pkg/util/validation`, and `ParseCIDRSloppy` of k8s.io/utils, which accepts leading zeros.
"""

from fakeapi.kinds.common.addresses import CIDR_ERROR
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.golang.ip_addresses import parse_cidr
from fakeapi.machinery.golang.strconv import quote

_INTERFACE = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"


def set_key(text: str) -> str:
    """Returns a key that is equal for all spellings of an interface address; "" for an invalid address."""
    cidr = parse_cidr(text)
    return "" if cidr is None else f"{cidr.address}/{cidr.prefix}"


def validate_cidr(text: str, path: str) -> list[FieldError]:
    """Validates an interface address, such as `10.9.8.7/24`, in any spelling."""
    return [] if parse_cidr(text) is not None else [invalid(path, text, CIDR_ERROR)]


def validate_interface_address(text: str, path: str) -> list[FieldError]:
    """Validates an interface address in canonical form, such as `10.9.8.7/24`."""
    cidr = parse_cidr(text)
    if cidr is None:
        return [invalid(path, text, _INTERFACE)]
    prefix = cidr.prefix - 96 if cidr.address.mapped and cidr.prefix > 32 else cidr.prefix
    canonical = f"{cidr.address}/{prefix}"
    if text == canonical:
        return []
    return [invalid(path, text, f"must be in canonical form ({quote(canonical)})")]
