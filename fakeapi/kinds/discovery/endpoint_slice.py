"""EndpointSlice of discovery.k8s.io/v1, which contains network endpoints of a service.

Follows k8s.io/kubernetes `pkg/registry/discovery/endpointslice` and `pkg/apis/discovery/validation`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeapi.kinds.common.addresses import ip_warnings
from fakeapi.kinds.common.gated_fields import GatedFields, drop_disabled_fields
from fakeapi.kinds.discovery.validation import (
    validate_address_type,
    validate_endpoints,
    validate_ports,
)
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.registry.model.columns import Cell, at
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.object_meta import with_generation, with_incremented_generation, without_metadata
from fakeapi.registry.model.semantic_equality import semantically_equal, validate_immutable
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks

MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"
CONTROLLERS: Final = frozenset(
    ("endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io")
)
_HOST = "kubernetes.io/hostname"
_NODE_HINTS_GATE = "PreferSameTrafficDistribution"
_HINTS_GATE = "TopologyAwareHints"
_SHOWN_MAX = 3


GATED_FIELDS = (
    GatedFields(_HINTS_GATE, ("endpoints[].hints",)),
    GatedFields(_NODE_HINTS_GATE, ("endpoints[].hints.forNodes",)),
)
"""Fields of an EndpointSlice that the server drops while their feature gate is off.

Follows `dropDisabledFieldsOnCreate` and `dropDisabledFieldsOnUpdate` of k8s.io/kubernetes
`pkg/registry/discovery/endpointslice`.
"""


class EndpointSliceStrategy(RulesStrategy):
    """Strategy for EndpointSlices. Rejects changes of the address type."""

    def prepare_create(self, obj: Object) -> Object:
        obj = drop_disabled_fields(obj, None, GATED_FIELDS, self._rules)
        obj["endpoints"] = self._without_topology(obj["endpoints"], None)
        return with_generation(obj, 1)

    def prepare_update(self, new: Object, old: Object) -> Object:
        labels, before = new["metadata"].get("labels"), old["metadata"].get("labels")
        same = semantically_equal(without_metadata(new), without_metadata(old))
        if not same or (labels or {}) != (before or {}):
            new = with_incremented_generation(new, old)
        new = drop_disabled_fields(new, old, GATED_FIELDS, self._rules)
        new["endpoints"] = self._without_topology(new["endpoints"], old["endpoints"])
        return new

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._validate(obj, None)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        changed = validate_immutable(new.get("addressType"), old.get("addressType"), "addressType")
        return [*metadata.of_object, *self._validate(new, old), *changed]

    def warnings_on_create(self, obj: Object) -> list[str]:
        warnings = []
        if obj.get("addressType") == "FQDN":
            warnings.append("spec.addressType: FQDN endpoints are deprecated")
        return warnings + self.warnings_on_update(obj, obj)

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        """Returns warnings about addresses of endpoints that are not in canonical form.

        EndpointSlices that Kubernetes' own controllers manage get no warnings. Releases before 1.33 return no
        warnings.
        """
        manager = (new["metadata"].get("labels") or {}).get(MANAGED_BY)
        if self._rules.quirks.address_warnings_quote_parser or manager in CONTROLLERS:
            return []
        return [
            warning
            for index, endpoint in enumerate(new["endpoints"] or ())
            for number, address in enumerate(endpoint.get("addresses") or ())
            for warning in ip_warnings(address, f"endpoints[{index}].addresses[{number}]", self._rules)
        ]

    def _validate(self, obj: Object, old: Object | None) -> list[FieldError]:
        kind = obj.get("addressType", "")
        endpoints = validate_endpoints(obj["endpoints"] or (), kind, self._rules)
        ports = validate_ports(obj.get("ports") or (), self._rules)
        if not self._rules.quirks.stored_endpoints_are_trusted:
            return [*validate_address_type(kind), *endpoints, *ports]
        if endpoints and old is not None and semantically_equal(old["endpoints"], obj["endpoints"]):
            endpoints = []
        return [*validate_address_type(kind), *ports, *endpoints]

    def _without_topology(self, endpoints: Any, old: Any) -> Any:
        """Returns the endpoints without `deprecatedTopology`, which clients of v1 cannot set.

        A missing `nodeName` gets the value of the topology label `kubernetes.io/hostname`, if a stored
        endpoint has the same value.

        `old`: the stored endpoints. If `endpoints` is equal to the stored endpoints, returns `endpoints`
        unchanged.
        """
        if old is not None and semantically_equal(old, endpoints):
            return endpoints
        known = {(endpoint.get("deprecatedTopology") or {}).get(_HOST) for endpoint in old or ()} - {None, ""}

        def cleared(each: Object) -> Object:
            topology = each.get("deprecatedTopology")
            if not topology:
                return each
            node = topology.get(_HOST)
            kept = _less(each, "deprecatedTopology")
            if each.get("nodeName") is None and node in known and not names.is_dns1123_subdomain(node):
                kept["nodeName"] = node
            return kept

        return _changed(endpoints, cleared)


def _changed(endpoints: Any, change: Any) -> Any:
    return None if endpoints is None else [change(endpoint) for endpoint in endpoints]


def _less(endpoint: Object, field: str) -> Object:
    return {name: value for name, value in endpoint.items() if name != field}


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {"AddressType": at("addressType"), "Ports": _ports, "Endpoints": _addresses}


def _ports(obj: Object, now: float) -> str:
    return _first([_port(port) for port in obj.get("ports") or ()])


def _port(port: Object) -> str:
    number, name = port.get("port"), port.get("name")
    return str(number) if number is not None else "*" if name is None else name


def _addresses(obj: Object, now: float) -> str:
    return _first([text for endpoint in obj["endpoints"] or () for text in endpoint.get("addresses") or ()])


def _first(texts: Sequence[str]) -> str:
    text = ",".join(texts[:_SHOWN_MAX])
    return f"{text} + {len(texts) - _SHOWN_MAX} more..." if len(texts) > _SHOWN_MAX else text or "<unset>"


ENDPOINT_SLICE = KindDefinition(
    group="discovery.k8s.io",
    resource="endpointslices",
    strategies=of_rules(EndpointSliceStrategy),
    cells=_cells,
)
