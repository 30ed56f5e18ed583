"""SchedulingQueue: the pods to schedule, ordered by priority, and the unschedulable pods.

Follows k8s.io/kubernetes `pkg/scheduler/backend/queue`. Unschedulable pods have no backoff: the queue retries
a pod after the next change that could make it schedulable.
"""

from collections.abc import Container, Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import Any

from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.scheduler.pod_topology import has_rules
from fakeapi.controllers.workloads.pods import has_ended, priority_of
from fakeapi.machinery.json_types import Object

SCHEDULER_NAME = "default-scheduler"
NEXT = "next"
"""The key in the work queue that makes the scheduler schedule the next pod."""
BACKOFF_SECONDS_MIN = 1.0
BACKOFF_SECONDS_MAX = 10.0
"""Longest delay in seconds before the scheduler retries a pod after an error in its scheduling attempt.

The delays grow exponentially from BACKOFF_SECONDS_MIN.
"""


OUTDATED_MAX = 1000
"""Maximum number of outdated entries in the queue's heap, in addition to one entry for each pod to schedule.

Above this number, the queue rebuilds the heap.
"""


class SchedulingQueue:
    """The queue of pods without a node, by key: pods to schedule, and unschedulable pods that wait for a
    change.

    - `pods`: the informer of pods.
    - `bound`: the keys of pods that wait for binding conditions. The queue ignores these pods.
    """

    def __init__(self, context: ControllerContext, pods: Informer, bound: Container[str]) -> None:
        self._context = context
        self._pods = pods
        self._bound = bound
        self._active: dict[str, tuple[int, int]] = {}
        """The rank of each pod to schedule: its negative priority, and its position in the order of arrival.
        """
        self._heap: list[tuple[tuple[int, int], str]] = []
        """The pods by rank. Some entries are outdated: their pods were removed or have a new rank."""
        self._unschedulable: set[str] = set()
        self._costly: set[str] = set()
        """Keys of pods whose last search for devices reached its limit."""
        self._arrivals = 0
        self.changes = 0
        """Number of object changes that may have made an unschedulable pod schedulable."""

    def __bool__(self) -> bool:
        """Whether the queue contains a pod to schedule now."""
        return bool(self._active)

    def add(self, key: str) -> None:
        """Queues a pod for a scheduling attempt."""
        self._unschedulable.discard(key)
        known = self._active.get(key)
        if known is not None or key not in self._bound:
            pod = self._pods.objects.get(key)
            priority = 0 if pod is None else priority_of(pod)
            self._arrivals += known is None
            rank = -priority, self._arrivals if known is None else known[1]
            if rank != known:
                self._active[key] = rank
                heappush(self._heap, (rank, key))
        self._context.add(NEXT)

    def add_unschedulable(
        self, keys: Sequence[str], since: int | None = None, *, costly: bool = False
    ) -> None:
        """Keeps pods until a change may make them schedulable.

        - `since`: the number `changes` at the start of the scheduling attempt. If this number has grown, the
          pods are retried at once. None for pods that were not tried.
        - `costly`: whether the search for their devices reached its limit. The next retry is then delayed.
        """
        self._unschedulable.update(keys)
        if costly:
            self._costly.update(keys)
        if since is not None and since != self.changes:
            self.retry(keys)

    def remove(self, key: str) -> None:
        """Removes a pod that is already scheduled or no longer needs a node."""
        self._active.pop(key, None)
        if len(self._heap) > 2 * len(self._active) + OUTDATED_MAX:
            self._heap = [(rank, active) for active, rank in self._active.items()]
            heapify(self._heap)
        self._unschedulable.discard(key)
        self._costly.discard(key)

    def pop(self) -> Object | None:
        """Removes the pod with the highest priority and returns it; None if no pod is to be scheduled now.

        Among pods of equal priority, chooses the pod that was queued first.
        """
        while self._heap:
            rank, key = heappop(self._heap)
            if self._active.get(key) != rank:
                continue
            self.remove(key)
            pod = self._pods.objects.get(key)
            if pod is not None and is_waiting(pod):
                return pod
        return None

    def retry(self, keys: Iterable[str]) -> None:
        """Queues pods for another scheduling attempt.

        If the search for a pod's devices reached its limit, the pod is queued after BACKOFF_SECONDS_MAX.
        """
        for key in keys:
            if key in self._costly:
                self._unschedulable.discard(key)
                self._context.add_after(key, BACKOFF_SECONDS_MAX)
            else:
                self.add(key)

    def retry_all(self) -> None:
        """Retries all unschedulable pods, because a change may have made them schedulable."""
        self.changes += 1
        self.retry(sorted(self._unschedulable))

    def retry_up_to(self, priority: int) -> None:
        """Retries unschedulable pods with at most this priority, because a pod lost its nomination.

        The scheduler treats a nominated pod as assigned to its node when it schedules these pods.
        """
        self.changes += 1
        for key in sorted(self._unschedulable):
            pod = self._pods.objects.get(key)
            if pod is not None and priority_of(pod) <= priority:
                self.retry([key])

    def retry_topology(self) -> None:
        """Retries unschedulable pods with pod affinity or topology spread, because another pod changed."""
        self.changes += 1
        for key in sorted(self._unschedulable):
            pod = self._pods.objects.get(key)
            if pod is not None and has_rules(pod):
                self.add(key)


def is_waiting(pod: Object) -> bool:
    """Whether this scheduler must find a node for the pod.

    False for a pod that has a node, names another scheduler, has scheduling gates, is being deleted or has
    ended.
    """
    spec = pod["spec"]
    return (
        not spec.get("nodeName")
        and "deletionTimestamp" not in pod["metadata"]
        and not spec.get("schedulingGates")
        and spec.get("schedulerName", SCHEDULER_NAME) == SCHEDULER_NAME
        and not has_ended(pod)
    )


def lost_nomination(old: Object, new: Object | None) -> bool:
    """Whether a pod without a node had a nominatedNodeName, and has another now, has none or is deleted.

    Follows `hasNominatedNodeNameChanged` of k8s.io/kubernetes `pkg/scheduler/eventhandlers.go`.
    """
    nominated = old["status"].get("nominatedNodeName")
    if not nominated or old["spec"].get("nodeName"):
        return False
    return new is None or (
        not new["spec"].get("nodeName") and new["status"].get("nominatedNodeName") != nominated
    )


def was_changed(old: Object, new: Object) -> bool:
    """Whether a pod changed its spec, its labels, or the claim names in its status."""

    def relevant(pod: Object) -> tuple[Any, ...]:
        metadata = pod["metadata"]
        return pod["spec"], metadata.get("labels"), pod["status"].get("resourceClaimStatuses")

    return relevant(old) != relevant(new)
