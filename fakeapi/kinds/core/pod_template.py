"""Defines the kind core/v1 PodTemplate.

Follows k8s.io/kubernetes `pkg/registry/core/podtemplate` and `pkg/apis/core/validation`.
"""

from typing import ClassVar

from fakeapi.kinds.common.workload_cells import containers_at, labels_at
from fakeapi.kinds.common.workloads import WorkloadStrategy
from fakeapi.kinds.core.pod.validation.template import validate_pod_template_spec
from fakeapi.kinds.core.pod.validation.warnings import pod_template_warnings
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules


class PodTemplateStrategy(WorkloadStrategy):
    """Prepares and validates new and updated PodTemplates. A changed template increments the generation."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = ()
    template_path: ClassVar[tuple[str, ...]] = ("template",)

    def is_new_generation(self, new: Object, old: Object) -> bool:
        return not semantically_equal(new["template"], old["template"])

    def validate_create(self, obj: Object) -> list[FieldError]:
        return validate_pod_template_spec(obj["template"], "template", self._rules)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = validate_pod_template_spec(new["template"], "template", self._rules, old=old["template"])
        return [*metadata.of_change, *errors]

    def warnings_on_create(self, obj: Object) -> list[str]:
        return pod_template_warnings(obj["template"], "template", self._rules)

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        if new["metadata"].get("generation") == old["metadata"].get("generation"):
            return []
        return pod_template_warnings(new["template"], "template", self._rules)


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": PodTemplateStrategy(kind, rules)}


_CELLS: dict[str, Cell] = {
    **containers_at("template", "spec"),
    "Pod Labels": labels_at("template", "metadata", "labels"),
}

POD_TEMPLATE = KindDefinition(
    group="", resource="podtemplates", strategies=_strategies, cells=lambda quirks: _CELLS
)
