"""TTLAfterFinishedController: deletes finished Jobs after `ttlSecondsAfterFinished`.

Follows k8s.io/kubernetes `pkg/controller/ttlafterfinished`.
"""

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.informer import key_of
from fakeapi.controllers.job.conditions import COMPLETE, FAILED, is_true
from fakeapi.controllers.workloads.controller import WorkloadController
from fakeapi.controllers.workloads.pods import condition, is_deleted, seconds_of
from fakeapi.machinery.json_types import Object


class TTLAfterFinishedController(WorkloadController):
    name = "ttl-after-finished"
    group = "batch"
    plural = "jobs"
    agent = "ttl-after-finished-controller"
    component = "ttl-after-finished-controller"

    async def sync(self, owner: Object) -> None:
        seconds = owner["spec"].get("ttlSecondsAfterFinished")
        finished = next((condition(owner, kind) for kind in (COMPLETE, FAILED) if is_true(owner, kind)), None)
        if seconds is None or finished is None or is_deleted(owner):
            return
        wait = seconds_of(finished.get("lastTransitionTime")) + seconds - self.context.clock.now()
        if wait > 0:
            self.context.add_after(key_of(owner), wait)
            return
        metadata = owner["metadata"]
        try:
            path = self.resource.path_of(owner)
            await self.api.delete(
                path, uid=metadata["uid"], version=metadata["resourceVersion"], propagation="Foreground"
            )
        except StatusError as problem:
            if not problem.is_not_found:
                raise
