"""Replicas: the pods of a StatefulSet in the order of their ordinals, for one reconciliation.

Follows `updateStatefulSet` of k8s.io/kubernetes `pkg/controller/statefulset/stateful_set_control.go`.
"""

from collections.abc import Awaitable, Callable, Iterable

from fakeapi.controllers.statefulset.identity import (
    is_healthy,
    is_running,
    is_unavailable,
    new_pod,
    ordinal_of,
    revision_of,
    start_of,
)
from fakeapi.controllers.workloads.counts import scaled
from fakeapi.controllers.workloads.pods import has_ended, is_available, is_deleted
from fakeapi.machinery.json_types import Object

Change = Callable[[Object], Awaitable[None]]


class Replicas:
    """Creates, deletes and updates the pods of a StatefulSet.

    - `pods`: the pods that the StatefulSet controls.
    - `current` and `update`: the revisions of the old and of the new template.
    - `create` and `delete`: the functions that create and delete a pod.
    """

    def __init__(
        self,
        stateful_set: Object,
        pods: Iterable[Object],
        current: Object,
        update: Object,
        now: float,
        create: Change,
        delete: Change,
    ) -> None:
        self._set, self._spec = stateful_set, stateful_set["spec"]
        self._current, self._update = current, update
        self._now = now
        self._create, self._delete = create, delete
        self._seconds = self._spec.get("minReadySeconds") or 0
        strategy = self._spec.get("updateStrategy") or {}
        self._is_rolling = strategy.get("type", "RollingUpdate") == "RollingUpdate"
        self._rolling: Object | None = strategy.get("rollingUpdate")
        self._is_ordered = self._spec.get("podManagementPolicy") != "Parallel"
        start, count = start_of(stateful_set), self._spec.get("replicas", 1)
        by_ordinal = {ordinal_of(stateful_set, pod): pod for pod in pods}
        known = {ordinal: pod for ordinal, pod in by_ordinal.items() if ordinal is not None}
        wanted = range(start, start + count)
        self._replicas = [known.get(ordinal) or self._new(ordinal) for ordinal in wanted]
        self._condemned = [known[ordinal] for ordinal in sorted(known, reverse=True) if ordinal not in wanted]

    def _new(self, ordinal: int) -> Object:
        """Returns a new pod for an ordinal, with the current or the updated template."""
        kept = (self._set.get("status") or {}).get("currentReplicas") or 0
        if self._rolling is not None:
            kept = self._rolling.get("partition") or 0
        is_old = self._is_rolling and ordinal < start_of(self._set) + kept
        revision = self._current if is_old else self._update
        template = self._spec["template"] if revision is self._update else _template_of(revision)
        return new_pod(self._set, template, revision["metadata"]["name"], ordinal)

    async def manage(self) -> None:
        """Makes the next changes.

        With the policy OrderedReady, waits for each pod before it changes the next pod. Raises StatusError if
        a request fails.
        """
        for pod in list(self._replicas):
            if await self._must_wait_for(pod):
                return
        unhealthy = self._first_unhealthy()
        for pod in self._condemned:
            if is_deleted(pod):
                if self._is_ordered:
                    return
                continue
            if self._is_ordered and pod is not unhealthy and not self._is_available(pod):
                return
            await self._delete(pod)
            if self._is_ordered:
                return
        if self._is_rolling:
            await self._update_pods()

    async def _must_wait_for(self, pod: Object) -> bool:
        """Creates or replaces a pod. Returns whether the pods with higher ordinals must wait."""
        if has_ended(pod):
            if not is_deleted(pod):
                await self._delete(pod)
            return True
        if not _is_created(pod):
            await self._create(pod)
            return bool(self._is_ordered)
        return bool(self._is_ordered and (is_deleted(pod) or not self._is_available(pod)))

    def _is_available(self, pod: Object) -> bool:
        return is_running(pod) and is_available(pod, self._seconds, self._now)

    def _first_unhealthy(self) -> Object | None:
        """Returns the unhealthy pod with the smallest ordinal. The pods to scale down come last.

        Returns None if all pods are healthy.
        """
        pods = [*self._replicas, *reversed(self._condemned)]
        return next((pod for pod in pods if not is_healthy(pod)), None)

    async def _update_pods(self) -> None:
        """Deletes pods with an old template, the highest ordinal first. A later sync creates them again."""
        rolling = self._rolling or {}
        first, most = rolling.get("partition") or 0, 1
        if rolling.get("maxUnavailable") is not None:
            most = max(scaled(rolling["maxUnavailable"], len(self._replicas), up=True), 1)
        name = self._update["metadata"]["name"]
        away = [pod for pod in self._replicas if is_unavailable(pod, self._seconds, self._now)]
        outdated = [
            pod
            for pod in reversed(self._replicas[first:])
            if revision_of(pod) != name and not is_deleted(pod)
        ]
        budget = most - len(away)
        if not self._is_ordered:
            for pod in [pod for pod in outdated if pod in away]:
                await self._delete(pod)
            outdated = [pod for pod in outdated if pod not in away]
        for pod in outdated[: max(budget, 0)]:
            await self._delete(pod)

    def status(self) -> Object:
        """Returns the status fields with the numbers of pods and the names of the revisions."""
        pods = [pod for pod in [*self._replicas, *self._condemned] if _is_created(pod)]
        ready = [pod for pod in pods if is_running(pod)]
        present = [revision_of(pod) for pod in pods if not is_deleted(pod)]
        current, update = (each["metadata"]["name"] for each in (self._current, self._update))
        status: Object = {
            "replicas": len(pods),
            "readyReplicas": len(ready),
            "availableReplicas": sum(is_available(pod, self._seconds, self._now) for pod in ready),
            "currentReplicas": present.count(current),
            "updatedReplicas": present.count(update),
            "currentRevision": current,
            "updateRevision": update,
        }
        counts = {status[name] for name in ("updatedReplicas", "readyReplicas", "replicas")}
        if self._is_rolling and counts == {len(self._replicas)}:
            status |= {"currentReplicas": status["updatedReplicas"], "currentRevision": update}
        return status

    @property
    def live_revisions(self) -> set[str]:
        """The names of all revisions that existing pods and new pods use."""
        return {revision_of(pod) for pod in [*self._replicas, *self._condemned]}


def _is_created(pod: Object) -> bool:
    return "uid" in pod["metadata"]


def _template_of(revision: Object) -> Object:
    """Returns the pod template in the data of a revision."""
    template: Object = revision["data"]["spec"]["template"]
    return {name: value for name, value in template.items() if name != "$patch"}
