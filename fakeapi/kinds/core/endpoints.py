"""core/v1 Endpoints: all addresses and ports that receive the traffic of a Service, in one object.

Follows k8s.io/kubernetes `pkg/registry/core/endpoint` and `ValidateEndpoints` of `pkg/apis/core/validation`.
"""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from fakeapi.kinds.common.addresses import ip_warnings, validate_endpoint_ip, validate_lenient_ip
from fakeapi.kinds.common.invalid_texts import (
    each_invalid,
    validate_dns_label,
    validate_qualified_name,
)
from fakeapi.kinds.common.ports import PROTOCOLS, validate_port_number
from fakeapi.machinery.field_errors import FieldError, not_supported, required
from fakeapi.machinery.golang.ip_addresses import join_host_port
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks

MANAGED_BY: Final = "endpoints.kubernetes.io/managed-by"
CONTROLLER: Final = "endpoint-controller"
_LISTED_MAX = 3
_ADDRESS_LISTS = ("addresses", "notReadyAddresses")


class EndpointsStrategy(RulesStrategy):
    """Validates new and updated Endpoints."""

    creates_on_update: ClassVar[bool] = True

    def validate_create(self, obj: Object) -> list[FieldError]:
        return [
            error
            for index, subset in enumerate(obj.get("subsets") or ())
            for error in self._validate_subset(subset, f"subsets[{index}]")
        ]

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        """Returns the errors of an update of Endpoints.

        From 1.33 on, validates the subsets only if the update changes the subsets.
        """
        errors = self.validate_create(new)
        if errors and self._rules.quirks.stored_endpoints_are_trusted:
            errors = [] if semantically_equal(new.get("subsets"), old.get("subsets")) else errors
        return [*metadata.of_change, *metadata.of_object, *errors]

    def warnings_on_create(self, obj: Object) -> list[str]:
        """Returns warnings about IP addresses, unless the endpoints controller manages the object.

        Returns no warnings in releases before 1.33.
        """
        labels = obj["metadata"].get("labels") or {}
        if self._rules.quirks.address_warnings_quote_parser or labels.get(MANAGED_BY) == CONTROLLER:
            return []
        return [
            warning
            for index, subset in enumerate(obj.get("subsets") or ())
            for addresses in _ADDRESS_LISTS
            for number, address in enumerate(subset.get(addresses) or ())
            for warning in ip_warnings(
                address.get("ip", ""), f"subsets[{index}].{addresses}[{number}].ip", self._rules
            )
        ]

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return self.warnings_on_create(new)

    def _validate_subset(self, subset: Object, path: str) -> list[FieldError]:
        errors: list[FieldError] = []
        if not any(subset.get(addresses) for addresses in _ADDRESS_LISTS):
            errors.append(required(path, "must specify `addresses` or `notReadyAddresses`"))
        for addresses in _ADDRESS_LISTS:
            for index, address in enumerate(subset.get(addresses) or ()):
                errors += self._validate_address(address, f"{path}.{addresses}[{index}]")
        ports = subset.get("ports") or ()
        for index, port in enumerate(ports):
            errors += self._validate_port(port, f"{path}.ports[{index}]", needs_name=len(ports) > 1)
        return errors

    def _validate_address(self, address: Object, path: str) -> list[FieldError]:
        text = address.get("ip", "")
        errors = validate_lenient_ip(text, f"{path}.ip", self._rules)
        if host := address.get("hostname"):
            errors += validate_dns_label(host, f"{path}.hostname")
        if (node := address.get("nodeName")) is not None:
            errors += each_invalid(f"{path}.nodeName", node, names.is_dns1123_subdomain(node))
        return errors + validate_endpoint_ip(text, f"{path}.ip")

    def _validate_port(self, port: Object, path: str, *, needs_name: bool) -> list[FieldError]:
        errors: list[FieldError] = []
        name, protocol = port.get("name", ""), port.get("protocol", "")
        if name:
            errors += validate_dns_label(name, f"{path}.name")
        elif needs_name:
            errors.append(required(f"{path}.name"))
        errors += validate_port_number(port.get("port", 0), f"{path}.port")
        if not protocol:
            errors.append(required(f"{path}.protocol"))
        elif protocol not in PROTOCOLS:
            errors.append(not_supported(f"{path}.protocol", protocol, PROTOCOLS))
        if (application := port.get("appProtocol")) is not None:
            wording = self._rules.quirks.wording
            errors += validate_qualified_name(application, f"{path}.appProtocol", wording)
        return errors


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {"Endpoints": lambda obj, now: _listed(obj)}


def _listed(obj: Object) -> str:
    """Returns the table cell for endpoints: up to three `IP:PORT` and the number of further endpoints."""
    subsets = obj.get("subsets") or ()
    if not subsets:
        return "<none>"
    points = [point for subset in subsets for point in _points(subset)]
    text = ",".join(points[:_LISTED_MAX])
    return f"{text} + {len(points) - _LISTED_MAX} more..." if len(points) > _LISTED_MAX else text


def _points(subset: Object) -> Iterator[str]:
    addresses = [address.get("ip", "") for address in subset.get("addresses") or ()]
    ports = subset.get("ports") or ()
    if not ports:
        yield from addresses
    for port in ports:
        yield from (join_host_port(address, port.get("port", 0)) for address in addresses)


ENDPOINTS = KindDefinition(
    group="", resource="endpoints", strategies=of_rules(EndpointsStrategy), cells=_cells
)
