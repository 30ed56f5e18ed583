"""CronJobController: creates the Jobs of CronJobs at the times of their schedules.

Follows k8s.io/kubernetes `pkg/controller/cronjob`.
"""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.cronjob.schedule import Schedule, parsed
from fakeapi.controllers.informer import key_of
from fakeapi.controllers.job.conditions import COMPLETE, FAILED, is_finished, is_true
from fakeapi.controllers.workloads.controller import WorkloadController
from fakeapi.controllers.workloads.owners import OwnedObjects, controller_reference, is_controlled_by
from fakeapi.controllers.workloads.pods import is_deleted, seconds_of
from fakeapi.kinds.batch.validation.schedules import InvalidSchedule
from fakeapi.machinery.golang import times
from fakeapi.machinery.json_types import Object

SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp"
DELTA_SECONDS = 0.1
"""Seconds between a scheduled time and the creation of its Job."""
MANY = 100
"""Number of missed start times above which the controller records a warning event."""
TOO_MANY = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"


class CronJobController(WorkloadController):
    name = "cronjob"
    group = "batch"
    plural = "cronjobs"
    agent = "cronjob-controller"
    component = "cronjob-controller"

    async def start(self) -> None:
        await super().start()
        self._jobs = OwnedObjects(self.context.informer(self.context.served("batch", "jobs")))
        self._jobs.on_change(lambda old, new: self.queue_owner_of(new or old or {}))

    async def sync(self, owner: Object) -> None:
        jobs = self._jobs.of(owner)
        status: Object = dict(owner.get("status") or {})
        status["active"] = await self._active(owner, jobs, status)
        try:
            if not is_deleted(owner) and not owner["spec"].get("suspend"):
                await self._start_due(owner, status)
            await self._clean_up(owner, jobs)
        finally:
            await self.write_status(owner, status)

    async def _active(self, owner: Object, jobs: list[Object], status: Object) -> list[Object]:
        """Returns the references to Jobs that are still active, and records the successes of ended Jobs."""
        by_uid = {job["metadata"]["uid"]: job for job in jobs}
        active: list[Object] = []
        for reference in status.get("active") or ():
            job = by_uid.get(reference.get("uid", ""))
            if job is None:
                text = f"Active job went missing: {reference['name']}"
                await self.events.record(owner, "Normal", "MissingJob", text)
            elif is_finished(job):
                end = COMPLETE if is_true(job, COMPLETE) else FAILED
                text = f"Saw completed job: {job['metadata']['name']}, condition: {end}"
                await self.events.record(owner, "Normal", "SawCompletedJob", text)
            else:
                active.append(reference)
        successes = [
            (job.get("status") or {}).get("completionTime") for job in jobs if is_true(job, COMPLETE)
        ]
        last = max(filter(None, [status.get("lastSuccessfulTime"), *successes]), default=None)
        if last is not None:
            status["lastSuccessfulTime"] = last
        return active

    async def _start_due(self, owner: Object, status: Object) -> None:
        """Creates the Job for the latest scheduled time that has passed, and queues the CronJob for the next
        time.

        Creates no Job after the deadline, or if the concurrency policy forbids the Job.
        """
        spec, now = owner["spec"], self.context.clock.now()
        try:
            schedule = parsed(spec["schedule"], spec.get("timeZone") or "")
        except (InvalidSchedule, OSError, KeyError) as problem:
            text = f'unparseable schedule: "{spec["schedule"]}" : {problem}'
            await self.events.record(owner, "Warning", "UnparseableSchedule", text)
            return
        following = schedule.after(now)
        if following is not None:
            self.context.add_after(key_of(owner), following + DELTA_SECONDS - now)
        due = await self._due(owner, schedule, status, now)
        if due is None or due == seconds_of(status.get("lastScheduleTime")):
            return
        deadline = spec.get("startingDeadlineSeconds")
        if deadline is not None and due + deadline < now:
            moment = datetime.fromtimestamp(due, UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
            text = f"Missed scheduled time to start a job: {moment}"
            await self.events.record(owner, "Warning", "MissSchedule", text)
            return
        if spec.get("concurrencyPolicy") == "Forbid" and status["active"]:
            text = "Not starting job because prior execution is running and concurrency policy is Forbid"
            await self.events.record(owner, "Normal", "JobAlreadyActive", text)
            return
        if spec.get("concurrencyPolicy") == "Replace":
            for reference in status["active"]:
                await self._delete(owner, reference["name"])
            status["active"] = []
        await self._create(owner, due, status)

    async def _due(self, owner: Object, schedule: Schedule, status: Object, now: float) -> float | None:
        """Returns the latest scheduled time up to `now`, in seconds since the epoch; None if all are too old.

        Times up to lastScheduleTime, or up to the creation without one, are too old. Times that are older
        than startingDeadlineSeconds are too.
        """
        last = status.get("lastScheduleTime") or owner["metadata"]["creationTimestamp"]
        earliest = seconds_of(last)
        deadline = owner["spec"].get("startingDeadlineSeconds")
        if deadline is not None:
            earliest = max(earliest, now - deadline)
        first = schedule.after(earliest)
        second = None if first is None else schedule.after(first)
        if first is None or first > now:
            return None
        if second is None or second > now:
            return first
        missed = int((now - first) // (second - first)) + 1
        if missed > MANY:
            await self.events.record(owner, "Warning", "TooManyMissedTimes", TOO_MANY)
        latest, following = first, schedule.after(max(first + (missed - 2) * (second - first), first))
        while following is not None and following <= now:
            latest, following = following, schedule.after(following)
        return latest

    async def _create(self, owner: Object, due: float, status: Object) -> None:
        metadata, template = owner["metadata"], owner["spec"]["jobTemplate"]
        template_metadata = template.get("metadata") or {}
        zone = owner["spec"].get("timeZone")
        moment = datetime.fromtimestamp(due, ZoneInfo(zone) if zone else UTC)
        timestamp = moment.isoformat().replace("+00:00", "Z")
        job: Object = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {
                "name": f"{metadata['name']}-{int(due) // 60}",
                "namespace": metadata["namespace"],
                "labels": template_metadata.get("labels") or {},
                "annotations": {**(template_metadata.get("annotations") or {}), SCHEDULED_AT: timestamp},
                "ownerReferences": [controller_reference(owner)],
            },
            "spec": template["spec"],
        }
        resource = self._jobs.informer.resource
        try:
            created = await self.api.create(resource.path(metadata["namespace"]), job)
            text = f"Created job {created['metadata']['name']}"
            await self.events.record(owner, "Normal", "SuccessfulCreate", text)
        except StatusError as problem:
            if not problem.is_already_exists:
                text = f"Error creating job: {problem.message}"
                await self.events.record(owner, "Warning", "FailedCreate", text)
                raise
            created = await self.api.get(resource.path_of(job))
            if not is_controlled_by(created, owner):
                return
        reference = {
            name: created["metadata"][name] for name in ("name", "namespace", "uid", "resourceVersion")
        }
        status["active"] = [*status["active"], {"kind": "Job", "apiVersion": "batch/v1", **reference}]
        status["lastScheduleTime"] = times.now_text(due)

    async def _clean_up(self, owner: Object, jobs: list[Object]) -> None:
        """Deletes the oldest finished Jobs of a CronJob that exceed its history limits."""
        limits = {
            COMPLETE: owner["spec"].get("successfulJobsHistoryLimit", 3),
            FAILED: owner["spec"].get("failedJobsHistoryLimit", 1),
        }
        for kind, limit in limits.items():
            finished = [job for job in jobs if is_true(job, kind) and not is_deleted(job)]
            ordered = sorted(finished, key=_start)
            for job in ordered[: max(len(ordered) - limit, 0)]:
                await self._delete(owner, job["metadata"]["name"])

    async def _delete(self, owner: Object, name: str) -> None:
        path = self._jobs.informer.resource.path(owner["metadata"]["namespace"], name)
        try:
            await self.api.delete(path, propagation="Background")
        except StatusError as problem:
            if problem.is_not_found:
                return
            await self.events.record(owner, "Warning", "FailedDelete", f"Deleted job: {problem.message}")
            raise
        await self.events.record(owner, "Normal", "SuccessfulDelete", f"Deleted job {name}")


def _start(job: Object) -> tuple[str, str]:
    return (job.get("status") or {}).get("startTime") or "", job["metadata"]["name"]
