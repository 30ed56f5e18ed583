"""IngressClass of networking.k8s.io/v1: names the controller that implements ingresses.

Follows k8s.io/kubernetes `pkg/registry/networking/ingressclass` and `pkg/apis/networking/validation`.
"""

from collections.abc import Mapping
from typing import Final

from fakeapi.kinds.common.domain_names import validate_domain_prefixed_path
from fakeapi.kinds.networking.validation.references import validate_class_parameters
from fakeapi.machinery.field_errors import FieldError, too_long
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.registry.model.columns import Cell, at
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.object_meta import with_generation, with_next_generation
from fakeapi.registry.model.semantic_equality import validate_immutable
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks

CONTROLLER_MAX: Final = 250
_DEFAULT_ANNOTATION = "ingressclass.kubernetes.io/is-default-class"


class IngressClassStrategy(RulesStrategy):
    """Strategy for IngressClasses. Rejects changes of the controller."""

    def prepare_create(self, obj: Object) -> Object:
        return with_generation(obj, 1)

    def validate_create(self, obj: Object) -> list[FieldError]:
        spec = obj["spec"]
        controller = spec.get("controller", "")
        errors: list[FieldError] = []
        if names.byte_length(controller) > CONTROLLER_MAX:
            errors.append(too_long("spec.controller", CONTROLLER_MAX, self._rules.quirks.too_long))
        errors += validate_domain_prefixed_path(controller, "spec.controller")
        errors += validate_class_parameters(spec.get("parameters"), "spec.parameters", self._rules)
        return errors

    def prepare_update(self, new: Object, old: Object) -> Object:
        return with_next_generation(new, old)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        controller = new["spec"].get("controller", "")
        changed = validate_immutable(controller, old["spec"].get("controller", ""), "spec.controller")
        return [*metadata.of_change, *changed, *metadata.of_object, *self.validate_create(new)]


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    cells: dict[str, Cell] = {"Controller": at("spec", "controller"), "Parameters": _parameters}
    return {**cells, "Name": _name} if quirks.default_ingress_class_is_marked else cells


def _name(obj: Object, now: float) -> str:
    name: str = obj["metadata"]["name"]
    annotations = obj["metadata"].get("annotations") or {}
    return f"{name} (default)" if annotations.get(_DEFAULT_ANNOTATION) == "true" else name


def _parameters(obj: Object, now: float) -> str:
    parameters = obj["spec"].get("parameters")
    if parameters is None:
        return "<none>"
    group = parameters.get("apiGroup")
    kind = parameters.get("kind", "")
    return f"{kind if group is None else f'{kind}.{group}'}/{parameters.get('name', '')}"


INGRESS_CLASS = KindDefinition(
    group="networking.k8s.io",
    resource="ingressclasses",
    strategies=of_rules(IngressClassStrategy),
    cells=_cells,
)
