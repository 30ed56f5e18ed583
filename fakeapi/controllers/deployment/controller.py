"""DeploymentController: rolls out the pod template of each Deployment through ReplicaSets.

Follows k8s.io/kubernetes `pkg/controller/deployment`.
"""

from fakeapi.controllers.deployment.rollout import Access, Rollout
from fakeapi.controllers.workloads.claiming import Claiming
from fakeapi.controllers.workloads.controller import WorkloadController
from fakeapi.controllers.workloads.owners import OwnedObjects, controller_of
from fakeapi.controllers.workloads.pods import is_deleted
from fakeapi.machinery.json_types import Object


class DeploymentController(WorkloadController):
    name = "deployment"
    plural = "deployments"
    agent = "deployment-controller"
    component = "deployment-controller"

    async def start(self) -> None:
        await super().start()
        resource = self.context.served("apps", "replicasets")
        self._sets = OwnedObjects(self.context.informer(resource))
        self._pods = OwnedObjects(self.context.informer(self.context.served("", "pods")))
        self._sets.on_change(self.owned_changed)
        self._pods.on_change(self._pod_changed)
        self._access = Access(self.context, self.api, self.resource, resource, self.events)

    def _pod_changed(self, old: Object | None, new: Object | None) -> None:
        """Queues the Deployment of a deleted pod."""
        reference = None if new is not None or old is None else controller_of(old)
        if old is None or reference is None or reference["kind"] != "ReplicaSet":
            return
        replica_set = self._sets.informer.get(old["metadata"]["namespace"], reference["name"])
        if replica_set is not None:
            self.queue_owner_of(replica_set)

    async def sync(self, owner: Object) -> None:
        if not any((owner["spec"].get("selector") or {}).values()):
            await self._refuse(owner)
            return
        namespace = owner["metadata"]["namespace"]
        claiming = Claiming(self.api, self.resource, self._sets.informer.resource, owner)
        replica_sets = await claiming.claim([*self._sets.of(owner), *self._sets.orphans(namespace)])
        rollout = Rollout(self._access, owner, replica_sets)
        if is_deleted(owner):
            await rollout.sync_status_only()
            return
        await rollout.check_pause()
        if owner["spec"].get("paused") or await rollout.is_scaling():
            await rollout.sync()
        elif owner["spec"]["strategy"].get("type") == "Recreate":
            await rollout.recreate([pod for each in replica_sets for pod in self._pods.of(each)])
        else:
            await rollout.roll()

    async def _refuse(self, owner: Object) -> None:
        """Records a warning event, because the Deployment selects all pods. Updates the observedGeneration.

        Such a Deployment creates no pods.
        """
        text = "This deployment is selecting all pods. A non-empty selector is required."
        await self.events.record(owner, "Warning", "SelectingAll", text)
        generation = owner["metadata"].get("generation", 0)
        await self.write_status(owner, {**(owner.get("status") or {}), "observedGeneration": generation})
