"""Defines the kind StatefulSet of apps/v1.

Follows k8s.io/kubernetes `pkg/registry/apps/statefulset`, `pkg/apis/apps/v1` and `pkg/apis/apps/validation`.
"""

from typing import ClassVar

from fakeapi.kinds.apps.validation.selectors import (
    validate_required_selector,
    with_compiled_selector,
)
from fakeapi.kinds.apps.validation.stateful import (
    validate_changed_spec,
    validate_stateful_template,
    validate_update_strategy,
)
from fakeapi.kinds.common.gated_fields import GatedFields
from fakeapi.kinds.common.label_matching import scale_selector
from fakeapi.kinds.common.replica_status import validate_at_most, validate_collision_count
from fakeapi.kinds.common.workload_cells import TEMPLATE, containers_at, number_at, ratio
from fakeapi.kinds.common.workloads import (
    WorkloadStatusStrategy,
    WorkloadStrategy,
)
from fakeapi.kinds.core.persistent_volume_claim.definition import claim_spec_warnings
from fakeapi.kinds.core.persistent_volume_claim.validation import (
    claim_options,
    validate_claim_spec,
)
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.counters import validate_nonnegative, validate_nonnegative_fields
from fakeapi.machinery.meta.names import is_dns1123_label, name_is_dns_label
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.scale import ScaleProjection
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules

_COUNTERS = (
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
)
GATED_FIELDS = (
    GatedFields("StatefulSetAutoDeletePVC", ("spec.persistentVolumeClaimRetentionPolicy",)),
    GatedFields("StatefulSetStartOrdinal", ("spec.ordinals",)),
    GatedFields("MaxUnavailableStatefulSet", ("spec.updateStrategy.rollingUpdate.maxUnavailable",)),
)
"""Fields of a StatefulSet that the server drops while their feature gate is off.

Follows `dropStatefulSetDisabledFields` of k8s.io/kubernetes `pkg/registry/apps/statefulset`.
"""

_MANAGEMENT = ("OrderedReady", "Parallel")
_CLAIMS = "spec.volumeClaimTemplates"
_RETENTION = ("Retain", "Delete")
_KEEPS_ALL = (
    "spec.revisionHistoryLimit: a negative value retains all historical revisions; "
    "a value >= 0 is recommended"
)


class StatefulSetStrategy(WorkloadStrategy):
    """Strategy for creates and updates of StatefulSets."""

    gated_fields: ClassVar[tuple[GatedFields, ...]] = GATED_FIELDS

    def default(self, obj: Object) -> Object:
        """Sets `kind` and `apiVersion` of volume claim templates, even if the client sent other values."""
        claims = obj["spec"].get("volumeClaimTemplates")
        if claims:
            typed = {"kind": "PersistentVolumeClaim", "apiVersion": "v1"}
            obj["spec"]["volumeClaimTemplates"] = [{**typed, **claim, **typed} for claim in claims]
        return obj

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._spec_errors(obj["spec"], None)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        old_errors = (
            self._spec_errors(old["spec"], old["spec"])
            if self._rules.quirks.workloads.stateful_set_templates_are_checked
            else []
        )
        return [
            *metadata.of_change,
            *self._spec_errors(new["spec"], old["spec"], checks_template=not old_errors),
            *validate_changed_spec(new["spec"], old["spec"], self._rules),
        ]

    def warnings_on_create(self, obj: Object) -> list[str]:
        return [*self.template_warnings(obj), *self._spec_warnings(obj, "")]

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return [*super().warnings_on_update(new, old), *self._spec_warnings(new, ".Spec")]

    def _spec_warnings(self, obj: Object, claim: str) -> list[str]:
        """Returns warnings about volume claim templates and revisionHistoryLimit.

        `claim`: a suffix for the path of a claim template; like upstream, `.Spec` for updates and "" for
        creates
        """
        warnings = [
            warning
            for index, template in enumerate(obj["spec"].get("volumeClaimTemplates") or ())
            for warning in claim_spec_warnings(template.get("spec") or {}, f"{_CLAIMS}[{index}]{claim}")
        ]
        limit = obj["spec"].get("revisionHistoryLimit")
        warns = self._rules.quirks.workloads.stateful_sets_are_strict and limit is not None and limit < 0
        return [*warnings, _KEEPS_ALL] if warns else warnings

    def _spec_errors(
        self, spec: Object, old: Object | None, *, checks_template: bool = True
    ) -> list[FieldError]:
        """Validates the spec of a StatefulSet.

        `checks_template`: whether to validate the pod spec in the template. Updates skip this check if the
        stored StatefulSet is already invalid, because older releases accepted invalid templates.
        """
        template = spec["template"]["spec"]
        errors = [
            *_management_errors(spec),
            *validate_update_strategy(spec, old, self._rules),
            *_retention_errors(spec),
            *(self._claim_errors(spec) if old is None else ()),
            *validate_nonnegative_fields(spec, ("replicas", "minReadySeconds"), "spec"),
            *validate_nonnegative((spec.get("ordinals") or {}).get("start"), "spec.ordinals.start"),
            *(self._service_name_errors(spec) if old is None else ()),
            *validate_required_selector(spec, "statefulset", self._rules),
            *with_compiled_selector(
                spec,
                "",
                self._rules,
                lambda selector: validate_stateful_template(
                    spec, old, selector, self._rules, checks_pod=checks_template
                ),
            ),
        ]
        path = "spec.template.spec"
        if template.get("restartPolicy", "") != "Always":
            policy = template.get("restartPolicy", "")
            errors.append(not_supported(f"{path}.restartPolicy", policy, ("Always",)))
        if template.get("activeDeadlineSeconds") is not None:
            problem = "activeDeadlineSeconds in StatefulSet is not Supported"
            errors.append(forbidden(f"{path}.activeDeadlineSeconds", problem))
        return errors

    def _claim_errors(self, spec: Object) -> list[FieldError]:
        if not self._rules.quirks.workloads.stateful_set_templates_are_checked:
            return []
        options = claim_options(self._rules, None)
        return [
            error
            for index, template in enumerate(spec.get("volumeClaimTemplates") or ())
            for error in validate_claim_spec(
                template.get("spec") or {}, f"{_CLAIMS}[{index}].spec", self._rules, options
            )
        ]

    def _service_name_errors(self, spec: Object) -> list[FieldError]:
        name = spec.get("serviceName", "")
        if not name or not self._rules.quirks.workloads.stateful_sets_are_strict:
            return []
        return [invalid("spec.serviceName", name, message) for message in is_dns1123_label(name)]


class StatefulSetStatusStrategy(WorkloadStatusStrategy):
    """Strategy for `/status` of StatefulSets. Counters of replicas must not exceed `replicas`."""

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        status = new.get("status") or {}
        whole = ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
        return [
            *validate_nonnegative_fields(status, _COUNTERS, "status"),
            *validate_at_most(status, whole, "replicas", "cannot be greater than status.replicas"),
            *validate_at_most(
                status, ("availableReplicas",), "readyReplicas", "cannot be greater than status.readyReplicas"
            ),
            *metadata.of_change,
            *validate_collision_count(status, old.get("status") or {}),
        ]


def _management_errors(spec: Object) -> list[FieldError]:
    policy, path = spec.get("podManagementPolicy", ""), "spec.podManagementPolicy"
    if not policy:
        return [required(path)]
    problem = "must be 'OrderedReady' or 'Parallel'"
    return [] if policy in _MANAGEMENT else [invalid(path, policy, problem)]


def _retention_errors(spec: Object) -> list[FieldError]:
    policy, path = (
        spec.get("persistentVolumeClaimRetentionPolicy"),
        "spec.persistentVolumeClaimRetentionPolicy",
    )
    return [
        not_supported(f"{path}.{name}", policy.get(name, ""), _RETENTION)
        for name in ("whenDeleted", "whenScaled")
        if policy is not None and policy.get(name, "") not in _RETENTION
    ]


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": StatefulSetStrategy(kind, rules), "status": StatefulSetStatusStrategy(rules)}


_CELLS: dict[str, Cell] = {
    "Ready": ratio(number_at("status", "readyReplicas"), number_at("spec", "replicas")),
    **containers_at(*TEMPLATE),
}

STATEFUL_SET = KindDefinition(
    group="apps",
    resource="statefulsets",
    strategies=_strategies,
    cells=lambda quirks: _CELLS,
    name_validator=name_is_dns_label,
    scale=ScaleProjection(scale_selector),
    table_subresources=frozenset(("status",)),
)
