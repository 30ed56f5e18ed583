"""Validates the status of a Job, and changes of the status.

From 1.30 on the gate JobManagedBy lets another controller manage a Job. While the gate is enabled, the server
rejects statuses that Kubernetes' own Job controller would never write. Most rules only check fields that the
update changes, so updates of a Job with an inconsistent status remain possible.
"""

from collections.abc import Iterator
from typing import Any

from fakeapi.kinds.batch.validation.indexes import MalformedIndexes, count_indexes, overlap
from fakeapi.kinds.batch.validation.job_spec import INDEXED
from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.machinery.field_errors import FieldError, duplicate, invalid, invalid_without_value, required
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.counters import validate_nonnegative_fields
from fakeapi.machinery.meta.wording import Wording
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.releases.rules import ReleaseRules

MANAGED_BY = "JobManagedBy"
_COUNTERS = ("active", "succeeded", "failed", "ready", "terminating")
_TERMINAL = ("Failed", "Complete", "FailureTarget")
Errors = Iterator[FieldError]


class JobStatus:
    """The status of a Job, together with its spec."""

    def __init__(self, job: Object) -> None:
        self.spec: Object = job["spec"]
        self.status: Object = job.get("status") or {}

    def get(self, name: str) -> Any:
        return self.status.get(name)

    def count(self, name: str) -> int:
        return self.status.get(name) or 0

    def has(self, condition: str, status: str = "True") -> bool:
        """Whether the Job has a condition of the type `condition` with the given status."""
        return any(
            entry.get("type") == condition and entry.get("status") == status
            for entry in self.status.get("conditions") or ()
        )

    @property
    def is_finished(self) -> bool:
        return self.has("Complete") or self.has("Failed")

    @property
    def uncounted(self) -> Object:
        return self.status.get("uncountedTerminatedPods") or {}


def validate_status_update(new: Object, old: Object, rules: ReleaseRules) -> list[FieldError]:
    """Validates a Job's status and its change. Does not validate the metadata."""
    after, before = JobStatus(new), JobStatus(old)
    errors = validate_nonnegative_fields(after.status, _COUNTERS, "status")
    errors += _uncounted_errors(after.uncounted)
    quirks = rules.quirks.workloads
    is_strict = quirks.job_status_rules is not None and rules.gates.enabled(MANAGED_BY)
    if is_strict:
        errors += _condition_errors(after, before, rules)
        errors += _finished_errors(after, before, rules)
        errors += _index_errors(after, before)
        errors += _pod_errors(after, before, rules)
    if quirks.job_status_rules is None:
        return errors
    errors += _success_errors(after, before, rules)
    if is_strict:
        errors += _change_errors(after, before, rules)
    return [*errors, *_criteria_change_errors(after, before)]


def _uncounted_errors(uncounted: Object) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for member in ("succeeded", "failed"):
        for index, uid in enumerate(uncounted.get(member) or ()):
            path = f"status.uncountedTerminatedPods.{member}[{index}]"
            if not uid:
                errors.append(invalid(path, uid, "must not be empty"))
            elif uid in seen:
                errors.append(duplicate(path, uid))
            seen.add(uid)
    return errors


def _changed(after: JobStatus, before: JobStatus, *conditions: str) -> bool:
    return any(after.has(condition) != before.has(condition) for condition in conditions)


def _differs(after: JobStatus, before: JobStatus, *names: str) -> bool:
    return any(after.get(name) != before.get(name) for name in names)


def _condition_errors(after: JobStatus, before: JobStatus, rules: ReleaseRules) -> Errors:
    """Returns errors for contradictory conditions of a Job, and for contradictory times.

    `after`, `before`: the new and the stored status
    """
    path, wording = "status.conditions", rules.quirks.wording
    is_complete, done, started = after.has("Complete"), after.get("completionTime"), after.get("startTime")
    times = _changed(after, before, "Complete") or _differs(after, before, "completionTime")
    if _changed(after, before, "Complete", "Failed") and is_complete and after.has("Failed"):
        yield invalid_without_value(path, "cannot set Complete=True and Failed=true conditions")
    if _changed(after, before, "Complete", "FailureTarget") and is_complete and after.has("FailureTarget"):
        yield invalid_without_value(path, "cannot set Complete=True and FailureTarget=true conditions")
    at = "status.completionTime"
    if times and done and not is_complete:
        problem = "cannot set completionTime when there is no Complete=True condition"
        yield invalid(at, _printed_time(done, wording), problem)
    if times and not done and is_complete:
        yield required(at, "completionTime is required for Complete jobs")
    if _differs(after, before, "startTime", "completionTime") and started and done and done < started:
        yield invalid(at, _printed_time(done, wording), rules.quirks.workloads.completion_before_start)
    if rules.quirks.workloads.job_status_rules == "by reason":
        yield from _reason_errors(after, before)


def _reason_errors(after: JobStatus, before: JobStatus) -> Errors:
    """Returns errors if Failed is set without FailureTarget, or Complete without SuccessCriteriaMet."""
    path = "status.conditions"
    failed = _changed(after, before, "Failed") or _differs(after, before, "failedIndexes")
    if failed and after.has("Failed") and not after.has("FailureTarget"):
        problem = "cannot set Failed=True condition without the FailureTarget=true condition"
        yield invalid_without_value(path, problem)
    completed = _changed(after, before, "Complete", "SuccessCriteriaMet")
    if completed and after.has("Complete") and not after.has("SuccessCriteriaMet"):
        problem = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
        yield invalid_without_value(path, problem)


def _finished_errors(after: JobStatus, before: JobStatus, rules: ReleaseRules) -> Errors:
    """Returns errors if a finished job has active pods, uncounted pods or no start time.

    In newer releases, a suspended Job with 0 completions may finish without a start time.
    """
    if not after.is_finished:
        return
    changed = after.is_finished != before.is_finished
    active = after.count("active")
    if (changed or active != before.count("active")) and active > 0:
        yield invalid("status.active", active, "active>0 is invalid for finished job")
    if (changed or _differs(after, before, "startTime")) and not after.get("startTime"):
        unborn = after.spec.get("suspend") is True and after.spec.get("completions") == 0
        if not (unborn and rules.quirks.workloads.suspended_jobs_finish_unstarted):
            yield required("status.startTime", "startTime is required for finished job")
    left = after.uncounted
    if (changed or not semantically_equal(left, before.uncounted)) and (
        left.get("succeeded") or left.get("failed")
    ):
        value = printed_struct(
            {name: uids for name, uids in left.items() if uids}, "batch/v1.UncountedTerminatedPods", rules
        )
        yield invalid("status.uncountedTerminatedPods", value, rules.quirks.workloads.uncounted_of_finished)


def _index_errors(after: JobStatus, before: JobStatus) -> Errors:
    """Validates `completedIndexes` and `failedIndexes` in the status of a Job."""
    done, failed = after.get("completedIndexes") or "", after.get("failedIndexes")
    done_changed = done != (before.get("completedIndexes") or "")
    failed_changed = failed != before.get("failedIndexes")
    completions, per_index = after.spec.get("completions"), after.spec.get("backoffLimitPerIndex")
    at_done, at_failed = "status.completedIndexes", "status.failedIndexes"
    if done_changed and completions is not None:
        yield from _format_errors(done, completions, at_done)
    if failed_changed and completions is not None and per_index is not None and failed is not None:
        yield from _format_errors(failed, completions, at_failed)
    if done_changed and done and after.spec.get("completionMode") != INDEXED:
        problem = "cannot set non-empty completedIndexes when non-indexed completion mode"
        yield invalid(at_done, done, problem)
    if failed_changed and per_index is None and failed is not None:
        problem = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        yield invalid(at_failed, failed, problem)
    if (done_changed or failed_changed) and completions is not None and failed is not None:
        both = overlap(done, failed, completions)
        if both is not None:
            problem = f"failedIndexes and completedIndexes overlap at index: {both}"
            yield invalid(at_failed, failed, problem)


def _format_errors(text: str, completions: int, path: str) -> Errors:
    try:
        count_indexes(text, completions)
    except MalformedIndexes as error:
        yield invalid(path, text, f"error parsing {path.partition('.')[2]}: {error}")


def _pod_errors(after: JobStatus, before: JobStatus, rules: ReleaseRules) -> Errors:
    """Validates the counters `terminating` and `ready` in the status of a Job."""
    if rules.quirks.workloads.job_status_rules != "by reason":
        return
    changed = after.is_finished != before.is_finished or _differs(after, before, "terminating")
    if changed and after.is_finished and after.count("terminating") > 0:
        yield invalid(
            "status.terminating", after.count("terminating"), "terminating>0 is invalid for finished job"
        )
    counts = _differs(after, before, "ready") or after.count("active") != before.count("active")
    if counts and after.get("ready") is not None and after.count("ready") > after.count("active"):
        yield invalid("status.ready", after.count("ready"), "cannot set more ready pods than active")


def _success_errors(after: JobStatus, before: JobStatus, rules: ReleaseRules) -> Errors:
    """Validates the condition SuccessCriteriaMet of a Job, and its absence in a complete Job."""
    path, is_met = "status.conditions", after.has("SuccessCriteriaMet")
    anybody = _may_meet_criteria(before, rules)
    if is_met and not anybody and after.spec.get("completionMode") != INDEXED:
        yield invalid_without_value(path, "cannot set SuccessCriteriaMet to NonIndexed Job")
    if is_met and after.has("Failed"):
        yield invalid_without_value(path, "cannot set SuccessCriteriaMet=True and Failed=true conditions")
    if is_met and after.has("FailureTarget"):
        problem = "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"
        yield invalid_without_value(path, problem)
    if is_met and not anybody and after.spec.get("successPolicy") is None:
        problem = "cannot set SuccessCriteriaMet=True for Job without SuccessPolicy"
        yield invalid_without_value(path, problem)
    if after.spec.get("successPolicy") is not None and not is_met and after.has("Complete"):
        problem = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
        yield invalid_without_value(path, problem)


def _may_meet_criteria(before: JobStatus, rules: ReleaseRules) -> bool:
    """Whether a Job without a success policy may have the condition SuccessCriteriaMet.

    `before`: the stored status, which may already have the condition
    """
    if rules.quirks.workloads.job_status_rules != "by reason":
        return False
    gates = rules.gates
    anybody = gates.enabled(MANAGED_BY) or gates.enabled("JobPodReplacementPolicy")
    return anybody or before.has("SuccessCriteriaMet")


def _change_errors(after: JobStatus, before: JobStatus, rules: ReleaseRules) -> Errors:
    """Returns errors for forbidden changes of a Job's status, such as removing a terminal condition.

    `after`, `before`: the new and the stored status
    """
    wording, quirks = rules.quirks.wording, rules.quirks.workloads
    for condition in _TERMINAL:
        if before.has(condition) and not after.has(condition):
            problem = f"cannot disable the terminal {condition}=True condition"
            yield invalid_without_value("status.conditions", problem)
    spec = after.spec
    if after.count("failed") < before.count("failed"):
        yield invalid("status.failed", after.count("failed"), "cannot decrease the failed counter")
    elastic = spec.get("completionMode") == INDEXED and spec.get("completions") == spec.get("parallelism")
    if not elastic and after.count("succeeded") < before.count("succeeded"):
        yield invalid("status.succeeded", after.count("succeeded"), "cannot decrease the succeeded counter")
    done, was_done = after.get("completionTime"), before.get("completionTime")
    if done and was_done and done != was_done:
        yield invalid("status.completionTime", _printed_time(done, wording), quirks.completion_is_fixed)
    started, was_started = after.get("startTime"), before.get("startTime")
    resuming = before.has("Suspended") and after.has("Suspended", "False")
    if was_started and started != was_started and not spec.get("suspend"):
        if resuming and quirks.suspended_jobs_finish_unstarted:
            return
        if quirks.start_time_is_immutable:
            problem = "field is immutable for unsuspended job once set"
            yield invalid("status.startTime", _printed_time(started, wording), problem)
        else:
            yield required("status.startTime", "startTime cannot be removed for unsuspended job")


def _criteria_change_errors(after: JobStatus, before: JobStatus) -> Errors:
    path = "status.conditions"
    if before.has("SuccessCriteriaMet") and not after.has("SuccessCriteriaMet"):
        yield invalid_without_value(path, "cannot disable the SuccessCriteriaMet=True condition")
    if before.has("Complete") and not before.has("SuccessCriteriaMet") and after.has("SuccessCriteriaMet"):
        problem = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"
        yield invalid_without_value(path, problem)


def _printed_time(text: str | None, wording: Wording) -> Dump:
    """Formats an optional time as upstream prints it in errors."""
    return Dump(wording.time(text, zero='"null"'))
