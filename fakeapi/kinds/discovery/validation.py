"""Validates EndpointSlices.

Follows k8s.io/kubernetes `pkg/apis/discovery/validation`.
"""

from collections.abc import Callable, Sequence
from typing import Final

from fakeapi.kinds.common.addresses import validate_endpoint_ip, validate_ip, validate_lenient_ip
from fakeapi.kinds.common.domain_names import validate_fully_qualified_domain_name
from fakeapi.kinds.common.invalid_texts import (
    each_invalid,
    validate_dns_label,
    validate_qualified_name,
)
from fakeapi.kinds.common.ports import PROTOCOLS
from fakeapi.machinery.field_errors import (
    FieldError,
    duplicate,
    internal,
    invalid,
    not_supported,
    required,
    too_many,
)
from fakeapi.machinery.golang.ip_addresses import family_of
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.object_meta import validate_labels
from fakeapi.releases.rules import ReleaseRules

ADDRESS_TYPES: Final = ("FQDN", "IPv4", "IPv6")
TOPOLOGY_LABELS_MAX: Final = 16
ADDRESSES_MAX: Final = 100
PORTS_MAX: Final = 20000
ENDPOINTS_MAX: Final = 1000
HINTS_MAX: Final = 8

_ZONE = "topology.kubernetes.io/zone"


def validate_address_type(kind: str) -> list[FieldError]:
    """Validates the `addressType` of an EndpointSlice: it is required, and must be a known type."""
    if not kind:
        return [required("addressType")]
    return [] if kind in ADDRESS_TYPES else [not_supported("addressType", kind, ADDRESS_TYPES)]


def validate_ports(ports: Sequence[Object], rules: ReleaseRules) -> list[FieldError]:
    """Validates the ports of an EndpointSlice. The port names must be unique."""
    if len(ports) > PORTS_MAX:
        return [too_many("ports", len(ports), PORTS_MAX)]
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, port in enumerate(ports):
        path, name, protocol = f"ports[{index}]", port.get("name") or "", port.get("protocol")
        if name:
            errors += validate_dns_label(name, f"{path}.name")
        if name in seen:
            errors.append(duplicate(f"{path}.name", name))
        seen.add(name)
        if protocol is None:
            errors.append(required(f"{path}.protocol"))
        elif protocol not in PROTOCOLS:
            errors.append(not_supported(f"{path}.protocol", protocol, PROTOCOLS))
        if (application := port.get("appProtocol")) is not None:
            errors += validate_qualified_name(application, f"{path}.appProtocol", rules.quirks.wording)
    return errors


def validate_endpoints(endpoints: Sequence[Object], kind: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates the endpoints of an EndpointSlice. `kind`: the address type."""
    if len(endpoints) > ENDPOINTS_MAX:
        return [too_many("endpoints", len(endpoints), ENDPOINTS_MAX)]
    return [
        error
        for index, endpoint in enumerate(endpoints)
        for error in _validate_endpoint(endpoint, kind, f"endpoints[{index}]", rules)
    ]


def _validate_endpoint(endpoint: Object, kind: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    errors: list[FieldError] = []
    addresses = endpoint.get("addresses") or ()
    if not addresses:
        errors.append(required(f"{path}.addresses", "must contain at least 1 address"))
    elif len(addresses) > ADDRESSES_MAX:
        errors.append(too_many(f"{path}.addresses", len(addresses), ADDRESSES_MAX))
    for index, address in enumerate(addresses):
        errors += _validate_address(address, kind, f"{path}.addresses", index, rules)
    if (node := endpoint.get("nodeName")) is not None:
        errors += each_invalid(f"{path}.nodeName", node, names.is_dns1123_subdomain(node))
    errors += _validate_topology(
        endpoint.get("deprecatedTopology") or {}, f"{path}.deprecatedTopology", rules
    )
    if (host := endpoint.get("hostname")) is not None:
        errors += validate_dns_label(host, f"{path}.hostname")
    if (hints := endpoint.get("hints")) is not None:
        errors += _validate_hints(hints, f"{path}.hints")
    return errors


def _validate_address(
    address: str, kind: str, path: str, index: int, rules: ReleaseRules
) -> list[FieldError]:
    """Validates an address of an endpoint. Addresses of unknown types are not validated.

    From 1.33 on, the error for a wrong IP family has the path of the address list. Other errors have the path
    of the address.

    - `kind`: the address type of the EndpointSlice
    - `path`, `index`: the path of the address list, and the position of the address
    """
    here = f"{path}[{index}]"
    match kind:
        case "FQDN":
            return validate_fully_qualified_domain_name(address, here)
        case "IPv4":
            errors = validate_lenient_ip(address, here, rules)
        case "IPv6":
            errors = validate_ip(address, here)
        case _:
            return []
    of_family = family_of(address) == kind
    if rules.quirks.endpoint_slices_take_any_spelling:
        wrong = [] if of_family else [invalid(here, address, f"must be a valid {kind} address")]
        return wrong + validate_endpoint_ip(address, here)
    if errors:
        return errors
    wrong = [] if of_family else [invalid(path, address, f"must be an {kind} address")]
    return wrong + validate_endpoint_ip(address, here)


def _validate_topology(labels: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    errors: list[FieldError] = []
    if len(labels) > TOPOLOGY_LABELS_MAX:
        errors.append(too_many(path, len(labels), TOPOLOGY_LABELS_MAX))
    errors += validate_labels(labels, path, rules.quirks.wording)
    if _ZONE in labels:
        errors.append(internal(f"{path}[{_ZONE}]", "reserved key was not removed in conversion"))
    return errors


def _validate_hints(hints: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    checks: tuple[tuple[str, Callable[[str], list[str]]], ...] = (
        ("forZones", names.is_valid_label_value),
        ("forNodes", names.is_dns1123_subdomain),
    )
    for name, messages in checks:
        hinted = hints.get(name) or ()
        if len(hinted) > HINTS_MAX:
            return [*errors, too_many(f"{path}.{name}", len(hinted), HINTS_MAX)]
        seen: set[str] = set()
        for index, hint in enumerate(hinted):
            text, here = hint.get("name", ""), f"{path}.{name}[{index}].name"
            if text in seen:
                errors.append(duplicate(here, text))
            seen.add(text)
            errors += each_invalid(here, text, messages(text))
    return errors
