"""Defines the kind PodDisruptionBudget of policy/v1.

Follows k8s.io/kubernetes `pkg/registry/policy/poddisruptionbudget`, `pkg/apis/policy` and its `validation`.
"""

from typing import Any, ClassVar

from fakeapi.kinds.common.conditions import validate_conditions
from fakeapi.kinds.common.gated_fields import GatedFields
from fakeapi.kinds.common.int_or_percent import (
    validate_at_most_100_percent,
    validate_int_or_percent,
)
from fakeapi.kinds.common.label_selectors import validate_label_selector
from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.kinds.common.workload_cells import number_at
from fakeapi.kinds.common.workloads import WorkloadStatusStrategy, WorkloadStrategy
from fakeapi.machinery.field_errors import FieldError, invalid, not_supported
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.counters import validate_nonnegative_fields
from fakeapi.machinery.meta.names import name_is_path_segment
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules

_POLICIES = ("AlwaysAllow", "IfHealthyBudget")
_COUNTERS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
EMPTY_SELECTOR = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"
"""The label key that represents an empty selector of policy/v1beta1. Users must not use this key."""


GATED_FIELDS = (GatedFields("PDBUnhealthyPodEvictionPolicy", ("spec.unhealthyPodEvictionPolicy",)),)
"""Fields of a PodDisruptionBudget that the server drops while their feature gate is off.

Follows `dropDisabledFields` of k8s.io/kubernetes `pkg/registry/policy/poddisruptionbudget`.
"""


class PodDisruptionBudgetStrategy(WorkloadStrategy):
    """Strategy for PodDisruptionBudgets. Like upstream, does not validate metadata."""

    updates_unconditionally: ClassVar[bool] = False
    template_path: ClassVar[tuple[str, ...]] = ()
    gated_fields: ClassVar[tuple[GatedFields, ...]] = GATED_FIELDS

    def default(self, obj: Object) -> Object:
        """Removes selector requirements with the label key EMPTY_SELECTOR, like upstream's conversion.

        Keeps the requirement of a converted empty selector, which has no other requirements.
        """
        selector = obj["spec"].get("selector")
        if selector and not _is_match_none(selector):
            obj["spec"]["selector"] = _without_label(selector)
        return obj

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._spec_errors(obj["spec"], checks_values=True)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        was_valid = not validate_label_selector(old["spec"].get("selector"), "", self._wording)
        return self._spec_errors(new["spec"], checks_values=was_valid)

    def _spec_errors(self, spec: Object, *, checks_values: bool) -> list[FieldError]:
        errors: list[FieldError] = []
        least, most = spec.get("minAvailable"), spec.get("maxUnavailable")
        if least is not None and most is not None:
            problem = "minAvailable and maxUnavailable cannot be both set"
            errors.append(
                invalid(
                    "spec", printed_struct(spec, "policy/v1.PodDisruptionBudgetSpec", self._rules), problem
                )
            )
        for name in ("minAvailable", "maxUnavailable"):
            if spec.get(name) is not None:
                errors += validate_int_or_percent(spec[name], f"spec.{name}", self._wording)
                errors += validate_at_most_100_percent(spec[name], f"spec.{name}", self._wording)
        errors += validate_label_selector(
            spec.get("selector"), "spec.selector", self._wording, checks_values=checks_values
        )
        policy = spec.get("unhealthyPodEvictionPolicy")
        if policy is not None and policy not in _POLICIES:
            errors.append(not_supported("spec.unhealthyPodEvictionPolicy", policy, _POLICIES))
        return errors


class PodDisruptionBudgetStatusStrategy(WorkloadStatusStrategy):
    """Strategy for `/status` of PodDisruptionBudgets; validates conditions and counters."""

    updates_unconditionally: ClassVar[bool] = False

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        status = new.get("status") or {}
        return [
            *validate_conditions(status.get("conditions") or (), "status.conditions", self._rules),
            *validate_nonnegative_fields(status, _COUNTERS, "status"),
        ]


def _is_match_none(selector: Object) -> bool:
    """Whether upstream converted this selector from an empty selector of v1beta1, which matches no pods."""
    return not selector.get("matchLabels") and selector.get("matchExpressions") == [
        {"key": EMPTY_SELECTOR, "operator": "Exists"}
    ]


def _without_label(selector: Object) -> Object:
    kept = [
        expression
        for expression in selector.get("matchExpressions") or ()
        if expression.get("key") != EMPTY_SELECTOR
    ]
    rest = {name: value for name, value in selector.items() if name != "matchExpressions"}
    return {**rest, "matchExpressions": kept} if kept else rest


def _or_not_applicable(name: str) -> Cell:
    def cell(obj: Object, now: float) -> str:
        value: Any = obj["spec"].get(name)
        return "N/A" if value is None else str(value)

    return cell


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {
        "": PodDisruptionBudgetStrategy(kind, rules),
        "status": PodDisruptionBudgetStatusStrategy(rules),
    }


_CELLS: dict[str, Cell] = {
    "Min Available": _or_not_applicable("minAvailable"),
    "Max Unavailable": _or_not_applicable("maxUnavailable"),
    "Allowed Disruptions": number_at("status", "disruptionsAllowed"),
}


POD_DISRUPTION_BUDGET = KindDefinition(
    group="policy",
    resource="poddisruptionbudgets",
    strategies=_strategies,
    name_validator=name_is_path_segment,
    cells=lambda quirks: _CELLS,
    core_metadata=False,
    table_subresources=frozenset(("status",)),
)
