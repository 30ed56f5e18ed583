"""JobController: runs the pods of Jobs until enough of them have succeeded.

Follows k8s.io/kubernetes `pkg/controller/job`.
"""

from typing import Any

from fakeapi.controllers.informer import key_of
from fakeapi.controllers.job.backoff_delay import Backoff
from fakeapi.controllers.job.conditions import is_finished
from fakeapi.controllers.job.sync import JobSync
from fakeapi.controllers.job.tracking import FINALIZER, Access, has_finalizer, remove_finalizer
from fakeapi.controllers.workloads.claiming import Claiming
from fakeapi.controllers.workloads.controller import PodOwnerController
from fakeapi.controllers.workloads.owners import controller_of
from fakeapi.machinery.json_types import Object

OWN_NAME = "kubernetes.io/job-controller"
ORPHAN = "orphan"


class JobController(PodOwnerController):
    name = "job"
    group = "batch"
    plural = "jobs"
    agent = "job-controller"
    component = "job-controller"

    async def start(self) -> None:
        self._backoffs: dict[str, Backoff] = {}
        await super().start()
        self.pods.on_change(self._check_orphan)
        gates = self.context.rules.gates
        names = ("JobManagedBy", "JobPodReplacementPolicy")
        is_on = any(gates.get(name, True) for name in names)
        pods = self.pods.informer.resource
        self._access = Access(
            context=self.context,
            api=self.api,
            jobs=self.resource,
            pods=pods,
            pod_control=self.pod_control,
            events=self.events,
            announces=is_on and self.context.has_field("batch", "jobs", "spec", "managedBy"),
        )

    def owner_changed(self, old: Object | None, new: Object | None) -> None:
        super().owner_changed(old, new)
        if new is None and old is not None:
            for pod in self.pods.of(old):
                self._check_orphan(None, pod)

    def _check_orphan(self, old: Object | None, new: Object | None) -> None:
        """Queues a pod whose Job no longer exists, to remove the Job's finalizer from the pod."""
        if new is not None and has_finalizer(new) and self._job_of(new) is None:
            self.context.add((ORPHAN, key_of(new)))

    def _job_of(self, pod: Object) -> Object | None:
        """Returns the Job that controls a pod; None without such a Job."""
        reference = controller_of(pod)
        if reference is None or reference["kind"] != "Job":
            return None
        job = self.owners.get(pod["metadata"]["namespace"], reference["name"])
        return job if job is not None and job["metadata"]["uid"] == reference["uid"] else None

    async def reconcile(self, key: Any) -> None:
        if not isinstance(key, tuple):
            await super().reconcile(key)
            return
        pod = self.pods.informer.objects.get(key[1])
        if pod is not None and has_finalizer(pod) and self._job_of(pod) is None:
            await remove_finalizer(self.api, self.pods.informer.resource, pod)

    def forget(self, key: str) -> None:
        self._backoffs.pop(key, None)

    async def sync(self, owner: Object) -> None:
        key = key_of(owner)
        if owner["spec"].get("managedBy", OWN_NAME) != OWN_NAME:
            return
        if is_finished(owner):
            self.forget(key)
            for pod in filter(has_finalizer, self.pods.of(owner)):
                await remove_finalizer(self.api, self.pods.informer.resource, pod)
            return
        pods = self.pods.informer.resource
        claiming = Claiming(self.api, self.resource, pods, owner, finalizers=[FINALIZER])
        claimed = await claiming.claim(self.candidates(owner))
        sync = JobSync(self._access, owner, claimed, self._backoffs.get(key, Backoff()))
        try:
            await sync.run()
        finally:
            if sync.is_counted:
                self._backoffs[key] = sync.backoff
