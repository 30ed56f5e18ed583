"""Defines the kind DaemonSet of apps/v1.

Follows k8s.io/kubernetes `pkg/registry/apps/daemonset`, `pkg/apis/apps/v1` and `pkg/apis/apps/validation`.
"""

from contextlib import suppress

from fakeapi.kinds.apps.validation.rolling_updates import with_zeros
from fakeapi.kinds.apps.validation.selectors import validate_immutable_selector
from fakeapi.kinds.common.int_or_percent import (
    number_of,
    validate_at_most_100_percent,
    validate_int_or_percent,
)
from fakeapi.kinds.common.label_matching import InvalidSelector, compiled, is_empty
from fakeapi.kinds.common.label_selectors import has_invalid_value, validate_label_selector
from fakeapi.kinds.common.pod_templates import (
    validate_always_restarted,
    validate_selected,
)
from fakeapi.kinds.common.printing.quantities import printed_int_or_string
from fakeapi.kinds.common.printing.values import printed_selector, printed_struct
from fakeapi.kinds.common.replica_status import validate_collision_count
from fakeapi.kinds.common.workload_cells import (
    TEMPLATE,
    containers_at,
    labels_at,
    number_at,
    selector_at,
)
from fakeapi.kinds.common.workloads import WorkloadStatusStrategy, WorkloadStrategy
from fakeapi.kinds.core.pod.validation.template import validate_pod_template_spec
from fakeapi.machinery.errors import bad_request
from fakeapi.machinery.field_errors import FieldError, invalid, not_supported, required
from fakeapi.machinery.golang.numbers import parse_int
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.counters import validate_nonnegative, validate_nonnegative_fields
from fakeapi.machinery.meta.wording import Wording
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.object_meta import in_order
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules

TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
"""The annotation that counts changes of the pod template. apps/v1 has no field for this number."""

_COUNTERS = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
)


class DaemonSetStrategy(WorkloadStrategy):
    """Strategy for DaemonSets. Counts the changes of the pod template."""

    def default(self, obj: Object) -> Object:
        """Adds the annotation for the template generation, like upstream's conversion to the internal type.

        Raises ApiError 400 if the annotation is not an integer.
        """
        text = (obj["metadata"].get("annotations") or {}).get(TEMPLATE_GENERATION, "0")
        try:
            generation = parse_int(text)
        except ValueError as error:
            problem = f'DaemonSet in version "v1" cannot be handled as a DaemonSet: {error}'
            raise bad_request(problem) from None
        return _with_template_generation(obj, generation)

    def prepare_create(self, obj: Object) -> Object:
        obj = super().prepare_create(obj)
        return _with_template_generation(obj, max(_template_generation(obj), 1))

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = super().prepare_update(new, old)
        changed = not semantically_equal(new["spec"]["template"], old["spec"]["template"])
        return _with_template_generation(new, _template_generation(old) + changed)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._spec_errors(obj, None)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = self._spec_errors(new, old)
        immutable = validate_immutable_selector(new, old, self._rules)
        if self._rules.quirks.workloads.apps_updates_are_checked_once:
            return [*metadata.of_change, *immutable, *errors]
        return [*metadata.of_object, *errors, *metadata.of_change, *errors, *immutable]

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        same = _template_generation(new) == _template_generation(old)
        return [] if same else self.template_warnings(new)

    def _spec_errors(self, obj: Object, old: Object | None) -> list[FieldError]:
        spec, path = obj["spec"], "spec.template"
        template, before = spec["template"], None if old is None else old["spec"]
        old_template = None if before is None else before["template"]
        return [
            *self._selector_errors(spec, before),
            *validate_pod_template_spec(template, path, self._rules, old=old_template),
            *validate_always_restarted(template, path, "DaemonSet"),
            *validate_nonnegative(spec.get("minReadySeconds"), "spec.minReadySeconds"),
            *validate_nonnegative(_template_generation(obj), "spec.templateGeneration"),
            *_strategy_errors(spec.get("updateStrategy") or {}, self._rules),
            *validate_nonnegative(spec.get("revisionHistoryLimit"), "spec.revisionHistoryLimit"),
        ]

    def _selector_errors(self, spec: Object, old: Object | None) -> list[FieldError]:
        selector = spec.get("selector")
        errors = validate_label_selector(
            selector,
            "spec.selector",
            self._wording,
            checks_values=old is None or not has_invalid_value(old.get("selector")),
        )
        with suppress(InvalidSelector):
            errors += validate_selected(spec["template"], compiled(selector), "spec.template", self._rules)
        if selector is not None and is_empty(selector):
            problem = "empty selector is invalid for daemonset"
            errors.append(invalid("spec.selector", printed_selector(selector, self._rules), problem))
        return errors


class DaemonSetStatusStrategy(WorkloadStatusStrategy):
    """Strategy for `/status` of DaemonSets. Keeps the stored template generation."""

    def prepare_update(self, new: Object, old: Object) -> Object:
        return _with_template_generation(super().prepare_update(new, old), _template_generation(old))

    def status_errors(self, new: Object, old: Object) -> list[FieldError]:
        status = new.get("status") or {}
        return [
            *validate_nonnegative_fields(status, _COUNTERS, "status"),
            *validate_collision_count(status, old.get("status") or {}),
        ]


def _template_generation(obj: Object) -> int:
    return int((obj["metadata"].get("annotations") or {}).get(TEMPLATE_GENERATION, "0"))


def _with_template_generation(obj: Object, generation: int) -> Object:
    annotations = {**(obj["metadata"].get("annotations") or {}), TEMPLATE_GENERATION: str(generation)}
    obj["metadata"] = in_order({**obj["metadata"], "annotations": dict(sorted(annotations.items()))})
    return obj


def _strategy_errors(strategy: Object, rules: ReleaseRules) -> list[FieldError]:
    rolling = strategy.get("rollingUpdate")
    match strategy.get("type", ""):
        case "OnDelete":
            return []
        case "RollingUpdate":
            if rolling is None:
                return [required("spec.updateStrategy.rollingUpdate")]
            return _rolling_update_errors(rolling, rules.quirks.wording)
    value = printed_struct(
        with_zeros(strategy, "maxUnavailable", "maxSurge"), "apps/v1.DaemonSetUpdateStrategy", rules
    )
    return [not_supported("spec.updateStrategy", value, ("RollingUpdate", "OnDelete"))]


def _rolling_update_errors(rolling: Object, wording: Wording) -> list[FieldError]:
    path = "spec.updateStrategy.rollingUpdate"
    both = [(rolling.get(name, 0), f"{path}.{name}") for name in ("maxUnavailable", "maxSurge")]
    errors = [
        error
        for check in (validate_int_or_percent, validate_at_most_100_percent)
        for value, place in both
        for error in check(value, place, wording)
    ]
    (unavailable, at_unavailable), (surge, at_surge) = both
    if number_of(unavailable) and number_of(surge):
        value = printed_int_or_string(surge, wording)
        errors.append(invalid(at_surge, value, "may not be set when maxUnavailable is non-zero"))
    elif not number_of(unavailable) and not number_of(surge):
        errors.append(required(at_unavailable, "cannot be 0 when maxSurge is 0"))
    return errors


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": DaemonSetStrategy(kind, rules), "status": DaemonSetStatusStrategy(rules)}


_CELLS: dict[str, Cell] = {
    "Desired": number_at("status", "desiredNumberScheduled"),
    "Current": number_at("status", "currentNumberScheduled"),
    "Ready": number_at("status", "numberReady"),
    "Up-to-date": number_at("status", "updatedNumberScheduled"),
    "Available": number_at("status", "numberAvailable"),
    "Node Selector": labels_at(*TEMPLATE, "nodeSelector"),
    **containers_at(*TEMPLATE),
    "Selector": selector_at("spec", "selector"),
}

DAEMON_SET = KindDefinition(
    group="apps",
    resource="daemonsets",
    strategies=_strategies,
    cells=lambda quirks: _CELLS,
    hidden_annotations=frozenset((TEMPLATE_GENERATION,)),
    table_subresources=frozenset(("status",)),
)
