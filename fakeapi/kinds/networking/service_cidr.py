"""ServiceCIDR of networking.k8s.io: a range for the IP addresses of services.

Follows k8s.io/kubernetes `pkg/registry/networking/servicecidr` and `pkg/apis/networking/validation`.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

from fakeapi.kinds.common.status_strategies import StatusKeptStrategy
from fakeapi.kinds.networking.validation.cidrs import (
    validate_service_cidr_change,
    validate_service_cidr_spec,
)
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.object_meta import reset_for_status
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

WIPING_GATE: Final = "ServiceCIDRStatusFieldWiping"


class ServiceCIDRStrategy(Strategy):
    """Strategy for ServiceCIDRs if the gate ServiceCIDRStatusFieldWiping is off, as always up to 1.35.

    Creates and updates may also set the status. Up to 1.32, an update is also validated like a create.
    """

    def __init__(self, kind: Kind, rules: ReleaseRules) -> None:
        self._kind = kind
        self._rules = rules

    @property
    def _type_name(self) -> str:
        spec = self._kind.schema.fields["spec"].node
        assert isinstance(spec, Struct), "the spec of a ServiceCIDR is a struct"
        return spec.full_name

    def validate_create(self, obj: Object) -> list[FieldError]:
        return validate_service_cidr_spec(obj["spec"], self._type_name, self._rules)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        changed = validate_service_cidr_change(new["spec"], old["spec"], self._type_name, self._rules)
        anew = list[FieldError]()
        if self._rules.quirks.service_cidrs_are_parsed_by_netip:
            anew = [*metadata.of_object, *self.validate_create(new)]
        return [*anew, *metadata.of_change, *changed]


class StatusWipingStrategy(StatusKeptStrategy, ServiceCIDRStrategy):
    """Strategy for ServiceCIDRs if the gate ServiceCIDRStatusFieldWiping is on. Keeps the status."""


class ServiceCIDRStatusStrategy(ServiceCIDRStrategy):
    """Strategy for `/status` of ServiceCIDRs; keeps the stored spec."""

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["spec"] = old["spec"]
        if self._rules.quirks.service_cidr_status_resets_metadata:
            new["metadata"] = reset_for_status(new["metadata"], old["metadata"])
        return new

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change]


class ResettingStatusStrategy(ServiceCIDRStatusStrategy):
    """Strategy for `/status` of ServiceCIDRs from 1.36 on.

    The managedFields of status updates contain only the status.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("metadata",), ("spec",))


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    wipes = rules.gates.enabled(WIPING_GATE)
    whole = StatusWipingStrategy(kind, rules) if wipes else ServiceCIDRStrategy(kind, rules)
    if rules.quirks.service_cidr_status_resets_fields:
        return {"": whole, "status": ResettingStatusStrategy(kind, rules)}
    return {"": whole, "status": ServiceCIDRStatusStrategy(kind, rules)}


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {"CIDRs": lambda obj, now: ",".join(obj["spec"].get("cidrs") or ())}


SERVICE_CIDR = KindDefinition(
    group="networking.k8s.io",
    resource="servicecidrs",
    strategies=_strategies,
    cells=_cells,
    table_subresources=frozenset(("status",)),
)
