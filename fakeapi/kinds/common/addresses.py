"""Validates IP addresses and CIDRs, and warns about spellings that different programs parse differently.

Follows `ip.go` of k8s.io/apimachinery `pkg/util/validation`, and `IsValidIPForLegacyField`,
`IsValidCIDRForLegacyField` and `ValidateEndpointIP` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Container, Sequence
from typing import Final

from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.golang.ip_addresses import CIDR, IP, parse_cidr, parse_ip
from fakeapi.machinery.golang.netip import addr_error, prefix_error
from fakeapi.machinery.golang.strconv import quote
from fakeapi.releases.rules import ReleaseRules

STRICT_GATE: Final = "StrictIPCIDRValidation"
"""The feature gate that makes old API fields reject ambiguous addresses, such as `010.0.0.1`."""

IP_ERROR: Final = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
CIDR_ERROR: Final = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
_BEYOND_PREFIX = "must not have bits set beyond the prefix length"


def validate_ip(text: str, path: str) -> list[FieldError]:
    """Validates an IP address, which must be in canonical form."""
    ip = parse_ip(text)
    if ip is None:
        return [invalid(path, text, IP_ERROR)]
    if errors := _ambiguous_ip(ip, text, path):
        return errors
    return _canonical(str(ip), text, path)


def validate_lenient_ip(
    text: str, path: str, rules: ReleaseRules, valid_before: Container[str] = ()
) -> list[FieldError]:
    """Validates an IP address in an old API field, in which addresses such as `010.0.0.1` were valid.

    Rejects such ambiguous spellings only if the feature gate StrictIPCIDRValidation is on.

    `valid_before`: addresses of the stored object, which remain valid from 1.33 on
    """
    if text in valid_before and STRICT_GATE in rules.gates:
        return []
    ip = parse_ip(text)
    if ip is None:
        return [invalid(path, text, IP_ERROR)]
    return _ambiguous_ip(ip, text, path) if rules.gates.enabled(STRICT_GATE) else []


def validate_cidr(text: str, path: str) -> list[FieldError]:
    """Validates a CIDR, which must be in canonical form and have no bits set after the prefix."""
    cidr = parse_cidr(text)
    if cidr is None:
        return [invalid(path, text, CIDR_ERROR)]
    if errors := _ambiguous_cidr(cidr, text, path):
        return errors
    return _canonical(str(cidr), text, path)


def validate_lenient_cidr(
    text: str, path: str, rules: ReleaseRules, valid_before: Container[str] = ()
) -> list[FieldError]:
    """Validates a CIDR in an old API field, in which CIDRs such as `010.0.0.0/8` were valid.

    Rejects such ambiguous spellings only if the feature gate StrictIPCIDRValidation is on.

    `valid_before`: CIDRs of the stored object, which remain valid from 1.33 on
    """
    if text in valid_before and STRICT_GATE in rules.gates:
        return []
    cidr = parse_cidr(text)
    if cidr is None:
        return [invalid(path, text, CIDR_ERROR)]
    return _ambiguous_cidr(cidr, text, path) if rules.gates.enabled(STRICT_GATE) else []


def validate_endpoint_ip(text: str, path: str) -> list[FieldError]:
    """Rejects malformed, unspecified, loopback, link-local and link-local multicast addresses."""
    ip = parse_ip(text)
    if ip is None:
        return [invalid(path, text, "must be a valid IP address")]
    value = ip.value
    checks = (
        (value.is_unspecified, f"may not be unspecified ({text})"),
        (value.is_loopback, "may not be in the loopback range (127.0.0.0/8, ::1/128)"),
        (value.is_link_local, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"),
        (
            _is_link_local_multicast(ip),
            "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
        ),
    )
    return [invalid(path, text, message) for fails, message in checks if fails]


def is_dual_stack(texts: Sequence[str]) -> bool:
    """Whether the addresses belong to both IP families. An IPv4-mapped IPv6 address counts as IPv4."""
    return len({ip.family for ip in map(parse_ip, texts) if ip is not None}) > 1


def ip_warnings(text: str, path: str, rules: ReleaseRules) -> list[str]:
    """Returns the texts of Warning headers about an address that `validate_lenient_ip` accepts."""
    ip = parse_ip(text)
    if rules.quirks.address_warnings_quote_parser:
        return _old_ip_warnings(ip, text, path)
    if ip is None:
        return []
    if not ip.strict:
        judged = f"{quote(text)} {rules.quirks.ambiguous_address}"
        return [f"{path}: non-standard IP address {judged}: use {quote(str(ip))}"]
    if ip.family == "IPv6" and str(ip) != text:
        spelled = f"RFC 5952 canonical format ({quote(str(ip))})"
        return [f"{path}: IPv6 address {quote(text)} should be in {spelled}"]
    return []


def cidr_warnings(text: str, path: str, rules: ReleaseRules) -> list[str]:
    """Returns the texts of Warning headers about a CIDR that `validate_lenient_cidr` accepts."""
    cidr = parse_cidr(text)
    if rules.quirks.address_warnings_quote_parser:
        return _old_cidr_warnings(cidr, text, path)
    if cidr is None:
        return []
    warnings = []
    if not cidr.is_network:
        alone = f"{cidr.address}/{128 if cidr.address.mapped else cidr.network.max_prefixlen}"
        ambiguous = f"(should be {quote(str(cidr))} or {quote(alone)}?)"
        warnings.append(f"{path}: CIDR value {quote(text)} is ambiguous in this context {ambiguous}")
    if not cidr.strict:
        judged = f"{quote(text)} {rules.quirks.ambiguous_address}"
        warnings.append(f"{path}: non-standard CIDR value {judged}: use {quote(str(cidr))}")
    if not warnings and cidr.network.version == 6 and str(cidr) != text:
        spelled = f"RFC 5952 canonical format ({quote(str(cidr))})"
        warnings.append(f"{path}: IPv6 CIDR value {quote(text)} should be in {spelled}")
    return warnings


def _ambiguous_ip(ip: IP, text: str, path: str) -> list[FieldError]:
    if ip.leading_zeros:
        return [invalid(path, text, "must not have leading 0s")]
    return [invalid(path, text, "must not be an IPv4-mapped IPv6 address")] if ip.mapped else []


def _ambiguous_cidr(cidr: CIDR, text: str, path: str) -> list[FieldError]:
    if cidr.address.leading_zeros or cidr.leading_zeros:
        return [invalid(path, text, "must not have leading 0s in IP or prefix length")]
    if cidr.address.mapped:
        return [invalid(path, text, "must not have an IPv4-mapped IPv6 address")]
    return [] if cidr.is_network else [invalid(path, text, _BEYOND_PREFIX)]


def _canonical(canonical: str, text: str, path: str) -> list[FieldError]:
    return (
        [] if text == canonical else [invalid(path, text, f"must be in canonical form ({quote(canonical)})")]
    )


def _is_link_local_multicast(ip: IP) -> bool:
    packed = ip.value.packed
    if ip.family == "IPv4":
        return packed[:3] == b"\xe0\x00\x00"
    return packed[0] == 0xFF and packed[1] & 0x0F == 0x02


def _old_ip_warnings(ip: IP | None, text: str, path: str) -> list[str]:
    if ip is None or ip.leading_zeros:
        problem = addr_error(text)
        return [
            f"{path}: IP address was accepted, but will be invalid in a future Kubernetes release: {problem}"
        ]
    canonical = _netip_text(ip)
    if ":" in text and canonical != text:
        spelled = f"RFC 5952 canonical format ({quote(canonical)}), which may cause controller apply-loops"
        return [f"{path}: IPv6 address {quote(text)} is not in {spelled}"]
    return []


def _old_cidr_warnings(cidr: CIDR | None, text: str, path: str) -> list[str]:
    if cidr is None or cidr.address.leading_zeros or cidr.leading_zeros:
        problem = prefix_error(text)
        return [
            f"{path}: IP prefix was accepted, but will be invalid in a future Kubernetes release: {problem}"
        ]
    canonical = f"{_netip_text(cidr.address)}/{cidr.prefix}"
    if ":" in text and canonical != text:
        spelled = f"RFC 5952 canonical format ({quote(canonical)}), which may cause controller apply-loops"
        return [f"{path}: IPv6 prefix {quote(text)} is not in {spelled}"]
    return []


def _netip_text(ip: IP) -> str:
    """Formats an address like Go's netip: IPv4-mapped addresses keep the IPv6 notation."""
    return f"::ffff:{ip}" if ip.mapped else str(ip)
