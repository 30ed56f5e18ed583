"""StatefulSetController: keeps pods with stable names and volume claims for each StatefulSet.

Follows k8s.io/kubernetes `pkg/controller/statefulset`.
"""

from functools import partial

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.informer import key_of
from fakeapi.controllers.statefulset.identity import claims_of, ordinal_of
from fakeapi.controllers.statefulset.replicas import Replicas
from fakeapi.controllers.workloads.claiming import Claiming
from fakeapi.controllers.workloads.controller import PodOwnerController
from fakeapi.controllers.workloads.hashing import revision_hash
from fakeapi.controllers.workloads.owners import OwnedObjects
from fakeapi.controllers.workloads.pod_control import is_namespace_terminating
from fakeapi.controllers.workloads.pods import is_deleted
from fakeapi.controllers.workloads.revisions import Revisions, template_patch
from fakeapi.machinery.json_types import Object

REVISION_HASH = "controller.kubernetes.io/hash"
"""Label of a ControllerRevision. Its value is the hash of the revision's data."""


class StatefulSetController(PodOwnerController):
    name = "statefulset"
    plural = "statefulsets"
    agent = "statefulset-controller"
    component = "statefulset-controller"

    async def start(self) -> None:
        await super().start()
        revisions = OwnedObjects(self.context.informer(self.context.served("apps", "controllerrevisions")))
        revisions.on_change(self.owned_changed)
        self._revisions = Revisions(self.api, self.resource, revisions)
        self._claims = self.context.informer(self.context.served("", "persistentvolumeclaims"))

    async def sync(self, owner: Object) -> None:
        revisions = await self._revisions.of(owner)
        current, update = await self._current_and_update(owner, revisions)
        if current is None or update is None:
            return  # hash collision: the new collisionCount queues the StatefulSet again
        pods = self.pods.informer.resource
        claiming = Claiming(
            self.api,
            self.resource,
            pods,
            owner,
            accepts=lambda pod: ordinal_of(owner, pod) is not None,
        )
        claimed = await claiming.claim(self.candidates(owner))
        create, delete = partial(self._create, owner), partial(self._delete, owner)
        now = self.context.clock.now()
        replicas = Replicas(owner, claimed, current, update, now, create, delete)
        problem: StatusError | None = None
        if not is_deleted(owner):
            try:
                await replicas.manage()
            except StatusError as error:
                problem = error
        generation = owner["metadata"].get("generation", 0)
        status = {**(owner.get("status") or {}), "observedGeneration": generation, **replicas.status()}
        stored = await self.write_status(owner, status)
        if problem is not None and not is_namespace_terminating(problem):
            raise problem
        live = replicas.live_revisions | {each["metadata"]["name"] for each in (current, update)}
        await self._truncate(owner, revisions, live)
        seconds = owner["spec"].get("minReadySeconds") or 0
        counts = stored["status"]
        if seconds and counts.get("readyReplicas", 0) != counts.get("availableReplicas", 0):
            self.context.add_after(key_of(owner), seconds)

    async def _current_and_update(
        self, owner: Object, revisions: list[Object]
    ) -> tuple[Object | None, Object | None]:
        """Returns the ControllerRevision of the present pods, and the ControllerRevision of the pod template.

        Creates the ControllerRevision of the pod template if it is missing. Both items are None if another
        object already has its name.
        """
        data = template_patch(owner)
        number = max((each.get("revision", 0) for each in revisions), default=0) + 1
        update = next((each for each in reversed(revisions) if each.get("data") == data), None)
        status = owner.get("status") or {}
        if update is None:
            count = status.get("collisionCount") or 0
            name_hash = revision_hash(data, count)
            update = await self._revisions.create(owner, data, number, name_hash, REVISION_HASH)
            if update is None:
                await self.write_status(owner, {**status, "collisionCount": count + 1})
                return None, None
        elif update is not revisions[-1]:
            update = await self._revisions.renumber(update, number)
        name = status.get("currentRevision")
        current = next((each for each in revisions if each["metadata"]["name"] == name), update)
        return (update if current["metadata"]["name"] == update["metadata"]["name"] else current), update

    async def _truncate(self, owner: Object, revisions: list[Object], live: set[str]) -> None:
        """Deletes the oldest revisions above the revisionHistoryLimit, except revisions in use."""
        unused = [each for each in revisions if each["metadata"]["name"] not in live]
        limit = owner["spec"].get("revisionHistoryLimit", 10)
        for revision in unused[: max(len(unused) - limit, 0)]:
            await self._revisions.delete(revision)

    async def _create(self, owner: Object, pod: Object) -> None:
        """Creates the missing volume claims of a pod, and then the pod."""
        ordinal = ordinal_of(owner, pod)
        assert ordinal is not None, "the pod was named after the StatefulSet"
        name, set_name = pod["metadata"]["name"], owner["metadata"]["name"]
        namespace = owner["metadata"]["namespace"]
        try:
            for claim in claims_of(owner, ordinal).values():
                if self._claims.get(namespace, claim["metadata"]["name"]) is None:
                    await self._create_claim(owner, name, claim)
            await self.api.create(self.pods.informer.resource.path(namespace), pod)
        except StatusError as problem:
            if not problem.is_already_exists and not is_namespace_terminating(problem):
                text = f"create Pod {name} in StatefulSet {set_name} failed error: {problem.message}"
                await self.events.record(owner, "Warning", "FailedCreate", text)
            raise
        text = f"create Pod {name} in StatefulSet {set_name} successful"
        await self.events.record(owner, "Normal", "SuccessfulCreate", text)

    async def _create_claim(self, owner: Object, pod: str, claim: Object) -> None:
        metadata = claim["metadata"]
        try:
            await self.api.create(self._claims.resource.path(metadata["namespace"]), claim)
        except StatusError as problem:
            if problem.is_already_exists:
                return
            raise
        set_name = owner["metadata"]["name"]
        text = f"create Claim {metadata['name']} Pod {pod} in StatefulSet {set_name} success"
        await self.events.record(owner, "Normal", "SuccessfulCreate", text)

    async def _delete(self, owner: Object, pod: Object) -> None:
        name, set_name = pod["metadata"]["name"], owner["metadata"]["name"]
        try:
            await self.api.delete(self.pods.informer.resource.path_of(pod))
        except StatusError as problem:
            if not problem.is_not_found:
                text = f"delete Pod {name} in StatefulSet {set_name} failed error: {problem.message}"
                await self.events.record(owner, "Warning", "FailedDelete", text)
                raise
        text = f"delete Pod {name} in StatefulSet {set_name} successful"
        await self.events.record(owner, "Normal", "SuccessfulDelete", text)
