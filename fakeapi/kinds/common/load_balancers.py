"""Validates the ingress points of load balancers: IP addresses or host names.

Follows `ValidateLoadBalancerStatus` of k8s.io/kubernetes `pkg/apis/core/validation` and
`ValidateIngressLoadBalancerStatus` of `pkg/apis/networking/validation`.
"""

from collections.abc import Iterable

from fakeapi.kinds.common.addresses import IP_ERROR, ip_warnings, validate_lenient_ip
from fakeapi.kinds.common.invalid_texts import each_invalid
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.golang.ip_addresses import parse_ip
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.releases.rules import ReleaseRules


def validate_address(
    point: Object, before: Iterable[Object], path: str, rules: ReleaseRules
) -> list[FieldError]:
    """Validates the IP address of an ingress point.

    `before`: the stored ingress points. From 1.33 on, the addresses of these points remain valid.
    """
    text = point.get("ip", "")
    if not text:
        return []
    if rules.quirks.status_address_error != IP_ERROR:
        return [] if parse_ip(text) else [invalid(f"{path}.ip", text, rules.quirks.status_address_error)]
    kept = [old_point["ip"] for old_point in before if old_point.get("ip")]
    return validate_lenient_ip(text, f"{path}.ip", rules, kept)


def validate_host_name(point: Object, path: str) -> list[FieldError]:
    """Validates the host name of an ingress point."""
    host = point.get("hostname", "")
    if not host:
        return []
    errors = each_invalid(f"{path}.hostname", host, names.is_dns1123_subdomain(host))
    if parse_ip(host) is not None:
        errors.append(invalid(f"{path}.hostname", host, "must be a DNS name, not an IP address"))
    return errors


def validate_point(
    point: Object, before: Iterable[Object], path: str, rules: ReleaseRules
) -> list[FieldError]:
    """Validates an ingress point: an address, a host name or both.

    `before`: the stored ingress points. From 1.33 on, the addresses of these points remain valid.
    """
    return [*validate_address(point, before, path, rules), *validate_host_name(point, path)]


def point_warnings(status: Object, rules: ReleaseRules) -> list[str]:
    """Returns the texts of Warning headers about addresses in the status of a Service or an Ingress."""
    if rules.quirks.address_warnings_quote_parser:
        return []
    points = (status.get("loadBalancer") or {}).get("ingress") or ()
    return [
        warning
        for index, point in enumerate(points)
        if point.get("ip")
        for warning in ip_warnings(point["ip"], f"status.loadBalancer.ingress[{index}]", rules)
    ]


def points_text(status: Object) -> str:
    """Formats the load balancer addresses in the status of a Service or Ingress, for a table cell.

    The addresses and host names are sorted, without duplicates.
    """
    points = (status.get("loadBalancer") or {}).get("ingress") or ()
    return ",".join(sorted({point.get("ip") or point.get("hostname") or "" for point in points} - {""}))
