"""Defines the kind ReplicaSet of apps/v1.

Follows k8s.io/kubernetes `pkg/registry/apps/replicaset` and `pkg/apis/apps/validation`.
"""

from fakeapi.kinds.apps.validation.selectors import (
    validate_immutable_selector,
    validate_required_selector,
    with_compiled_selector,
)
from fakeapi.kinds.common.gated_fields import GatedFields, drop_disabled_fields
from fakeapi.kinds.common.label_matching import scale_selector
from fakeapi.kinds.common.pod_templates import (
    validate_always_restarted,
    validate_selected,
)
from fakeapi.kinds.common.replica_status import validate_replica_status
from fakeapi.kinds.common.workload_cells import TEMPLATE, containers_at, number_at, selector_at
from fakeapi.kinds.common.workloads import (
    WorkloadStatusStrategy,
    WorkloadStrategy,
    name_warnings,
)
from fakeapi.kinds.core.pod.validation.template import validate_pod_template_spec
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.counters import validate_nonnegative_fields
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.scale import ScaleProjection
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules

TERMINATING_REPLICAS = "DeploymentReplicaSetTerminatingReplicas"
"""The feature gate of `status.terminatingReplicas`."""


class ReplicaSetStrategy(WorkloadStrategy):
    """Strategy for creates and updates of ReplicaSets."""

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._spec_errors(obj, None)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = self._spec_errors(new, old)
        twice = (
            ()
            if self._rules.quirks.workloads.apps_updates_are_checked_once
            else [*metadata.of_object, *errors]
        )
        return [
            *twice,
            *metadata.of_change,
            *errors,
            *validate_immutable_selector(new, old, self._rules),
        ]

    def warnings_on_create(self, obj: Object) -> list[str]:
        return [*name_warnings(obj), *self.template_warnings(obj)]

    def _spec_errors(self, obj: Object, old: Object | None) -> list[FieldError]:
        spec = obj["spec"]
        return [
            *validate_nonnegative_fields(spec, ("replicas", "minReadySeconds"), "spec"),
            # Upstream's message says "deployment" here too.
            *validate_required_selector(spec, "deployment", self._rules),
            *validate_replicated_template(spec, None if old is None else old["spec"], self._rules),
        ]


def validate_replicated_template(spec: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    """Validates the pod template of a ReplicaSet or a Deployment, and its match with the selector.

    `spec`: the spec of the workload
    `old`: the stored spec; None on create
    """
    template, path = spec["template"], "spec.template"
    return with_compiled_selector(
        spec,
        "invalid label selector",
        rules,
        lambda selector: [
            *(
                ()
                if selector is not None and selector.empty
                else validate_selected(template, selector, path, rules)
            ),
            *validate_pod_template_spec(template, path, rules, old=None if old is None else old["template"]),
            *validate_always_restarted(template, path, "ReplicaSet"),
        ],
    )


STATUS_FIELDS = (GatedFields(TERMINATING_REPLICAS, ("status.terminatingReplicas",)),)
"""Fields of a ReplicaSet's or Deployment's status that the server drops while their feature gate is off.

Follows `dropDisabledStatusFields` of k8s.io/kubernetes `pkg/registry/apps/replicaset` and `deployment`.
"""


class ReplicaSetStatusStrategy(WorkloadStatusStrategy):
    """Strategy for `/status` of ReplicaSets."""

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = super().prepare_update(new, old)
        return drop_disabled_fields(new, old, STATUS_FIELDS, self._rules)

    def status_errors(self, new: Object, old: Object) -> list[FieldError]:
        return validate_replica_status(new.get("status") or {})


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": ReplicaSetStrategy(kind, rules), "status": ReplicaSetStatusStrategy(rules)}


_CELLS: dict[str, Cell] = {
    "Desired": number_at("spec", "replicas"),
    "Current": number_at("status", "replicas"),
    "Ready": number_at("status", "readyReplicas"),
    **containers_at(*TEMPLATE),
    "Selector": selector_at("spec", "selector"),
}

REPLICA_SET = KindDefinition(
    group="apps",
    resource="replicasets",
    strategies=_strategies,
    cells=lambda quirks: _CELLS,
    scale=ScaleProjection(scale_selector, missing_in="apps"),
    table_subresources=frozenset(("status",)),
)
