"""JobSync: decides whether a Job fails (backoffLimit), completes or is suspended, and which pods it needs.

Follows `syncJob` of k8s.io/kubernetes `pkg/controller/job/job_controller.go`.
"""

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.informer import key_of
from fakeapi.controllers.job import indexes
from fakeapi.controllers.job.backoff_delay import Backoff, finished_at
from fakeapi.controllers.job.conditions import (
    COMPLETE,
    FAILED,
    FAILURE_TARGET,
    SUCCESS_MET,
    SUSPENDED,
    ensured,
)
from fakeapi.controllers.job.policies import is_failed, success, verdict
from fakeapi.controllers.job.tracking import FINALIZER, JobTracking, all_failures
from fakeapi.controllers.replicaset.ranking import pods_to_delete
from fakeapi.controllers.workloads.batches import BURST, slow_start
from fakeapi.controllers.workloads.pods import (
    condition,
    is_deleted,
    is_terminating,
    phase,
    seconds_of,
)
from fakeapi.machinery.json_types import Object


class JobSync(JobTracking):
    """Reconciles one unfinished Job with its pods."""

    async def run(self) -> None:
        """Reconciles the Job. Raises StatusError if a request fails."""
        if not self._status.get("startTime") and not self._is_suspended:
            self._status["startTime"] = self._access.context.now()
        self._evaluate_failures()
        if self._is_indexed:
            self._evaluate_indexes()
        active = len(self._active)
        if self._finished is not None:
            deleted = await self._delete(self._active)
            if deleted < active:
                self._finished = None
            active -= deleted
        else:
            if not is_deleted(self._job):
                active = await self._manage()
            if self._is_complete(active):
                self._finished = self._success()
            elif not is_deleted(self._job) and self._problem is None:
                await self._note_suspension()
        self._status["active"] = active
        await self._track()
        if self._problem is not None:
            raise self._problem

    # the end of the Job -----------------------------------------------------------------------------

    def _success(self) -> Object:
        if not self._access.announces:
            return self._made(COMPLETE, "", "")
        return self._made(SUCCESS_MET, "CompletionsReached", "Reached expected number of succeeded pods")

    def _failure(self, reason: str, message: str) -> Object:
        return self._made(FAILURE_TARGET if self._access.announces else FAILED, reason, message)

    def _evaluate_failures(self) -> None:
        """Sets `_finished` if a condition already announces the end of the Job, or if the Job must fail
        now.
        """
        job, spec = self._job, self._spec
        for kind in (SUCCESS_MET, FAILURE_TARGET):
            known = condition(job, kind)
            if known is not None and known["status"] == "True":
                self._finished = self._made(kind, known.get("reason", ""), known.get("message", ""))
                return
        failed = [pod for pod in self._pods if is_failed(pod, job)] if spec.get("podFailurePolicy") else []
        text = next(filter(None, (verdict(job, pod).fails_job for pod in failed)), "")
        limit = spec.get("backoffLimit", 6)
        deadline = spec.get("activeDeadlineSeconds")
        if text:
            self._finished = self._made(FAILURE_TARGET, "PodFailurePolicy", text)
        elif self._failed > limit or self._has_too_many_restarts(limit):
            text = "Job has reached the specified backoff limit"
            self._finished = self._failure("BackoffLimitExceeded", text)
        elif deadline is not None and not self._is_suspended:
            left = seconds_of(self._status["startTime"]) + deadline - self._now
            if left <= 0:
                text = "Job was active longer than specified deadline"
                self._finished = self._failure("DeadlineExceeded", text)
            else:
                self._access.context.add_after(key_of(job), left)

    def _has_too_many_restarts(self, limit: int) -> bool:
        """Whether the pods' containers have restarted too often.

        Always false without restartPolicy OnFailure.
        """
        if self._spec["template"]["spec"].get("restartPolicy") != "OnFailure":
            return False
        restarts = sum(
            container.get("restartCount", 0)
            for pod in self._pods
            if phase(pod) in {"Running", "Pending"}
            for field in ("initContainerStatuses", "containerStatuses")
            for container in pod["status"].get(field) or ()
        )
        return bool(restarts >= max(limit, 1))

    def _evaluate_indexes(self) -> None:
        """Finds the succeeded and failed indexes, and sets `_finished` if they end the Job."""
        spec, completions = self._spec, self._spec["completions"]
        for pod in self._pods:
            if phase(pod) == "Succeeded" and self._is_countable(pod):
                self._succeeded_indexes.add(self._index(pod))
        self._succeeded = len(self._succeeded_indexes)
        limit = spec.get("backoffLimitPerIndex")
        if limit is not None:
            self._failed_indexes = self._find_failed_indexes(limit, completions)
            failed, most = len(self._failed_indexes), spec.get("maxFailedIndexes")
            if self._finished is None and most is not None and failed > most:
                text = "Job has exceeded the specified maximal number of failed indexes"
                self._finished = self._failure("MaxFailedIndexesExceeded", text)
            elif self._finished is None and failed and failed + self._succeeded >= completions:
                self._finished = self._failure("FailedIndexes", "Job has failed indexes")
            self._delayed = self._find_delayed()
        text = "" if self._finished is not None else success(self._job, self._succeeded_indexes)
        if text:
            self._finished = self._made(SUCCESS_MET, "SuccessPolicy", text)

    def _find_failed_indexes(self, limit: int, completions: int) -> set[int]:
        failed = indexes.parsed(self._status.get("failedIndexes"), completions)
        for pod in self._pods:
            if self._is_countable(pod) and is_failed(pod, self._job):
                result = verdict(self._job, pod)
                if result.fails_index or (result.counts and indexes.failure_count(pod) >= limit):
                    failed.add(self._index(pod))
        return failed

    def _find_delayed(self) -> dict[int, Object]:
        """Returns the last failed pod of each index that needs another pod.

        The annotations of this pod contain the number of failures, so its finalizer stays until the next pod
        exists.
        """
        over = self._succeeded_indexes | (self._failed_indexes or set())
        over |= {self._index(pod) for pod in self._active if self._is_countable(pod)}
        delayed: dict[int, Object] = {}
        for pod in sorted(self._pods, key=lambda pod: (all_failures(pod), finished_at(pod))):
            if self._is_countable(pod) and is_failed(pod, self._job) and self._index(pod) not in over:
                delayed[self._index(pod)] = pod
        return delayed

    def _is_complete(self, active: int) -> bool:
        completions = self._spec.get("completions")
        least = 1 if completions is None else completions
        return bool(active == 0 and self._succeeded >= least)

    async def _note_suspension(self) -> None:
        """Updates the condition Suspended. A resumed Job gets a new startTime."""
        if self._is_suspended:
            new = self._made(SUSPENDED, "JobSuspended", "Job suspended")
        else:
            new = self._made(SUSPENDED, "JobResumed", "Job resumed", "False")
        conditions = ensured(self._status["conditions"], new)
        if conditions is self._status["conditions"]:
            return
        self._status["conditions"] = conditions
        if not self._is_suspended:
            self._status["startTime"] = self._access.context.now()
        reason = "Suspended" if self._is_suspended else "Resumed"
        await self._access.events.record(self._job, "Normal", reason, new["message"])

    # pods -------------------------------------------------------------------------------------------

    async def _manage(self) -> int:
        """Creates or deletes pods; returns the number of active pods afterwards."""
        active = len(self._active)
        if self._is_suspended:
            return active - await self._delete(self._active)
        completions, parallelism = self._spec.get("completions"), self._spec.get("parallelism", 1)
        if completions is None:
            wanted = active if self._succeeded else parallelism
        else:
            wanted = max(min(completions - self._succeeded, parallelism), 0)
        surplus = self._surplus(max(active - wanted, 0))
        if surplus:
            return active - await self._delete(surplus[:BURST])
        replaces_failed = self._spec.get("podReplacementPolicy") == "Failed"
        missing = wanted - active - (self._terminating if replaces_failed else 0)
        return active + (await self._create(min(missing, BURST)) if missing > 0 else 0)

    def _surplus(self, least: int) -> list[Object]:
        """Returns the active pods to delete: at least `least` pods, and all pods with a duplicate index."""
        surplus: list[Object] = []
        left = self._active
        if self._is_indexed:
            left, seen = [], set()
            for pod in sorted(self._active, key=lambda pod: str(pod["metadata"]["creationTimestamp"])):
                index = indexes.index_of(pod, self._job)
                (surplus if index is None or index in seen else left).append(pod)
                seen.add(index)
        more = least - len(surplus)
        return surplus + (pods_to_delete(left, (), more, self._now) if more > 0 else [])

    async def _delete(self, pods: list[Object]) -> int:
        """Deletes pods; returns the number of deleted pods.

        Keeps the first error until the end of the sync.
        """
        deleted = 0
        for pod in pods:
            try:
                await self._access.pod_control.delete(self._job, pod)
                deleted += 1
                self._active = [each for each in self._active if each is not pod]
            except StatusError as problem:
                self._problem = self._problem or problem
        self._terminating += deleted
        return deleted

    async def _create(self, count: int) -> int:
        """Creates pods if the delay after the last failure is over. Returns the number of created pods."""
        per_index = self._spec.get("backoffLimitPerIndex") is not None
        wait = 0.0 if per_index else self.backoff.remaining(self._now)
        if wait > 0:
            self._access.context.add_after(key_of(self._job), wait)
            return 0
        numbers: list[int | None] = [None] * count
        if self._is_indexed:
            numbers = [*self._pending(count)]
        template = self._template()
        created = 0

        async def create(position: int) -> None:
            nonlocal created
            index = numbers[position]
            own, names = template, {}
            if index is not None:
                own = indexes.indexed_template(self._job, template, index, self._failures_of(index))
                names = {"generateName": indexes.generate_name(self._job, index)}
            created += await self._access.pod_control.create(self._job, own, **names)

        try:
            await slow_start(len(numbers), create)
        except StatusError as problem:
            self._problem = self._problem or problem
        return created

    def _template(self) -> Object:
        template = self._spec["template"]
        metadata = dict(template.get("metadata") or {})
        metadata["finalizers"] = [*(metadata.get("finalizers") or ()), FINALIZER]
        template = {"metadata": metadata, "spec": template["spec"]}
        return indexes.with_index_variable(template) if self._is_indexed else template

    def _pending(self, count: int) -> list[int]:
        """Returns the indexes that need a pod now.

        If all these indexes must wait after a failure, returns [] and queues the Job again.
        """
        pods = list(self._active)
        if self._spec.get("podReplacementPolicy") == "Failed":
            pods += [pod for pod in self._pods if is_terminating(pod)]
        taken = {index for pod in pods if (index := indexes.index_of(pod, self._job)) is not None}
        taken |= self._succeeded_indexes | (self._failed_indexes or set())
        numbers = indexes.pending(count, self._spec["completions"], taken)
        waits = {number: self._wait_of(number) for number in numbers if number in self._delayed}
        ready = [number for number in numbers if not waits.get(number)]
        if not ready and waits:
            self._access.context.add_after(key_of(self._job), min(waits.values()))
        return ready

    def _wait_of(self, index: int) -> float:
        pod = self._delayed[index]
        return Backoff(all_failures(pod) + 1, finished_at(pod)).remaining(self._now)

    def _failures_of(self, index: int) -> dict[str, str]:
        """Returns the failure-count annotations for the next pod of an index; empty without
        backoffLimitPerIndex.
        """
        if self._spec.get("backoffLimitPerIndex") is None:
            return {}
        pod = self._delayed.get(index)
        if pod is None:
            return {indexes.FAILURES: "0"}
        counts = verdict(self._job, pod).counts
        ignored = indexes.failure_count(pod, indexes.IGNORED_FAILURES) + (not counts)
        annotations = {indexes.FAILURES: str(indexes.failure_count(pod) + counts)}
        return {**annotations, indexes.IGNORED_FAILURES: str(ignored)} if ignored else annotations
