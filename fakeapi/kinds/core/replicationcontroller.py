"""Defines the kind core/v1 ReplicationController.

Follows k8s.io/kubernetes `pkg/registry/core/replicationcontroller` and `pkg/apis/core/validation`.
"""

from collections.abc import Mapping
from typing import Any

from fakeapi.kinds.common.pod_templates import (
    validate_always_restarted,
    validate_selected,
)
from fakeapi.kinds.common.replica_status import validate_replica_status
from fakeapi.kinds.common.workload_cells import TEMPLATE, containers_at, labels_at, number_at
from fakeapi.kinds.common.workloads import WorkloadStatusStrategy, WorkloadStrategy, name_warnings
from fakeapi.kinds.core.pod.validation.template import validate_pod_template_spec
from fakeapi.machinery.field_errors import FieldError, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.counters import validate_nonnegative
from fakeapi.machinery.meta.field_selector import NOT_SUPPORTED
from fakeapi.machinery.meta.label_selector import Operator, Requirement, Selector
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.deletion_policies import orphan_dependents
from fakeapi.registry.model.field_labels import NAME, NAMESPACE, FieldLabels
from fakeapi.registry.model.scale import ScaleProjection
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules


class ReplicationControllerStrategy(WorkloadStrategy):
    """Prepares and validates new and updated ReplicationControllers."""

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._spec_errors(obj["spec"], None)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = self._spec_errors(new["spec"], old["spec"])
        once = self._rules.quirks.workloads.controllers_are_checked_once
        return [*(() if once else (*metadata.of_object, *errors)), *metadata.of_change, *errors]

    def warnings_on_create(self, obj: Object) -> list[str]:
        return [*name_warnings(obj), *self.template_warnings(obj)]

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        """Returns warnings about the stored pod template, because upstream confuses old and new object."""
        return super().warnings_on_update({**old, "metadata": new["metadata"]}, old)

    def _spec_errors(self, spec: Object, old: Object | None) -> list[FieldError]:
        return [
            *validate_nonnegative(spec.get("minReadySeconds"), "spec.minReadySeconds"),
            *([] if spec.get("selector") else [required("spec.selector")]),
            *([] if spec.get("replicas") is not None else [required("spec.replicas")]),
            *validate_nonnegative(spec.get("replicas"), "spec.replicas"),
            *self._template_errors(spec, None if old is None else old.get("template")),
        ]

    def _template_errors(self, spec: Object, old: Object | None) -> list[FieldError]:
        template, path = spec.get("template"), "spec.template"
        if template is None:
            return [required(path)]
        return [
            *validate_selected(template, _selector(spec), path, self._rules),
            *validate_pod_template_spec(template, path, self._rules, old=old),
            *validate_always_restarted(template, path, "ReplicationController"),
        ]


def _selector(spec: Object) -> Selector:
    """Converts the selector of a ReplicationController, a map of labels, to a Selector."""
    labels = spec.get("selector") or {}
    return Selector(tuple(Requirement(key, Operator.EQUALS, (labels[key],)) for key in sorted(labels)))


class ReplicationControllerStatusStrategy(WorkloadStatusStrategy):
    """Prepares and validates writes to `/status` of a ReplicationController."""

    def status_errors(self, new: Object, old: Object) -> list[FieldError]:
        return validate_replica_status(new.get("status") or {})


def _replicas(obj: dict[str, Any]) -> Mapping[str, str]:
    return {"status.replicas": str((obj.get("status") or {}).get("replicas", 0))}


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {
        "": ReplicationControllerStrategy(kind, rules),
        "status": ReplicationControllerStatusStrategy(rules),
    }


_CELLS: dict[str, Cell] = {
    "Desired": number_at("spec", "replicas"),
    "Current": number_at("status", "replicas"),
    "Ready": number_at("status", "readyReplicas"),
    **containers_at(*TEMPLATE),
    "Selector": labels_at("spec", "selector"),
}


REPLICATION_CONTROLLER = KindDefinition(
    group="",
    resource="replicationcontrollers",
    strategies=_strategies,
    field_labels=lambda kind: FieldLabels((NAME, NAMESPACE, "status.replicas"), NOT_SUPPORTED, _replicas),
    cells=lambda quirks: _CELLS,
    deletion=orphan_dependents,
    scale=ScaleProjection(lambda obj: str(_selector(obj["spec"])), missing_in="autoscaling"),
    table_subresources=frozenset(("status",)),
)
