"""Defines the kind CronJob of batch/v1.

Follows k8s.io/kubernetes `pkg/registry/batch/cronjob` and `pkg/apis/batch/validation`.
"""

from typing import Any, ClassVar

from fakeapi.kinds.batch.validation.job_spec import job_warnings, validate_job_spec
from fakeapi.kinds.batch.validation.schedules import (
    InvalidSchedule,
    check_schedule,
    is_zone_name,
    zone_problem,
)
from fakeapi.kinds.common.gated_fields import GatedFields
from fakeapi.kinds.common.printing.values import printed_selector
from fakeapi.kinds.common.workload_cells import containers_at, selector_at
from fakeapi.kinds.common.workloads import (
    WorkloadStatusStrategy,
    WorkloadStrategy,
    name_warnings,
)
from fakeapi.machinery.field_errors import FieldError, invalid, not_supported, required
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.counters import validate_nonnegative
from fakeapi.machinery.meta.names import byte_length
from fakeapi.machinery.object_paths import value_at
from fakeapi.registry.model.columns import Cell, since
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules

NAME_MAX = 52
"""Maximum length of a CronJob's name in bytes. The names of its Jobs have a suffix of eleven characters."""

_POLICIES = ("Allow", "Forbid", "Replace")
_JOB = ("spec", "jobTemplate", "spec")
_MORE = "see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
_UNSUPPORTED = f"CRON_TZ or TZ used in spec.spec.schedule is not officially supported, {_MORE}"
_REFUSED = f"cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, {_MORE}"


GATED_FIELDS = (GatedFields("WorkloadWithJob", ("spec.jobTemplate.spec.scheduling",)),)
"""Fields of a CronJob that the server drops while their feature gate is off.

Follows `dropDisabledFields` of k8s.io/kubernetes `pkg/registry/batch/cronjob`.
"""


class CronJobStrategy(WorkloadStrategy):
    """Strategy for CronJobs: validates the schedule, the time zone and the job template."""

    template_path: ClassVar[tuple[str, ...]] = (*_JOB, "template")
    gated_fields: ClassVar[tuple[GatedFields, ...]] = GATED_FIELDS

    def validate_create(self, obj: Object) -> list[FieldError]:
        name = obj["metadata"].get("name", "")
        errors = self._spec_errors(obj["spec"], None)
        if byte_length(name) > NAME_MAX:
            long = invalid("metadata.name", name, f"must be no more than {NAME_MAX} characters")
            errors.append(long)
        return errors

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change, *self._spec_errors(new["spec"], old["spec"])]

    def warnings_on_create(self, obj: Object) -> list[str]:
        zone = "TZ" in obj["spec"].get("schedule", "") and not self._forbids_zones
        return [*name_warnings(obj), *self._job_warnings(obj), *([_UNSUPPORTED] if zone else ())]

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        same = new["metadata"].get("generation") == old["metadata"].get("generation")
        warnings = [] if same else self._job_warnings(new)
        if "TZ" in new["spec"].get("schedule", ""):
            warnings.append(_REFUSED if self._forbids_zones else _UNSUPPORTED)
        return warnings

    @property
    def _forbids_zones(self) -> bool:
        return self._rules.quirks.workloads.schedules_have_no_zone

    def _job_warnings(self, obj: Object) -> list[str]:
        warns = self._rules.quirks.workloads.large_jobs_are_warned_of
        warnings = job_warnings(value_at(obj, _JOB), ".".join(_JOB)) if warns else []
        return [*warnings, *self.template_warnings(obj)]

    def _spec_errors(self, spec: Object, old: Object | None) -> list[FieldError]:
        path, schedule = "spec.jobTemplate.spec", spec.get("schedule", "")
        job = (spec.get("jobTemplate") or {})["spec"]
        before = None if old is None else value_at(old, _JOB[1:])
        errors = self._schedule_errors(schedule, spec, old) if schedule else [required("spec.schedule")]
        errors += validate_nonnegative(spec.get("startingDeadlineSeconds"), "spec.startingDeadlineSeconds")
        if old is None or old.get("timeZone") != spec.get("timeZone"):
            errors += _zone_errors(spec.get("timeZone"))
        policy = spec.get("concurrencyPolicy", "")
        if not policy:
            errors.append(required("spec.concurrencyPolicy"))
        elif policy not in _POLICIES:
            errors.append(not_supported("spec.concurrencyPolicy", policy, _POLICIES))
        errors += validate_job_spec(job, before, path, self._rules)
        if job.get("selector") is not None:
            value = printed_selector(job["selector"], self._rules)
            errors.append(invalid(f"{path}.selector", value, "`selector` will be auto-generated"))
        if job.get("manualSelector"):
            errors.append(not_supported(f"{path}.manualSelector", Dump("true"), ("nil", "false")))
        for name in ("successfulJobsHistoryLimit", "failedJobsHistoryLimit"):
            errors += validate_nonnegative(spec.get(name), f"spec.{name}")
        return errors

    def _schedule_errors(self, schedule: str, spec: Object, old: Object | None) -> list[FieldError]:
        errors: list[FieldError] = []
        try:
            check_schedule(schedule)
        except InvalidSchedule as error:
            errors.append(invalid("spec.schedule", schedule, str(error)))
        allowed = not self._forbids_zones or (old is not None and "TZ" in old.get("schedule", ""))
        if "TZ" in schedule and not allowed:
            problem = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
            errors.append(invalid("spec.schedule", schedule, problem))
        elif "TZ" in schedule and spec.get("timeZone") is not None:
            problem = "cannot use both timeZone field and TZ or CRON_TZ in schedule"
            errors.append(invalid("spec.schedule", schedule, problem))
        return errors


class CronJobStatusStrategy(WorkloadStatusStrategy):
    """Strategy for `/status` of CronJobs. Like upstream, does not validate the status."""

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return []


def _zone_errors(name: str | None) -> list[FieldError]:
    path = "spec.timeZone"
    if name is None:
        return []
    if not name:
        return [invalid(path, name, "timeZone must be nil or non-empty string")]
    if not is_zone_name(name):
        return [invalid(path, name, f"unknown time zone {name}")]
    errors: list[FieldError] = []
    if name.lower() == "local":
        problem = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        errors.append(invalid(path, name, problem))
    problem_of_zone = zone_problem(name)
    return errors if problem_of_zone is None else [*errors, invalid(path, name, problem_of_zone)]


def _text(name: str) -> Cell:
    return lambda obj, now: obj["spec"].get(name) or "<none>"


def _suspend(obj: Object, now: float) -> str:
    value: Any = obj["spec"].get("suspend")
    return "<unset>" if value is None else str(value)


def _last_schedule(obj: Object, now: float) -> str:
    stamp = (obj.get("status") or {}).get("lastScheduleTime")
    return since(stamp, now) if stamp else "<none>"


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": CronJobStrategy(kind, rules), "status": CronJobStatusStrategy(rules)}


_CELLS: dict[str, Cell] = {
    "Schedule": lambda obj, now: obj["spec"].get("schedule", ""),
    "Timezone": _text("timeZone"),
    "Suspend": _suspend,
    "Active": lambda obj, now: len((obj.get("status") or {}).get("active") or ()),
    "Last Schedule": _last_schedule,
    **containers_at(*_JOB, "template", "spec"),
    "Selector": selector_at(*_JOB, "selector"),
}


CRON_JOB = KindDefinition(
    group="batch",
    resource="cronjobs",
    strategies=_strategies,
    cells=lambda quirks: _CELLS,
    table_subresources=frozenset(("status",)),
)
