"""ReplicaSetController: keeps the desired number of pods for each ReplicaSet.

Follows k8s.io/kubernetes `pkg/controller/replicaset` and `pkg/controller/replication`.
"""

from collections.abc import Iterator
from typing import ClassVar

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.informer import key_of
from fakeapi.controllers.replicaset.ranking import pods_to_delete
from fakeapi.controllers.workloads.batches import BURST, slow_start
from fakeapi.controllers.workloads.claiming import Claiming
from fakeapi.controllers.workloads.controller import PodOwnerController
from fakeapi.controllers.workloads.owners import OwnedObjects, controller_of, labels_of
from fakeapi.controllers.workloads.pods import (
    condition,
    is_active,
    is_available,
    is_deleted,
    is_ready,
    is_terminating,
    seconds_until_available,
)
from fakeapi.controllers.workloads.statuses import TERMINATING_GATE, without_condition
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.label_selector import Operator, Requirement, Selector

FAILURE = "ReplicaFailure"


class ReplicaSetController(PodOwnerController):
    name = "replicaset"
    plural = "replicasets"
    agent = "replicaset-controller"
    component = "replicaset-controller"
    counts_terminating: ClassVar[bool] = True
    """Whether the status of the workload's kind has the field terminatingReplicas."""

    async def start(self) -> None:
        await super().start()
        self._siblings = OwnedObjects(self.owners)

    async def sync(self, owner: Object) -> None:
        candidates = self.candidates(owner)
        pods = self.pods.informer.resource
        claiming = Claiming(self.api, self.resource, pods, owner, selector=self.selector(owner))
        active = await claiming.claim(filter(is_active, candidates))
        problem: StatusError | None = None
        if not is_deleted(owner):
            try:
                await self._manage(owner, active)
            except StatusError as error:
                problem = error
        now = self.context.clock.now()
        status = self._status(owner, active, candidates, problem, now)
        stored = await self.write_status(owner, status)
        if problem is not None:
            raise problem
        self._plan_next(stored, active, now)

    def _plan_next(self, owner: Object, active: list[Object], now: float) -> None:
        """Queues a workload again for the moment when its next ready pod becomes available."""
        seconds, status = owner["spec"].get("minReadySeconds") or 0, owner.get("status") or {}
        if seconds and status.get("readyReplicas", 0) != status.get("availableReplicas", 0):
            wait = seconds_until_available(active, seconds, now)
            self.context.add_after(key_of(owner), seconds if wait is None else wait)

    async def _manage(self, owner: Object, active: list[Object]) -> None:
        """Creates missing pods, or deletes surplus pods.

        Raises the first StatusError of these requests.
        """
        surplus = len(active) - owner["spec"]["replicas"]
        if surplus < 0:

            async def create(_: int) -> None:
                await self.pod_control.create(owner, owner["spec"]["template"])

            await slow_start(min(-surplus, BURST), create)
        elif surplus > 0:
            now = self.context.clock.now()
            pods = pods_to_delete(active, self._related(owner), min(surplus, BURST), now)
            await self.pod_control.delete_all(owner, pods)

    def _related(self, owner: Object) -> Iterator[Object]:
        """Yields the pods of all ReplicaSets that have the same controller as `owner`."""
        controller = controller_of(owner)
        if controller is None:
            return
        for sibling in self._siblings.of_uid(controller["uid"]):
            selector = self.selector(sibling)
            for pod in self.candidates(sibling):
                if selector.matches(labels_of(pod)):
                    yield pod

    def _status(
        self,
        owner: Object,
        active: list[Object],
        candidates: list[Object],
        problem: StatusError | None,
        now: float,
    ) -> Object:
        """Returns the new status of a workload.

        - `active`: the pods of the workload that have not ended.
        - `candidates`: the pods from which `active` was chosen.
        - `problem`: why creating or deleting pods failed; None without a failure.
        """
        spec, old = owner["spec"], owner.get("status") or {}
        labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
        ready = [pod for pod in active if is_ready(pod)]
        seconds = spec.get("minReadySeconds") or 0
        status = {
            **old,
            "replicas": len(active),
            "fullyLabeledReplicas": sum(labels.items() <= labels_of(pod).items() for pod in active),
            "readyReplicas": len(ready),
            "availableReplicas": sum(is_available(pod, seconds, now) for pod in ready),
            "observedGeneration": owner["metadata"].get("generation", 0),
        }
        conditions = list(old.get("conditions") or ())
        if problem is not None and condition(owner, FAILURE) is None:
            conditions.append(self._failure(len(active) - spec["replicas"], problem))
        elif problem is None:
            conditions = without_condition(conditions, FAILURE)
        status["conditions"] = conditions
        if self.counts_terminating and self.context.rules.gates.get(TERMINATING_GATE, False):
            selector = self.selector(owner)
            going = filter(is_terminating, candidates)
            status["terminatingReplicas"] = sum(selector.matches(labels_of(pod)) for pod in going)
        return status

    def _failure(self, surplus: int, problem: StatusError) -> Object:
        return {
            "type": FAILURE,
            "status": "True",
            "lastTransitionTime": self.context.now(),
            "reason": "FailedCreate" if surplus < 0 else "FailedDelete",
            "message": problem.message,
        }


class ReplicationControllerController(ReplicaSetController):
    """Keeps the desired number of pods for each ReplicationController."""

    name = "replicationcontroller"
    group = ""
    plural = "replicationcontrollers"
    agent = "replication-controller"
    component = "replication-controller"
    counts_terminating = False

    def selector(self, owner: Object) -> Selector:
        labels = owner["spec"].get("selector") or {}
        requirements = [Requirement(key, Operator.IN, (value,)) for key, value in sorted(labels.items())]
        return Selector(tuple(requirements))
