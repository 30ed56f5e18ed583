"""The podFailurePolicy and the successPolicy of Jobs.

Follows k8s.io/kubernetes `pkg/controller/job/pod_failure_policy.go` and `success_policy.go`.
"""

from typing import NamedTuple

from fakeapi.controllers.job.indexes import parsed
from fakeapi.controllers.workloads.pods import is_deleted, phase
from fakeapi.machinery.json_types import Object


class Verdict(NamedTuple):
    """Describes how a failed pod counts.

    - `counts`: whether the pod counts towards the backoffLimit.
    - `fails_job`: why the whole Job fails; "" if the Job continues.
    - `fails_index`: whether the index of the pod fails.
    """

    counts: bool = True
    fails_job: str = ""
    fails_index: bool = False


def is_failed(pod: Object, job: Object) -> bool:
    """Whether a pod counts as failed.

    Unless podReplacementPolicy is Failed, terminating pods that have not succeeded also count.
    """
    if phase(pod) == "Failed":
        return True
    if job["spec"].get("podReplacementPolicy") == "Failed":
        return False
    return is_deleted(pod) and phase(pod) != "Succeeded"


def verdict(job: Object, pod: Object) -> Verdict:
    """Returns how a failed pod counts. The first matching rule of the podFailurePolicy decides."""
    for number, rule in enumerate((job["spec"].get("podFailurePolicy") or {}).get("rules") or ()):
        reason = _reason(rule, pod)
        if not reason:
            continue
        action = rule["action"]
        if action == "FailJob":
            return Verdict(fails_job=f"{reason} matching FailJob rule at index {number}")
        return Verdict(counts=action != "Ignore", fails_index=action == "FailIndex")
    return Verdict()


def _reason(rule: Object, pod: Object) -> str:
    """Returns why a rule matches a pod; "" if the rule does not match."""
    status = pod.get("status") or {}
    place = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
    exit_codes = rule.get("onExitCodes")
    if exit_codes is not None:
        for field in ("containerStatuses", "initContainerStatuses"):
            for container in status.get(field) or ():
                if _has_exit_code(container, exit_codes):
                    code = container["state"]["terminated"]["exitCode"]
                    return f"Container {container['name']} for pod {place} failed with exit code {code}"
        return ""
    patterns = rule.get("onPodConditions") or ()
    for each in status.get("conditions") or ():
        if any(
            (each["type"], each["status"]) == (one["type"], one.get("status", "True")) for one in patterns
        ):
            return f"Pod {place} has condition {each['type']}"
    return ""


def _has_exit_code(container: Object, requirement: Object) -> bool:
    terminated = (container.get("state") or {}).get("terminated")
    if terminated is None or not terminated["exitCode"]:
        return False
    if requirement.get("containerName") not in (None, container["name"]):
        return False
    is_listed = terminated["exitCode"] in requirement["values"]
    return is_listed if requirement["operator"] == "In" else not is_listed


def success(job: Object, succeeded: set[int]) -> str:
    """Returns a message about the first fulfilled rule of the successPolicy; "" if no rule is fulfilled.

    `succeeded`: the indexes that have succeeded.
    """
    for number, rule in enumerate((job["spec"].get("successPolicy") or {}).get("rules") or ()):
        count = rule.get("succeededCount")
        indexes = succeeded
        if rule.get("succeededIndexes") is not None:
            required = parsed(rule["succeededIndexes"], job["spec"]["completions"])
            indexes = required & succeeded
            if required and indexes == required:
                return f"Matched rules at index {number}"
        if count is not None and len(indexes) >= count:
            return f"Matched rules at index {number}"
    return ""
