"""HorizontalPodAutoscaler of autoscaling/v1 and autoscaling/v2.

Follows k8s.io/kubernetes `pkg/registry/autoscaling/horizontalpodautoscaler` and
`pkg/apis/autoscaling/validation`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from fakeapi.kinds.autoscaling.cells import autoscaler_cells
from fakeapi.kinds.autoscaling.conversion import (
    ROUND_TRIP,
    as_decoded,
    conversions_of,
    without_round_trip,
)
from fakeapi.kinds.autoscaling.validation.behavior import validate_behavior
from fakeapi.kinds.autoscaling.validation.metrics import CONTAINER_METRICS, validate_metrics
from fakeapi.kinds.autoscaling.validation.references import (
    ReferenceRules,
    validate_reference,
    version_problem,
)
from fakeapi.kinds.common.gated_fields import GatedFields, drop_disabled_fields
from fakeapi.kinds.common.statuses import with_status_of
from fakeapi.kinds.common.workloads import WorkloadStatusStrategy, WorkloadStrategy
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.counters import validate_nonnegative_fields
from fakeapi.machinery.object_paths import value_at
from fakeapi.registry.model.conversion import IDENTITY
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.object_meta import with_generation, with_incremented_generation
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules

_NO_STATUS: Object = {"status": {"desiredReplicas": 0, "currentMetrics": None}}
"""The status of a new HorizontalPodAutoscaler in the layout of v2, as Go encodes it."""

_TOLERANCE = "HPAConfigurableTolerance"
_GENERATION = "HPAGeneration"
_TO_ZERO = "HPAScaleToZero"
_DIRECTIONS = ("scaleUp", "scaleDown")

GATED_FIELDS = (
    GatedFields(_TOLERANCE, tuple(f"spec.behavior.{direction}.tolerance" for direction in _DIRECTIONS)),
    GatedFields(CONTAINER_METRICS, ("spec.metrics[].containerResource",)),
)
"""Fields of a HorizontalPodAutoscaler that the server drops while their feature gate is off.

Follows `dropDisabledFields` of k8s.io/kubernetes `pkg/registry/autoscaling/horizontalpodautoscaler`.
"""


class AutoscalerStrategy(WorkloadStrategy):
    """Strategy for HorizontalPodAutoscalers. Sets their generation only if the gate HPAGeneration is on."""

    template_path: ClassVar[tuple[str, ...]] = ()

    def restore_after_decoding(self, obj: Object, sent: Any) -> Object:
        """Restores explicitly empty `policies` of v2, which get no default and are invalid."""
        for direction in _DIRECTIONS:
            path = ("spec", "behavior", direction)
            rules = value_at(obj, path)
            if rules is not None and value_at(sent, (*path, "policies")) == []:
                rules["policies"] = []
        return obj

    def default(self, obj: Object) -> Object:
        """Converts the object to the stored layout and back, like upstream when it decodes a request.

        For v2, only removes the annotations in which v1 keeps fields of v2.
        """
        conversion = conversions_of(self._rules).get(self._kind.version, IDENTITY)
        if conversion is IDENTITY:
            return without_round_trip(obj)
        return as_decoded(obj, conversion)

    def prepare_create(self, obj: Object) -> Object:
        obj = drop_disabled_fields(with_status_of(obj, _NO_STATUS), None, GATED_FIELDS, self._rules)
        return with_generation(obj, 1) if self._rules.gates.enabled(_GENERATION) else obj

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = drop_disabled_fields(with_status_of(new, old), old, GATED_FIELDS, self._rules)
        changed = not semantically_equal(new["spec"], old["spec"])
        if not changed or not self._rules.gates.enabled(_GENERATION):
            return new
        return with_incremented_generation(new, old)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._spec_errors(obj["spec"], None)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change, *self._spec_errors(new["spec"], old["spec"])]

    def _spec_errors(self, spec: Object, old: Object | None) -> list[FieldError]:
        least, most = spec.get("minReplicas"), spec.get("maxReplicas", 0)
        bounds = [*self._least_errors(least, old), *self._most_errors(most)]
        errors: list[FieldError] = []
        if least is not None and most < least:
            problem = "must be greater than or equal to `minReplicas`"
            errors.append(invalid("spec.maxReplicas", most, problem))
        target = self._target_rules(spec["scaleTargetRef"], old)
        errors += validate_reference(spec["scaleTargetRef"], "spec.scaleTargetRef", target)
        metrics, described = spec.get("metrics") or [], self._described_rules(old)
        errors += validate_metrics(metrics, "spec.metrics", least, described, self._rules)
        errors += validate_behavior(spec.get("behavior"), "spec.behavior")
        return [*bounds, *errors]

    def declared_options(self, new: Object, old: Object | None) -> Mapping[str, bool]:
        return {_TO_ZERO: self._may_be_zero(None if old is None else old["spec"])}

    def _may_be_zero(self, old: Object | None) -> bool:
        return self._rules.gates.enabled(_TO_ZERO) or (old is not None and old.get("minReplicas") == 0)

    def _least_errors(self, least: int | None, old: Object | None) -> list[FieldError]:
        lowest = 0 if self._may_be_zero(old) else 1
        if least is None or least >= lowest:
            return []
        return [invalid("spec.minReplicas", least, f"must be greater than or equal to {lowest}")]

    def _most_errors(self, most: int) -> list[FieldError]:
        path, form = "spec.maxReplicas", self._rules.quirks.workloads.autoscaler_bounds
        if most >= 1:
            return []
        if form == "positive":
            return [invalid(path, most, "must be greater than 0")]
        if most == 0:
            return [required(path, "must be set and greater than 0")]
        return [invalid(path, most, "must be greater than or equal to 1")]

    def _target_rules(self, target: Object, old: Object | None) -> ReferenceRules:
        if not self._rules.quirks.workloads.references_name_a_group:
            return ReferenceRules(any_version=True)
        before = None if old is None else old["scaleTargetRef"]
        if before is not None and all(
            target.get(name) == before.get(name) for name in ("apiVersion", "kind")
        ):
            return ReferenceRules(any_version=True)
        return ReferenceRules(core=target.get("kind") == "ReplicationController")

    def _described_rules(self, old: Object | None) -> ReferenceRules:
        if not self._rules.quirks.workloads.references_name_a_group:
            return ReferenceRules(any_version=True)
        rules = ReferenceRules(core=True)
        stored = [
            metric["object"]["describedObject"]
            for metric in (old or {}).get("metrics") or ()
            if metric.get("type") == "Object" and metric.get("object") is not None
        ]
        was_invalid = any(version_problem(reference.get("apiVersion", ""), rules) for reference in stored)
        return ReferenceRules(any_version=was_invalid, core=True)


class AutoscalerStatusStrategy(WorkloadStatusStrategy):
    """Strategy for `/status` of HorizontalPodAutoscalers.

    Replica counts must not be negative. From 1.37 on, the generations in conditions must not be negative.
    """

    def status_errors(self, new: Object, old: Object) -> list[FieldError]:
        status = new.get("status") or {}
        return [
            *_condition_errors(status.get("conditions") or []),
            *validate_nonnegative_fields(status, ("currentReplicas", "desiredReplicas"), "status"),
        ]


def _condition_errors(conditions: list[Object]) -> list[FieldError]:
    """Returns an error for each negative `observedGeneration`. Conditions have this field from 1.37 on."""
    return [
        error
        for index, condition in enumerate(conditions)
        for error in validate_nonnegative_fields(
            condition, ("observedGeneration",), f"status.conditions[{index}]"
        )
    ]


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": AutoscalerStrategy(kind, rules), "status": AutoscalerStatusStrategy(rules)}


HORIZONTAL_POD_AUTOSCALER = KindDefinition(
    group="autoscaling",
    resource="horizontalpodautoscalers",
    strategies=_strategies,
    conversions_of=conversions_of,
    cells=autoscaler_cells,
    hidden_annotations=ROUND_TRIP,
    table_subresources=frozenset(("status",)),
)
