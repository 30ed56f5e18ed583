"""Finds the workloads that have fewer pods than they should, and the message that says why."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import msgspec

from fakeapi.cluster import Cluster
from fakeapi.control.devices.objects import Condition, Fields, Metadata
from fakeapi.control.devices.reading import read
from fakeapi.explaining.exceeded_quota import ExceededQuota, amount_now, exceeded_quota, is_exceeded


class WorkloadSpec(Fields):
    replicas: int | None = None
    parallelism: int | None = None
    completions: int | None = None
    suspend: bool | None = None


class WorkloadStatus(Fields):
    """The numbers of pods in the status of a workload of any kind."""

    replicas: int = 0
    ready_replicas: int = 0
    desired_number_scheduled: int = 0
    current_number_scheduled: int = 0
    number_ready: int = 0
    active: int = 0
    ready: int | None = None
    succeeded: int = 0
    conditions: list[Condition] | None = None


class Workload(Fields):
    """A Deployment, ReplicaSet, StatefulSet, DaemonSet or Job."""

    metadata: Metadata
    spec: WorkloadSpec = msgspec.field(default_factory=WorkloadSpec)
    status: WorkloadStatus = msgspec.field(default_factory=WorkloadStatus)

    def has_condition(self, *types: str) -> bool:
        """Whether a condition of one of these types is True."""
        return any(each.type in types and each.status == "True" for each in self.status.conditions or ())


class QuotaStatus(Fields):
    """The limits and the usage of a ResourceQuota. Quantities are strings or numbers."""

    hard: dict[str, str | int | float] = msgspec.field(default_factory=dict)
    used: dict[str, str | int | float] = msgspec.field(default_factory=dict)


class Quota(Fields):
    """A ResourceQuota."""

    metadata: Metadata
    status: QuotaStatus = msgspec.field(default_factory=QuotaStatus)


class Involved(Fields):
    uid: str = ""


class FailedCreate(Fields):
    """An event about a pod that a controller could not create.

    Decoding fails for events with another reason, so that the server caches only events with this reason.
    """

    metadata: Metadata
    reason: Literal["FailedCreate"]
    involved_object: Involved = msgspec.field(default_factory=Involved)
    message: str = ""


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of pods of a workload: how many it should have, has created, and are ready."""

    wanted: int
    created: int
    ready: int


class WorkloadView(msgspec.Struct, rename="camel"):
    """A workload with fewer pods than it should have.

    - `group` and `resource`: of its kind, such as "apps" and "deployments".
    - `created`: the creationTimestamp.
    - `wanted`: the number of pods that it should have.
    - `pods`: the number of pods that its controller has created.
    - `ready`: the number of pods that are ready.
    - `message`: of the condition ReplicaFailure, or of the newest event FailedCreate.
    - `summary`: one sentence with the number of missing pods and the ResourceQuota that refuses them; "" if
      no quota refuses them. Then the message says why.
    """

    kind: str
    group: str
    resource: str
    namespace: str
    name: str
    resource_version: str
    created: str
    wanted: int
    pods: int
    ready: int
    message: str
    summary: str = ""


def _of_replicas(workload: Workload) -> Numbers:
    wanted, status = workload.spec.replicas, workload.status
    return Numbers(1 if wanted is None else wanted, status.replicas, status.ready_replicas)


def _of_daemons(workload: Workload) -> Numbers:
    status = workload.status
    return Numbers(status.desired_number_scheduled, status.current_number_scheduled, status.number_ready)


def _of_job(workload: Workload) -> Numbers:
    spec, status = workload.spec, workload.status
    if spec.suspend or workload.has_condition("Complete", "Failed", "SuccessCriteriaMet", "FailureTarget"):
        return Numbers(0, 0, 0)
    wanted = 1 if spec.parallelism is None else spec.parallelism
    if spec.completions is not None:
        wanted = min(wanted, spec.completions - status.succeeded)
    elif status.succeeded:
        wanted = status.active
    return Numbers(wanted, status.active, status.active if status.ready is None else status.ready)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of workload, and the function that counts the pods of a workload."""

    name: str
    group: str
    resource: str
    numbers: Callable[[Workload], Numbers]


KINDS = (
    Kind("Deployment", "apps", "deployments", _of_replicas),
    Kind("ReplicaSet", "apps", "replicasets", _of_replicas),
    Kind("StatefulSet", "apps", "statefulsets", _of_replicas),
    Kind("DaemonSet", "apps", "daemonsets", _of_daemons),
    Kind("Job", "batch", "jobs", _of_job),
)


async def short_workloads(cluster: Cluster) -> list[WorkloadView]:
    """Returns the workloads that lack pods and whose condition or event says why.

    Leaves out ReplicaSets with an owner, because their owner has the same message. Reads events only if a
    workload lacks pods and has no condition ReplicaFailure.
    """
    views = [
        _view(kind, workload)
        for kind in KINDS
        for workload in await read(cluster, kind.group, kind.resource, Workload)
        if not (kind.name == "ReplicaSet" and workload.metadata.owner_references)
        and _lacks_pods(kind.numbers(workload))
    ]
    silent = {uid: view for uid, view in views if not view.message and view.pods < view.wanted}
    if silent:
        _add_messages(silent, await read(cluster, "", "events", FailedCreate))
    short = [view for _, view in views if view.message]
    exceeded = {id(view): found for view in short if (found := exceeded_quota(view.message)) is not None}
    quotas = await read(cluster, "", "resourcequotas", Quota) if exceeded else []
    by_place = {(quota.metadata.namespace, quota.metadata.name): quota for quota in quotas}
    for view in short:
        found = exceeded.get(id(view))
        if found is not None and found.amounts and view.pods < view.wanted:
            view.summary = _summary(view, found, by_place.get((view.namespace, found.name)))
    return short


def _summary(view: WorkloadView, exceeded: ExceededQuota, quota: Quota | None) -> str:
    """Returns the summary of a workload whose pods a ResourceQuota refused.

    `quota`: the quota as it is now; None if it does not exist any more.
    """
    lacking = f"{view.wanted - view.pods} of {view.wanted} pods are missing"
    if view.wanted == 1:
        lacking = "its pod is missing"
    again = "its controller tries again after its back-off"
    if quota is None:
        return f"{lacking}: ResourceQuota {exceeded.name} does not exist any more; {again}"
    now = [amount_now(amount, quota.status.hard, quota.status.used) for amount in exceeded.amounts]
    first = next((amount for amount in now if is_exceeded(amount)), None)
    if first is None:
        numbers = f"{now[0].resource} {now[0].limit}, {now[0].used} used" if now[0].limit else "no limit"
        return f"{lacking}: ResourceQuota {exceeded.name} allows them now ({numbers}); {again}"
    if first.resource == "pods":
        allowed = "1 pod" if first.limit == "1" else f"{first.limit} pods"
        exist = "1 exists" if first.used == "1" else f"{first.used} exist"
        return f"{lacking}: ResourceQuota {exceeded.name} allows {allowed}, and {exist}"
    needs = f"{first.used} is used, and a pod needs {first.requested}"
    return f"{lacking}: ResourceQuota {exceeded.name} allows {first.resource} {first.limit}, {needs}"


def _lacks_pods(numbers: Numbers) -> bool:
    return min(numbers.created, numbers.ready) < numbers.wanted


def _view(kind: Kind, workload: Workload) -> tuple[str, WorkloadView]:
    """Returns the uid and the view of a workload. The message is "" without a condition ReplicaFailure."""
    metadata, numbers = workload.metadata, kind.numbers(workload)
    failures = [each for each in workload.status.conditions or () if each.type == "ReplicaFailure"]
    message = next((each.message for each in failures if each.status == "True"), "")
    view = WorkloadView(
        kind.name,
        kind.group,
        kind.resource,
        metadata.namespace,
        metadata.name,
        metadata.resource_version,
        metadata.creation_timestamp or "",
        numbers.wanted,
        numbers.created,
        numbers.ready,
        message,
    )
    return metadata.uid, view


def _add_messages(views: dict[str, WorkloadView], events: Iterable[FailedCreate]) -> None:
    """Sets the message of each workload to that of its newest event FailedCreate, if it has one.

    `views`: workloads by uid.
    """
    about = [event for event in events if event.involved_object.uid in views and event.message]
    about.sort(key=lambda event: int(event.metadata.resource_version or 0))
    for event in about:
        views[event.involved_object.uid].message = event.message
