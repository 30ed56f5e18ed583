"""JobTracking: counts the ended pods of a Job, each pod once.

Follows `trackJobStatusAndRemoveFinalizers` of k8s.io/kubernetes `pkg/controller/job/job_controller.go`.
"""

from dataclasses import dataclass

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.events import EventRecorder
from fakeapi.controllers.job import indexes
from fakeapi.controllers.job.backoff_delay import Backoff
from fakeapi.controllers.job.conditions import (
    COMPLETE,
    FAILED,
    FAILURE_TARGET,
    SUCCESS_MET,
    ensured,
    is_true,
    made,
)
from fakeapi.controllers.job.policies import is_failed, verdict
from fakeapi.controllers.workloads.pod_control import PodControl
from fakeapi.controllers.workloads.pods import (
    is_active,
    is_deleted,
    is_ready,
    is_terminating,
    phase,
)
from fakeapi.controllers.workloads.statuses import is_same_status
from fakeapi.machinery.json_types import Object

FINALIZER = "batch.kubernetes.io/job-tracking"
UNCOUNTED_MAX = 500
"""Maximum number of ended pods that one reconciliation of a Job counts. The next reconciliation counts the
other pods.
"""


@dataclass(frozen=True, slots=True)
class Access:
    """Gives a JobSync access to the server.

    `announces`: whether the release sets SuccessCriteriaMet or FailureTarget before every end of a Job.
    """

    context: ControllerContext
    api: InProcessClient
    jobs: ServedResource
    pods: ServedResource
    pod_control: PodControl
    events: EventRecorder
    announces: bool


def has_finalizer(pod: Object) -> bool:
    """Whether a pod has the job-tracking finalizer. The finalizer keeps the pod until its Job has counted
    it.
    """
    return FINALIZER in (pod["metadata"].get("finalizers") or ())


async def remove_finalizer(api: InProcessClient, pods: ServedResource, pod: Object) -> None:
    """Removes the finalizer of a Job from a pod. Does nothing if the pod no longer exists."""
    patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": [FINALIZER], "uid": pod["metadata"]["uid"]}}
    try:
        await api.patch(pods.path_of(pod), patch, "strategic")
    except StatusError as problem:
        if problem.code not in {404, 422}:
            raise


class JobTracking:
    """The pods and the status of an unfinished Job during one reconciliation.

    `backoff`: the failures counted by earlier reconciliations.
    """

    def __init__(self, access: Access, job: Object, pods: list[Object], backoff: Backoff) -> None:
        self._access = access
        self._job = job
        self._spec = job["spec"]
        self._pods = pods
        self._status: Object = dict(job.get("status") or {})
        self._status.setdefault("conditions", [])
        uncounted = self._status.get("uncountedTerminatedPods") or {}
        self._uncounted = {name: list(uncounted.get(name) or ()) for name in ("succeeded", "failed")}
        self._active = [pod for pod in pods if is_active(pod)]
        self._terminating = sum(map(is_terminating, pods))
        self._is_indexed = indexes.is_indexed(job)
        new = [pod for pod in pods if self._is_countable(pod)]
        succeeded = [
            pod for pod in new if phase(pod) == "Succeeded" and not self._is_uncounted(pod, "succeeded")
        ]
        failed = [pod for pod in new if is_failed(pod, job) and not self._is_uncounted(pod, "failed")]
        self.backoff = backoff.after(succeeded, failed)
        self._succeeded = self._count("succeeded", len(succeeded))
        self._failed = self._count("failed", sum(verdict(job, pod).counts for pod in failed))
        completions = self._spec.get("completions") or 0
        self._known_indexes = indexes.parsed(self._status.get("completedIndexes"), completions)
        self._succeeded_indexes = set(self._known_indexes)
        self._failed_indexes: set[int] | None = None
        self._delayed: dict[int, Object] = {}
        self._finished: Object | None = None
        self._problem: StatusError | None = None
        self.is_counted = False
        """Whether the status already counts the pods that ended before this reconciliation."""

    def _count(self, name: str, new: int) -> int:
        return int(self._status.get(name) or 0) + new + len(self._uncounted[name])

    def _is_uncounted(self, pod: Object, name: str) -> bool:
        return pod["metadata"]["uid"] in self._uncounted[name]

    def _is_countable(self, pod: Object) -> bool:
        """Whether a pod is uncounted, and has a valid index if the Job is indexed."""
        if not has_finalizer(pod):
            return False
        return not self._is_indexed or indexes.index_of(pod, self._job) is not None

    def _index(self, pod: Object) -> int:
        index = indexes.index_of(pod, self._job)
        assert index is not None, "only pods with a valid index are counted"
        return index

    @property
    def _is_suspended(self) -> bool:
        return bool(self._spec.get("suspend"))

    @property
    def _now(self) -> float:
        return self._access.context.clock.now()

    def _made(self, kind: str, reason: str, message: str, status: str = "True") -> Object:
        return made(kind, status, reason, message, self._access.context.now())

    async def _track(self) -> None:
        """Counts ended pods: writes their uids to the status, removes their finalizers, and adds up the
        numbers.

        So each pod is counted exactly once, even if a step fails.
        """
        self._status["ready"] = sum(map(is_ready, self._active))
        self._status["terminating"] = self._terminating
        ended, is_whole = self._collect()
        final = self._announce()
        await self._write()
        self.is_counted = True
        for pod in ended:
            await remove_finalizer(self._access.api, self._access.pods, pod)
        gone = {pod["metadata"]["uid"] for pod in ended}
        gone |= {pod["metadata"]["uid"] for pod in self._pods if not has_finalizer(pod)}
        self._add_up(gone)
        is_over = is_whole and not any(self._uncounted.values()) and not self._terminating
        if final is not None and is_over:
            self._status["conditions"] = ensured(self._status["conditions"], final)
            if final["type"] == COMPLETE:
                self._status["completionTime"] = final["lastTransitionTime"]
            await self._write()
            await self._record_end(final)
        else:
            await self._write()

    def _collect(self) -> tuple[list[Object], bool]:
        """Adds ended pods to `uncountedTerminatedPods`.

        Returns the pods whose finalizers can be removed, and whether these are all pods that have ended.
        """
        present = {pod["metadata"]["uid"] for pod in self._pods if has_finalizer(pod)}
        self._add_up({uid for uids in self._uncounted.values() for uid in uids} - present)
        ended: list[Object] = []
        new_indexes: set[int] = set()
        for pod in self._pods:
            failed = is_failed(pod, self._job)
            if not has_finalizer(pod) or not self._may_release(pod, failed=failed):
                continue
            ended.append(pod)
            if phase(pod) == "Succeeded" and not self._is_uncounted(pod, "failed"):
                if self._is_indexed:
                    new_indexes |= {self._index(pod)} if self._is_countable(pod) else set()
                elif not self._is_uncounted(pod, "succeeded"):
                    self._uncounted["succeeded"].append(pod["metadata"]["uid"])
            elif (failed or self._fails_now) and self._counts_as_failed(pod):
                self._uncounted["failed"].append(pod["metadata"]["uid"])
            if len(new_indexes) + sum(map(len, self._uncounted.values())) >= UNCOUNTED_MAX:
                break
        if self._is_indexed:
            counted = self._known_indexes | new_indexes
            self._status["succeeded"] = len(counted)
            self._status["completedIndexes"] = indexes.formatted(counted)
            if self._failed_indexes is not None:
                self._status["failedIndexes"] = indexes.formatted(self._failed_indexes)
        return ended, len(new_indexes) + sum(map(len, self._uncounted.values())) < UNCOUNTED_MAX

    def _counts_as_failed(self, pod: Object) -> bool:
        is_new = self._is_countable(pod) and not self._is_uncounted(pod, "failed")
        return is_new and verdict(self._job, pod).counts

    @property
    def _fails_now(self) -> bool:
        """Whether the Job ends without success. Pods that have not ended then count as failed."""
        return self._finished is not None and self._finished["type"] in {FAILED, FAILURE_TARGET}

    def _may_release(self, pod: Object, *, failed: bool) -> bool:
        if is_deleted(self._job) or self._finished is not None or phase(pod) == "Succeeded":
            return True
        index = indexes.index_of(pod, self._job)
        return failed and not (index is not None and self._delayed.get(index) is pod)

    def _add_up(self, uids: set[str]) -> None:
        """Moves uids from `uncountedTerminatedPods` into the counters of the status."""
        for name, uncounted in self._uncounted.items():
            counted = [uid for uid in uncounted if uid in uids]
            if counted:
                self._uncounted[name] = [uid for uid in uncounted if uid not in uids]
                self._status[name] = int(self._status.get(name) or 0) + len(counted)

    def _announce(self) -> Object | None:
        """Adds the condition that announces the end of the Job, if the Job ends.

        Returns the condition to set after all pods have ended; None if the Job continues.
        """
        finished = self._finished
        if finished is None or finished["type"] in {COMPLETE, FAILED}:
            return finished
        if not is_true(self._job, finished["type"]):
            self._status["conditions"] = ensured(self._status["conditions"], finished)
        kind = COMPLETE if finished["type"] == SUCCESS_MET else FAILED
        return self._made(kind, finished["reason"], finished["message"])

    async def _write(self) -> None:
        status = dict(self._status)
        status["uncountedTerminatedPods"] = {name: uids for name, uids in self._uncounted.items() if uids}
        if not is_same_status(self._job.get("status") or {}, status):
            path = self._access.jobs.path_of(self._job, "status")
            self._job = await self._access.api.update(path, {**self._job, "status": status})

    async def _record_end(self, final: Object) -> None:
        record = self._access.events.record
        if final["type"] == FAILED:
            await record(self._job, "Warning", final["reason"], final["message"])
            return
        completions = self._spec.get("completions")
        if completions is not None and (self._status.get("succeeded") or 0) > completions:
            text = "Too many succeeded pods running after completion count reached"
            await record(self._job, "Warning", "TooManySucceededPods", text)
        await record(self._job, "Normal", "Completed", "Job completed")


def all_failures(pod: Object) -> int:
    """Returns the number of failures of a pod's index before its creation, including ignored failures."""
    return indexes.failure_count(pod) + indexes.failure_count(pod, indexes.IGNORED_FAILURES)
