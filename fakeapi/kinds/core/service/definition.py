"""core/v1 Service: a stable name and address for a set of pods.

Follows k8s.io/kubernetes `pkg/registry/core/service` and `ValidateService…` of `pkg/apis/core/validation`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from fakeapi.kinds.common.gated_fields import GatedFields, drop_disabled_fields
from fakeapi.kinds.common.load_balancers import point_warnings, points_text
from fakeapi.kinds.common.status_strategies import SpecKeptStrategy
from fakeapi.kinds.core.connections import proxy_service
from fakeapi.kinds.core.service import spec as specs
from fakeapi.kinds.core.service.hooks import ServiceHooks
from fakeapi.kinds.core.service.inferred import drop_traffic_policy, drop_type_dependent_fields
from fakeapi.kinds.core.service.validation import (
    validate_service,
    validate_service_change,
    validate_service_status,
)
from fakeapi.kinds.core.service.warnings import service_warnings
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.field_selector import NOT_SUPPORTED
from fakeapi.machinery.meta.names import NameValidator
from fakeapi.registry.model.columns import Cell, at
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.field_labels import NAME, NAMESPACE, FieldLabels
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

RELAXED_NAMES_GATE = "RelaxedServiceNameValidation"


SERVICE_FIELDS = (GatedFields("ServiceTrafficDistribution", ("spec.trafficDistribution",)),)
"""Fields of a Service that the server drops while their feature gate is off.

Follows `dropServiceDisabledFields` in k8s.io/kubernetes `pkg/registry/core/service`.
"""

SERVICE_STATUS_FIELDS = (GatedFields("LoadBalancerIPMode", ("status.loadBalancer.ingress[].ipMode",)),)
"""Fields of a Service's status that the server drops while their feature gate is off.

Follows `dropServiceStatusDisabledFields` in k8s.io/kubernetes `pkg/registry/core/service`.
"""


class ServiceStrategy(RulesStrategy):
    """Prepares and validates new and updated Services, after ServiceHooks has allocated their addresses."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)
    creates_on_update: ClassVar[bool] = True

    def default(self, obj: Object) -> Object:
        """Sets the default externalTrafficPolicy of a Service that is reachable from outside the cluster.

        From 1.29 on, a Service with external IPs counts as reachable too.
        """
        spec = obj["spec"]
        wider = self._rules.quirks.external_ips_have_traffic_policy
        reached = specs.is_externally_accessible(spec) if wider else specs.has_node_ports(spec)
        if reached and not spec.get("externalTrafficPolicy"):
            spec["externalTrafficPolicy"] = "Cluster"
        return obj

    def prepare_create(self, obj: Object) -> Object:
        obj["status"] = {"loadBalancer": {}}
        return self._drop_disabled_fields(obj, None)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return validate_service(obj, None, self._rules)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["status"] = old["status"]
        new = self._drop_disabled_fields(new, old)
        spec, before = new["spec"], old["spec"]
        drop_type_dependent_fields(spec, before)
        wider = self._rules.quirks.external_ips_have_traffic_policy
        drop_traffic_policy(spec, before, follows_accessibility=wider)
        if specs.type_of(spec) != specs.LOAD_BALANCER:
            new["status"] = {**new["status"], "loadBalancer": {}}
        return new

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        changed = validate_service_change(new, old, self._rules)
        of_object = metadata.of_object if self._rules.quirks.service_updates_check_metadata else ()
        return [*metadata.of_change, *changed, *of_object, *validate_service(new, old, self._rules)]

    def warnings_on_create(self, obj: Object) -> list[str]:
        return service_warnings(obj, self._rules)

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return service_warnings(new, self._rules)

    def _drop_disabled_fields(self, obj: Object, old: Object | None) -> Object:
        """Returns the Service without fields whose feature gates are off. Keeps fields of the stored Service.

        Also drops `internalTrafficPolicy: Cluster` of ExternalName Services, an old default.
        `old`: the stored Service; None on create
        """
        obj = drop_disabled_fields(obj, old, SERVICE_FIELDS, self._rules)
        spec = obj["spec"]
        if specs.type_of(spec) == specs.EXTERNAL_NAME and spec.get("internalTrafficPolicy") == "Cluster":
            del spec["internalTrafficPolicy"]
        return obj


class ServiceStatusStrategy(SpecKeptStrategy, ServiceStrategy):
    """Prepares and validates writes to `/status` of a Service. Such writes keep the spec."""

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = super().prepare_update(new, old)
        return drop_disabled_fields(new, old, SERVICE_STATUS_FIELDS, self._rules)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change, *validate_service_status(new, old, self._rules)]

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return point_warnings(new["status"], self._rules)


def _name_validator(rules: ReleaseRules) -> NameValidator:
    relaxed = rules.gates.enabled(RELAXED_NAMES_GATE)
    return names.name_is_dns_label if relaxed else names.name_is_dns1035_label


def _field_labels(kind: Kind, quirks: Quirks) -> FieldLabels:
    if not quirks.services_have_field_labels:
        return FieldLabels()
    return FieldLabels((NAMESPACE, NAME, "spec.clusterIP", "spec.type"), NOT_SUPPORTED, _fields)


def _fields(obj: dict[str, Any]) -> Mapping[str, str]:
    spec = obj["spec"]
    return {"spec.clusterIP": spec.get("clusterIP", ""), "spec.type": specs.type_of(spec)}


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "Type": at("spec", "type"),
        "Cluster-IP": lambda obj, now: (specs.cluster_ips(obj["spec"]) or ["<none>"])[0],
        "External-IP": _external,
        "Port(s)": lambda obj, now: ",".join(map(_port, specs.ports_of(obj["spec"]))) or "<none>",
        "Selector": _selector,
    }


def _external(obj: Object, now: float) -> str:
    """Returns the table cell with the external addresses of a Service."""
    spec = obj["spec"]
    external = ",".join(spec.get("externalIPs") or ())
    match specs.type_of(spec):
        case specs.CLUSTER_IP | specs.NODE_PORT:
            return external or "<none>"
        case specs.LOAD_BALANCER:
            return ",".join(filter(None, (points_text(obj["status"]), external))) or "<pending>"
        case specs.EXTERNAL_NAME:
            name: str = spec.get("externalName", "")
            return name
        case _:
            return "<unknown>"


def _port(port: Object) -> str:
    node = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port.get('port', 0)}{node}/{port.get('protocol', '')}"


def _selector(obj: Object, now: float) -> str:
    selector = obj["spec"].get("selector") or {}
    return ",".join(f"{key}={value}" for key, value in sorted(selector.items())) or "<none>"


SERVICE = KindDefinition(
    group="",
    resource="services",
    strategies=of_rules(ServiceStrategy, ServiceStatusStrategy),
    name_validator_of=_name_validator,
    field_labels_of=_field_labels,
    cells=_cells,
    connections={"proxy": proxy_service},
    hooks=ServiceHooks,
    table_subresources=frozenset(("status",)),
)
