"""Preemptor: deletes the pods that the scheduler has chosen, to make room for other pods.

Follows the executor of k8s.io/kubernetes `pkg/scheduler/framework/preemption`.
"""

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.event_series import EventSeriesRecorder
from fakeapi.controllers.observed_generation import condition_observed
from fakeapi.controllers.scheduler.queue import SCHEDULER_NAME
from fakeapi.controllers.scheduler.victims import BY_SCHEDULER
from fakeapi.kinds.core.pod.conditions import DISRUPTION_TARGET
from fakeapi.machinery.json_types import Object


class Preemptor:
    """Deletes preempted pods. `pods`: the resource of pods."""

    def __init__(
        self,
        context: ControllerContext,
        api: InProcessClient,
        events: EventSeriesRecorder,
        pods: ServedResource,
    ) -> None:
        self._context = context
        self._api = api
        self._events = events
        self._pods = pods

    async def delete(self, victim: Object, what: str, preemptor: Object, node: str) -> None:
        """Deletes a pod of lower priority, unless it is being deleted already.

        Writes the condition DisruptionTarget first, and records an event. Raises StatusError if a request
        fails. Ignores a pod that no longer exists.

        - `what`: "pod" or "podgroup".
        - `preemptor`: the pod or PodGroup that needs room.
        - `node`: the node on which a pod needs room; "cluster" for a PodGroup.
        """
        if "deletionTimestamp" in victim["metadata"]:
            return
        disruption: Object = {
            "type": DISRUPTION_TARGET,
            "status": "True",
            "reason": BY_SCHEDULER,
            "message": f"{SCHEDULER_NAME}: preempting to accommodate a higher priority {what}",
            "lastTransitionTime": self._context.now(),
        }
        disruption = condition_observed(self._context.rules.gates, victim, disruption)
        path = self._pods.path_of(victim)
        try:
            await self._api.patch(f"{path}/status", {"status": {"conditions": [disruption]}}, "strategic")
            await self._api.delete(path)
        except StatusError as problem:
            if not problem.is_not_found:
                raise
            return
        note = f"Preempted by {what} {preemptor['metadata']['uid']} on node {node}"
        await self._events.record(victim, "Normal", "Preempted", "Preempting", note)
