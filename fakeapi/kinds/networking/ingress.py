"""Ingress of networking.k8s.io/v1: rules that route external traffic to services.

Follows k8s.io/kubernetes `pkg/registry/networking/ingress` and `pkg/apis/networking/validation`.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

from fakeapi.kinds.common.load_balancers import point_warnings, points_text
from fakeapi.kinds.common.status_strategies import SpecKeptStrategy, StatusKeptStrategy
from fakeapi.kinds.networking.validation.ingresses import (
    checks_of,
    validate_ingress_spec,
    validate_ingress_status,
)
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks

CLASS_ANNOTATION: Final = "kubernetes.io/ingress.class"
_HOSTS_SHOWN = 3


class IngressStrategy(StatusKeptStrategy, RulesStrategy):
    """Strategy for creates and updates of an ingress; ignores the status that the client sends."""

    new_status: ClassVar[Object] = {"loadBalancer": {}}
    counts_generations: ClassVar[bool] = True

    def validate_create(self, obj: Object) -> list[FieldError]:
        errors = validate_ingress_spec(obj["spec"], "spec", checks_of(self._rules, None))
        annotation, name = _class_annotation(obj), obj["spec"].get("ingressClassName")
        if annotation is not None and name is not None and annotation != name:
            problem = "must match `ingressClassName` when both are specified"
            errors.append(invalid(f"annotations.{CLASS_ANNOTATION}", annotation, problem))
        return errors

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = validate_ingress_spec(new["spec"], "spec", checks_of(self._rules, old))
        return [*metadata.of_change, *metadata.of_object, *errors]

    def warnings_on_create(self, obj: Object) -> list[str]:
        if _class_annotation(obj) is None or obj["spec"].get("ingressClassName") is not None:
            return []
        return [
            f"annotation {quote(CLASS_ANNOTATION)} is deprecated, please use 'spec.ingressClassName' instead"
        ]


class IngressStatusStrategy(SpecKeptStrategy, IngressStrategy):
    """Strategy for `/status` of ingresses; keeps the stored spec."""

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = validate_ingress_status(new["status"], old["status"], "status", self._rules)
        return [*metadata.of_change, *errors]

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return point_warnings(new["status"], self._rules)


def _class_annotation(obj: Object) -> str | None:
    annotation: str | None = (obj["metadata"].get("annotations") or {}).get(CLASS_ANNOTATION)
    return annotation


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "Class": lambda obj, now: _or_none(obj["spec"].get("ingressClassName")),
        "Hosts": _hosts,
        "Address": lambda obj, now: points_text(obj["status"]),
        "Ports": lambda obj, now: "80, 443" if obj["spec"].get("tls") else "80",
    }


def _or_none(text: str | None) -> str:
    return "<none>" if text is None else text


def _hosts(obj: Object, now: float) -> str:
    """Returns the table cell for hosts: up to three hosts, and the number of further rules.

    Returns `*` if no rule has a host.
    """
    rules = obj["spec"].get("rules") or ()
    hosts: list[str] = []
    for rule in rules:
        if len(hosts) == _HOSTS_SHOWN:
            return f"{','.join(hosts)} + {len(rules) - _HOSTS_SHOWN} more..."
        if rule.get("host"):
            hosts.append(rule["host"])
    return ",".join(hosts) or "*"


INGRESS = KindDefinition(
    group="networking.k8s.io",
    resource="ingresses",
    strategies=of_rules(IngressStrategy, IngressStatusStrategy),
    cells=_cells,
    table_subresources=frozenset(("status",)),
)
