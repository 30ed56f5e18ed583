"""The status of a Deployment: numbers of replicas, and the conditions Available and Progressing.

Follows k8s.io/kubernetes `pkg/controller/deployment`, `sync.go` and `progress.go`.
"""

from fakeapi.controllers.deployment.replica_sets import UNLIMITED, counted, total
from fakeapi.controllers.deployment.surge import max_unavailable, replicas_of
from fakeapi.controllers.workloads.pods import seconds_of
from fakeapi.controllers.workloads.statuses import without_condition
from fakeapi.machinery.json_types import Object

PROGRESSING = "Progressing"
AVAILABLE = "Available"
FAILURE = "ReplicaFailure"
TIMED_OUT = "ProgressDeadlineExceeded"
NEW_AVAILABLE = "NewReplicaSetAvailable"
PAUSED, RESUMED = "DeploymentPaused", "DeploymentResumed"


def made(kind: str, status: str, reason: str, message: str, now: str) -> Object:
    """Returns a new condition. `now`: the time in RFC 3339."""
    return {
        "type": kind,
        "status": status,
        "lastUpdateTime": now,
        "lastTransitionTime": now,
        "reason": reason,
        "message": message,
    }


def find(conditions: list[Object], kind: str) -> Object | None:
    return next((each for each in conditions if each["type"] == kind), None)


def with_condition(conditions: list[Object], new: Object) -> list[Object]:
    """Returns the conditions with `new` added or replaced.

    Returns the conditions unchanged if status and reason are the same. Keeps the lastTransitionTime if only
    the reason changes.
    """
    old = find(conditions, new["type"])
    if old is not None and old["status"] == new["status"]:
        if old.get("reason") == new["reason"]:
            return conditions
        new = {**new, "lastTransitionTime": old.get("lastTransitionTime")}
    return [*without_condition(conditions, new["type"]), new]


def has_deadline(deployment: Object) -> bool:
    """Whether a Deployment has a `progressDeadlineSeconds`. False for the value UNLIMITED."""
    return deployment["spec"].get("progressDeadlineSeconds") not in (None, UNLIMITED)


def status_of(
    deployment: Object, replica_sets: list[Object], new: Object | None, now: str, *, counts_terminating: bool
) -> Object:
    """Returns the status of a Deployment, with its old condition Progressing.

    - `replica_sets`: all ReplicaSets of the Deployment.
    - `new`: the ReplicaSet with the current pod template; None if it does not exist.
    - `counts_terminating`: whether the status has the field terminatingReplicas.
    """
    old = deployment.get("status") or {}
    available = counted(replica_sets, "availableReplicas")
    status: Object = {
        "observedGeneration": deployment["metadata"].get("generation", 0),
        "replicas": counted(replica_sets, "replicas"),
        "updatedReplicas": counted([] if new is None else [new], "replicas"),
        "readyReplicas": counted(replica_sets, "readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": max(total(replica_sets) - available, 0),
    }
    if "collisionCount" in old:
        status["collisionCount"] = old["collisionCount"]
    if counts_terminating:
        status["terminatingReplicas"] = counted(replica_sets, "terminatingReplicas")
    if available >= replicas_of(deployment) - max_unavailable(deployment):
        text = "Deployment has minimum availability."
        condition = made(AVAILABLE, "True", "MinimumReplicasAvailable", text, now)
    else:
        text = "Deployment does not have minimum availability."
        condition = made(AVAILABLE, "False", "MinimumReplicasUnavailable", text, now)
    status["conditions"] = with_condition(list(old.get("conditions") or ()), condition)
    return status


def is_complete(deployment: Object, status: Object) -> bool:
    """Whether all replicas of a Deployment are updated and available.

    False if the status is older than the last change of the spec.
    """
    replicas = replicas_of(deployment)
    fields = ("updatedReplicas", "replicas", "availableReplicas")
    is_observed = status.get("observedGeneration", 0) >= deployment["metadata"].get("generation", 0)
    return is_observed and all((status.get(field) or 0) == replicas for field in fields)


def with_progress(deployment: Object, status: Object, new: Object | None, now: float, text: str) -> Object:
    """Returns a status with an updated condition Progressing.

    Removes the condition if the Deployment has no progressDeadlineSeconds.

    - `status`: from `status_of`.
    - `new`: the ReplicaSet with the current pod template; None if it does not exist.
    - `now` and `text`: the current time, in seconds since the epoch and in RFC 3339.
    """
    conditions = status["conditions"]
    if not has_deadline(deployment):
        return {**status, "conditions": without_condition(conditions, PROGRESSING)}
    current = find(conditions, PROGRESSING)
    is_over = current is not None and current.get("reason") == NEW_AVAILABLE
    if is_over and status["replicas"] == status["updatedReplicas"]:
        return status
    subject = f'Deployment "{deployment["metadata"]["name"]}"'
    if new is not None:
        subject = f'ReplicaSet "{new["metadata"]["name"]}"'
    if is_complete(deployment, status):
        message = f"{subject} has successfully progressed."
        conditions = with_condition(conditions, made(PROGRESSING, "True", NEW_AVAILABLE, message, text))
    elif _is_progressing(deployment, status):
        message = f"{subject} is progressing."
        condition = made(PROGRESSING, "True", "ReplicaSetUpdated", message, text)
        if current is not None and current["status"] == "True":
            condition["lastTransitionTime"] = current.get("lastTransitionTime")
        conditions = [*without_condition(conditions, PROGRESSING), condition]
    elif _is_timed_out(deployment, current, now):
        message = f"{subject} has timed out progressing."
        conditions = with_condition(conditions, made(PROGRESSING, "False", TIMED_OUT, message, text))
    return {**status, "conditions": conditions}


def _is_progressing(deployment: Object, status: Object) -> bool:
    old = deployment.get("status") or {}
    updated, old_updated = status["updatedReplicas"], old.get("updatedReplicas", 0)
    return bool(
        updated > old_updated
        or status["replicas"] - updated < old.get("replicas", 0) - old_updated
        or status["readyReplicas"] > old.get("readyReplicas", 0)
        or status["availableReplicas"] > old.get("availableReplicas", 0)
    )


def _is_timed_out(deployment: Object, current: Object | None, now: float) -> bool:
    if current is None or current.get("reason") == NEW_AVAILABLE:
        return False
    if current.get("reason") == TIMED_OUT:
        return True
    return seconds_until_deadline(deployment, current, now) < 0


def seconds_until_deadline(deployment: Object, current: Object, now: float) -> float:
    """Returns the seconds until a rollout without progress exceeds its progressDeadlineSeconds.

    `current`: the condition Progressing of the Deployment.
    """
    deadline: float = deployment["spec"]["progressDeadlineSeconds"]
    return seconds_of(current.get("lastUpdateTime")) + deadline - now


def with_failures(status: Object, replica_sets: list[Object], new: Object | None) -> Object:
    """Returns a status with the first condition ReplicaFailure of a ReplicaSet.

    Checks the newest ReplicaSet first. Removes the condition if no ReplicaSet has such a condition.
    """
    for each in ([] if new is None else [new]) + replica_sets:
        failure = find((each.get("status") or {}).get("conditions") or [], FAILURE)
        if failure is not None:
            condition = {**failure, "lastUpdateTime": failure.get("lastTransitionTime")}
            return {**status, "conditions": with_condition(status["conditions"], condition)}
    return {**status, "conditions": without_condition(status["conditions"], FAILURE)}
