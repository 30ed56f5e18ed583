"""Reads and builds the conditions in the status of a Job.

Follows k8s.io/kubernetes `pkg/controller/job/job_controller.go` and `pkg/controller/job/util`.
"""

from fakeapi.controllers.workloads.pods import condition
from fakeapi.machinery.json_types import Object

COMPLETE, FAILED, SUSPENDED = "Complete", "Failed", "Suspended"
SUCCESS_MET, FAILURE_TARGET = "SuccessCriteriaMet", "FailureTarget"
"""Conditions that announce Complete or Failed while some pods are still terminating."""


def made(kind: str, status: str, reason: str, message: str, now: str) -> Object:
    """Returns a condition of a Job. `now`: the time in RFC 3339."""
    return {
        "type": kind,
        "status": status,
        "lastProbeTime": now,
        "lastTransitionTime": now,
        "reason": reason,
        "message": message,
    }


def is_true(job: Object, kind: str) -> bool:
    """Whether a Job has a condition of this type with the status True."""
    known = condition(job, kind)
    return known is not None and known["status"] == "True"


def is_finished(job: Object) -> bool:
    """Whether a Job is Complete or Failed."""
    return is_true(job, COMPLETE) or is_true(job, FAILED)


def ensured(conditions: list[Object], new: Object) -> list[Object]:
    """Returns the conditions with `new` added or replaced. Returns the same list if nothing changes.

    A new condition with the status False can replace a condition of its type, but is never added.
    """
    fields = ("status", "reason", "message")
    for index, old in enumerate(conditions):
        if old["type"] == new["type"]:
            if all(old.get(field, "") == new[field] for field in fields):
                return conditions
            return [*conditions[:index], new, *conditions[index + 1 :]]
    return conditions if new["status"] == "False" else [*conditions, new]
