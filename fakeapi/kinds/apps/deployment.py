"""Defines the kind Deployment of apps/v1.

Follows k8s.io/kubernetes `pkg/registry/apps/deployment`, `pkg/apis/apps/v1` and `pkg/apis/apps/validation`.
"""

from typing import ClassVar

from fakeapi.kinds.apps.replicaset import (
    STATUS_FIELDS,
    validate_replicated_template,
)
from fakeapi.kinds.apps.validation.rolling_updates import with_zeros
from fakeapi.kinds.apps.validation.selectors import (
    validate_immutable_selector,
    validate_required_selector,
)
from fakeapi.kinds.common.gated_fields import drop_disabled_fields
from fakeapi.kinds.common.int_or_percent import (
    number_of,
    validate_at_most_100_percent,
    validate_int_or_percent,
)
from fakeapi.kinds.common.label_matching import scale_selector
from fakeapi.kinds.common.printing.quantities import printed_int_or_string
from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.kinds.common.replica_status import validate_at_most, validate_collision_count
from fakeapi.kinds.common.workload_cells import TEMPLATE, containers_at, number_at, ratio, selector_text
from fakeapi.kinds.common.workloads import WorkloadStatusStrategy, WorkloadStrategy, name_warnings
from fakeapi.machinery.errors import bad_request
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported, required
from fakeapi.machinery.golang.numbers import parse_int
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.counters import validate_nonnegative, validate_nonnegative_fields
from fakeapi.machinery.meta.wording import Wording
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.object_meta import in_order
from fakeapi.registry.model.scale import ScaleProjection
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules

ROLLBACK_TO = "deprecated.deployment.rollback.to"
"""The annotation that contains the target revision of a rollback. apps/v1 has no field for this revision."""

_COUNTERS = (
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
)


class DeploymentStrategy(WorkloadStrategy):
    """Strategy for Deployments. A change of the spec or the annotations increments the generation."""

    def default(self, obj: Object) -> Object:
        """Normalizes the number in the rollback annotation, like upstream's conversion of versions.

        Removes an empty annotation. Raises ApiError 400 if any other annotation is not an integer.
        """
        annotations = obj["metadata"].get("annotations") or {}
        if ROLLBACK_TO not in annotations:
            return obj
        rest = {name: value for name, value in annotations.items() if name != ROLLBACK_TO}
        if annotations[ROLLBACK_TO]:
            rest[ROLLBACK_TO] = str(_revision(annotations[ROLLBACK_TO]))
        obj["metadata"] = {**obj["metadata"], "annotations": dict(sorted(rest.items()))}
        if not rest:
            del obj["metadata"]["annotations"]
        return obj

    def is_new_generation(self, new: Object, old: Object) -> bool:
        annotations = new["metadata"].get("annotations"), old["metadata"].get("annotations")
        return super().is_new_generation(new, old) or not semantically_equal(*annotations)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._spec_errors(obj, None)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [
            *metadata.of_change,
            *self._spec_errors(new, old),
            *validate_immutable_selector(new, old, self._rules),
        ]

    def warnings_on_create(self, obj: Object) -> list[str]:
        return [*name_warnings(obj), *self.template_warnings(obj)]

    def _spec_errors(self, obj: Object, old: Object | None) -> list[FieldError]:
        spec = obj["spec"]
        errors = [
            *validate_nonnegative(spec.get("replicas"), "spec.replicas"),
            *validate_required_selector(spec, "deployment", self._rules),
            *validate_replicated_template(spec, None if old is None else old["spec"], self._rules),
            *_strategy_errors(spec.get("strategy") or {}, self._rules),
            *validate_nonnegative_fields(spec, ("minReadySeconds", "revisionHistoryLimit"), "spec"),
            *_rollback_errors(obj),
        ]
        deadline = spec.get("progressDeadlineSeconds")
        if deadline is not None:
            path = "spec.progressDeadlineSeconds"
            errors += validate_nonnegative(deadline, path)
            if deadline <= spec.get("minReadySeconds", 0):
                errors.append(invalid(path, deadline, "must be greater than minReadySeconds"))
        return errors


class DeploymentStatusStrategy(WorkloadStatusStrategy):
    """Strategy for `/status` of Deployments. Keeps the stored spec and labels."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("spec",), ("metadata", "labels"))

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = super().prepare_update(new, old)
        metadata = {name: value for name, value in new["metadata"].items() if name != "labels"}
        if "labels" in old["metadata"]:
            metadata["labels"] = old["metadata"]["labels"]
        new = {**new, "metadata": in_order(metadata)}
        return drop_disabled_fields(new, old, STATUS_FIELDS, self._rules)

    def status_errors(self, new: Object, old: Object) -> list[FieldError]:
        status = new.get("status") or {}
        whole = ("updatedReplicas", "readyReplicas", "availableReplicas")
        return [
            *validate_nonnegative_fields(status, _COUNTERS, "status"),
            *validate_at_most(status, whole, "replicas", "cannot be greater than status.replicas"),
            *validate_at_most(
                status, ("availableReplicas",), "readyReplicas", "cannot be greater than readyReplicas"
            ),
            *validate_collision_count(status, old.get("status") or {}),
        ]


def _revision(text: str) -> int:
    try:
        return parse_int(text)
    except ValueError as error:
        raise bad_request(
            'Deployment in version "v1" cannot be handled as a Deployment: failed to parse '
            f"annotation[{ROLLBACK_TO}]={text} as int64: {error}"
        ) from None


def _rollback_errors(obj: Object) -> list[FieldError]:
    text = (obj["metadata"].get("annotations") or {}).get(ROLLBACK_TO)
    return validate_nonnegative(int(text), "spec.rollback.version") if text else []


def _strategy_errors(strategy: Object, rules: ReleaseRules) -> list[FieldError]:
    rolling = strategy.get("rollingUpdate")
    match strategy.get("type", ""):
        case "Recreate":
            problem = "may not be specified when strategy `type` is 'Recreate'"
            return [forbidden("spec.strategy.rollingUpdate", problem)] if rolling is not None else []
        case "RollingUpdate":
            if rolling is None:
                problem = "this should be defaulted and never be nil"
                return [required("spec.strategy.rollingUpdate", problem)]
            return _rolling_update_errors(rolling, rules.quirks.wording)
    value = printed_struct(
        with_zeros(strategy, "maxUnavailable", "maxSurge"), "apps/v1.DeploymentStrategy", rules
    )
    return [not_supported("spec.strategy", value, ("Recreate", "RollingUpdate"))]


def _rolling_update_errors(rolling: Object, wording: Wording) -> list[FieldError]:
    path = "spec.strategy.rollingUpdate"
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    errors = [
        *validate_int_or_percent(unavailable, f"{path}.maxUnavailable", wording),
        *validate_int_or_percent(surge, f"{path}.maxSurge", wording),
    ]
    if number_of(unavailable) == 0 and number_of(surge) == 0:
        value = printed_int_or_string(unavailable, wording)
        errors.append(invalid(f"{path}.maxUnavailable", value, "may not be 0 when `maxSurge` is 0"))
    return errors + validate_at_most_100_percent(unavailable, f"{path}.maxUnavailable", wording)


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": DeploymentStrategy(kind, rules), "status": DeploymentStatusStrategy(rules)}


_CELLS: dict[str, Cell] = {
    "Ready": ratio(number_at("status", "readyReplicas"), number_at("spec", "replicas")),
    "Up-to-date": number_at("status", "updatedReplicas"),
    "Available": number_at("status", "availableReplicas"),
    **containers_at(*TEMPLATE),
    "Selector": selector_text,
}

DEPLOYMENT = KindDefinition(
    group="apps",
    resource="deployments",
    strategies=_strategies,
    cells=lambda quirks: _CELLS,
    hidden_annotations=frozenset((ROLLBACK_TO,)),
    scale=ScaleProjection(scale_selector, missing_in="apps"),
    table_subresources=frozenset(("status",)),
)
