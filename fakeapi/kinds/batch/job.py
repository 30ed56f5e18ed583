"""Defines the kind Job of batch/v1.

Follows k8s.io/kubernetes `pkg/registry/batch/job`, `pkg/apis/batch/v1` and `pkg/apis/batch/validation`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from fakeapi.kinds.batch.validation.job_spec import INDEXED, job_warnings, validate_job_spec
from fakeapi.kinds.batch.validation.job_status import JobStatus, validate_status_update
from fakeapi.kinds.batch.validation.job_update import validate_job_change
from fakeapi.kinds.common.gated_fields import GatedFields
from fakeapi.kinds.common.label_matching import (
    InvalidSelector,
    compiled,
    selects,
)
from fakeapi.kinds.common.label_selectors import has_invalid_value, validate_label_selector
from fakeapi.kinds.common.pod_templates import validate_selected
from fakeapi.kinds.common.printing.texts import printed_string_map
from fakeapi.kinds.common.printing.values import printed_selector
from fakeapi.kinds.common.workload_cells import TEMPLATE, containers_at, selector_at
from fakeapi.kinds.common.workloads import (
    WorkloadStatusStrategy,
    WorkloadStrategy,
    name_warnings,
    template_labels,
)
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.golang.times import seconds_of
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import is_dns1123_label
from fakeapi.machinery.object_paths import with_value_at
from fakeapi.registry.model.columns import Cell, age
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.deletion_policies import orphan_dependents
from fakeapi.registry.model.field_labels import NAME, NAMESPACE, FieldLabels
from fakeapi.registry.model.object_meta import in_order
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.registry.requests.options import DeleteOptions
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
JOB_NAME = "batch.kubernetes.io/job-name"
LEGACY_CONTROLLER_UID = "controller-uid"
LEGACY_JOB_NAME = "job-name"
TRACKING = "batch.kubernetes.io/job-tracking"

_INT32_MAX = (1 << 31) - 1
_REPLACEMENT = "JobPodReplacementPolicy"
"""The feature gate of `spec.podReplacementPolicy`."""
_DELETION_WARNING = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to "
    "remove them "
    "or set propagationPolicy=Orphan to suppress this warning"
)


def _drop_fail_index_rules(job: Object) -> None:
    """Drops all rules with the action FailIndex from the pod failure policy of a Job, in place."""
    policy = job["spec"].get("podFailurePolicy")
    if policy:
        kept = [rule for rule in policy.get("rules") or () if rule.get("action") != "FailIndex"]
        policy["rules"] = kept or None


def _is_update(old: Object) -> bool:
    """Returns True, so that updates keep the field: upstream drops some fields only on create."""
    return True


GATED_FIELDS = (
    GatedFields("JobManagedBy", ("spec.managedBy",), in_use=_is_update),
    GatedFields("JobSuccessPolicy", ("spec.successPolicy",)),
    GatedFields("JobBackoffLimitPerIndex", ("spec.backoffLimitPerIndex",)),
    GatedFields("JobBackoffLimitPerIndex", ("spec.maxFailedIndexes",)),
    GatedFields(_REPLACEMENT, ("spec.podReplacementPolicy",)),
    GatedFields("JobPodFailurePolicy", ("spec.podFailurePolicy",)),
    # Drops only rules with the action FailIndex, so a path is not enough.
    GatedFields(
        "JobBackoffLimitPerIndex",
        ("spec.podFailurePolicy",),
        in_use=_is_update,
        take_away=_drop_fail_index_rules,
    ),
    GatedFields("WorkloadWithJob", ("spec.scheduling",)),
)
"""Fields of a Job that the server drops while their feature gate is off.

Follows `dropDisabledFields` of k8s.io/kubernetes `pkg/registry/batch/job`.
"""


class JobStrategy(WorkloadStrategy):
    """Strategy for Jobs.

    Generates the selector of a Job and the labels of its pods, unless `manualSelector` is true.
    """

    gated_fields: ClassVar[tuple[GatedFields, ...]] = GATED_FIELDS

    def default(self, obj: Object) -> Object:
        spec = obj["spec"]
        if spec.get("backoffLimit") is None and spec.get("backoffLimitPerIndex") is not None:
            spec["backoffLimit"] = _INT32_MAX
        if spec.get("podReplacementPolicy") is None and self._rules.gates.enabled(_REPLACEMENT):
            policy = "TerminatingOrFailed" if spec.get("podFailurePolicy") is None else "Failed"
            spec["podReplacementPolicy"] = policy
        return obj

    def prepare_create(self, obj: Object) -> Object:
        if not obj["spec"].get("manualSelector"):
            obj["spec"] = _with_selector(obj["spec"], obj["metadata"], self._rules)
        if self._rules.quirks.workloads.jobs_are_annotated_as_tracked:
            annotations = {**(obj["metadata"].get("annotations") or {}), TRACKING: ""}
            obj["metadata"] = in_order({**obj["metadata"], "annotations": dict(sorted(annotations.items()))})
        return _with_labels(super().prepare_create(obj))

    def validate_create(self, obj: Object) -> list[FieldError]:
        return [
            *self._generated_errors(obj, prefixed=True),
            *self._spec_errors(obj["spec"], None),
            *_name_errors(obj),
        ]

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = self._spec_errors(new["spec"], old["spec"])
        change = [*metadata.of_change, *errors, *validate_job_change(new, old, self._rules)]
        if self._rules.quirks.workloads.jobs_are_checked_once:
            return [*change, *_name_errors(new)]
        labels = template_labels(old["spec"]["template"])
        prefixed = JOB_NAME in labels and CONTROLLER_UID in labels
        generated = self._generated_errors(new, prefixed=prefixed)
        return [*metadata.of_object, *generated, *errors, *_name_errors(new), *change]

    def warnings_on_create(self, obj: Object) -> list[str]:
        return [*name_warnings(obj), *self._spec_warnings(obj)]

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        same = new["metadata"].get("generation") == old["metadata"].get("generation")
        return [] if same else self._spec_warnings(new)

    def _spec_warnings(self, obj: Object) -> list[str]:
        warns = self._rules.quirks.workloads.large_jobs_are_warned_of
        warnings = job_warnings(obj["spec"], "spec") if warns else []
        return [*warnings, *self.template_warnings(obj)]

    def _spec_errors(self, spec: Object, old: Object | None) -> list[FieldError]:
        selector, errors = spec.get("selector"), validate_job_spec(spec, old, "spec", self._rules)
        if selector is None:
            errors.append(required("spec.selector"))
        else:
            checks = old is None or not has_invalid_value(old.get("selector"))
            errors += validate_label_selector(selector, "spec.selector", self._wording, checks_values=checks)
        try:
            compiled_selector = compiled(selector)
        except InvalidSelector:
            return errors
        return errors + validate_selected(spec["template"], compiled_selector, "spec.template", self._rules)

    def _generated_errors(self, obj: Object, *, prefixed: bool) -> list[FieldError]:
        """Validates the generated selector of a Job and the generated labels of its pods.

        Returns no errors for Jobs with `manualSelector` and for Jobs without a selector. `prefixed`: whether
        the labels with the prefix `batch.kubernetes.io/` are required too
        """
        spec, metadata = obj["spec"], obj["metadata"]
        selector = spec.get("selector")
        if spec.get("manualSelector") or selector is None:
            return []
        expected = {LEGACY_CONTROLLER_UID: metadata["uid"], LEGACY_JOB_NAME: metadata.get("name", "")}
        if prefixed:
            expected |= {CONTROLLER_UID: metadata["uid"], JOB_NAME: metadata.get("name", "")}
        errors = self._label_errors(template_labels(spec["template"]), expected)
        try:
            matches = selects(compiled(selector), expected)
        except InvalidSelector:
            return errors
        if not matches:
            value = printed_selector(selector, self._rules)
            errors.append(invalid("spec.selector", value, "`selector` not auto-generated"))
        return errors

    def _label_errors(self, labels: Mapping[str, str], expected: Mapping[str, str]) -> list[FieldError]:
        errors: list[FieldError] = []
        for key, value in expected.items():
            path, problem = f"spec.template.metadata.labels[{key}]", f"must be '{value}'"
            if key not in labels:
                errors.append(required(path, problem))
            elif labels[key] != value:
                errors.append(invalid(path, printed_string_map(labels, self._wording), problem))
        return errors


class JobStatusStrategy(WorkloadStatusStrategy):
    """Strategy for `/status` of Jobs. `validate_status_update` validates the status."""

    def status_errors(self, new: Object, old: Object) -> list[FieldError]:
        return validate_status_update(new, old, self._rules)


def _with_selector(spec: Object, metadata: Object, rules: ReleaseRules) -> Object:
    """Returns the Job spec with the generated pod labels and selector. Keeps existing values."""
    uid, name = metadata["uid"], metadata.get("name", "")
    generated = {LEGACY_JOB_NAME: name, JOB_NAME: name, LEGACY_CONTROLLER_UID: uid, CONTROLLER_UID: uid}
    labels = {**generated, **template_labels(spec["template"])}
    selector = spec.get("selector") or {}
    matched = {CONTROLLER_UID: uid, **(selector.get("matchLabels") or {})}
    template = with_value_at(
        spec["template"],
        ("metadata",),
        in_order({**(spec["template"].get("metadata") or {}), "labels": dict(sorted(labels.items()))}),
    )
    return {
        **spec,
        "selector": {"matchLabels": dict(sorted(matched.items())), **_expressions(selector)},
        "template": template,
    }


def _expressions(selector: Object) -> Object:
    return {name: value for name, value in selector.items() if name == "matchExpressions"}


def _with_labels(obj: Object) -> Object:
    """Copies the labels of the pod template to a Job without labels, like upstream's defaults."""
    labels = template_labels(obj["spec"]["template"])
    if labels and not obj["metadata"].get("labels"):
        obj["metadata"] = in_order({**obj["metadata"], "labels": dict(labels)})
    return obj


def _name_errors(obj: Object) -> list[FieldError]:
    """Returns an error if the pods of an indexed job would have an invalid host name."""
    spec, name = obj["spec"], obj["metadata"].get("name", "")
    completions = spec.get("completions") or 0
    host = f"{name}-{completions - 1}"
    if spec.get("completionMode") != INDEXED or completions <= 0 or not is_dns1123_label(host):
        return []
    problem = f"will not able to create pod with invalid DNS label: {host}"
    return [invalid("metadata.name", name, problem)]


def _succeeded(obj: dict[str, Any]) -> Mapping[str, str]:
    return {"status.successful": str((obj.get("status") or {}).get("succeeded", 0))}


def _completions(obj: Object, now: float) -> str:
    done, completions = (obj.get("status") or {}).get("succeeded", 0), obj["spec"].get("completions")
    if completions is not None:
        return f"{done}/{completions}"
    parallelism = obj["spec"].get("parallelism") or 0
    return f"{done}/1 of {parallelism}" if parallelism > 1 else f"{done}/1"


def _duration(obj: Object, now: float) -> str:
    status = obj.get("status") or {}
    if not status.get("startTime"):
        return ""
    end = seconds_of(status["completionTime"]) if status.get("completionTime") else now
    return age(end - seconds_of(status["startTime"]))


def _status_cell(quirks: Quirks) -> Cell:
    success = ("SuccessCriteriaMet",) if quirks.workloads.job_rows_show_success else ()
    condition_types = ("Suspended", "FailureTarget", *success)

    def cell(obj: Object, now: float) -> str:
        status = JobStatus(obj)
        if status.has("Complete"):
            return "Complete"
        if status.has("Failed"):
            return "Failed"
        if obj["metadata"].get("deletionTimestamp"):
            return "Terminating"
        return next((condition for condition in condition_types if status.has(condition)), "Running")

    return cell


def _deletion_warnings(options: DeleteOptions) -> list[str]:
    return [_DELETION_WARNING] if options.orphan is None and options.propagation is None else []


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": JobStrategy(kind, rules), "status": JobStatusStrategy(rules)}


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "Status": _status_cell(quirks),
        "Completions": _completions,
        "Duration": _duration,
        **containers_at(*TEMPLATE),
        "Selector": selector_at("spec", "selector"),
    }


JOB = KindDefinition(
    group="batch",
    resource="jobs",
    strategies=_strategies,
    field_labels=lambda kind: FieldLabels(
        (NAME, NAMESPACE, "status.successful"), 'field label "{label}" not supported for Job', _succeeded
    ),
    cells=_cells,
    deletion=orphan_dependents,
    deletion_warnings=_deletion_warnings,
    table_subresources=frozenset(("status",)),
)
