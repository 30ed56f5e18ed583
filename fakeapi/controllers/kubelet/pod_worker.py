"""PodWorker: runs and ends the pods of one node.

Follows k8s.io/kubernetes `pkg/kubelet` (SyncPod, SyncTerminatingPod) without containers. A pod is Running as
soon as its claims are prepared.
"""

import logging
from datetime import datetime
from typing import Any

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.events import EventRecorder
from fakeapi.controllers.informer import Informer, key_of
from fakeapi.controllers.kubelet import pod_status
from fakeapi.controllers.kubelet.addresses import NodeAddresses
from fakeapi.controllers.kubelet.claims import Claims, PrepareError
from fakeapi.controllers.kubelet.health_watch import HealthWatch
from fakeapi.controllers.kubelet.keys import DeletedPodKey, Key, PodKey
from fakeapi.controllers.kubelet.pod_admission import Refusal, refusal
from fakeapi.controllers.kubelet.status_writer import StatusWriter
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.printable import printable_line

log = logging.getLogger("fakeapi.controllers")

RETRY_SECONDS = 10.0
"""Seconds before the kubelet retries a pod whose claims could not be prepared or unprepared.

The kubelet retries earlier if a DRA driver registers.
"""


class PodWorker:
    """Reconciles the pods of one node. `health` is None if the release does not report device health."""

    def __init__(
        self,
        context: ControllerContext,
        api: InProcessClient,
        pods: Informer,
        node_informer: Informer,
        node: str,
        addresses: NodeAddresses,
        claims: Claims,
        health: HealthWatch | None,
    ) -> None:
        self._context = context
        self._api = api
        self._pods = pods
        self._node_informer = node_informer
        self._node = node
        self._addresses = addresses
        self._claims = claims
        self._health = health
        self._statuses = StatusWriter(context, api)
        self._events = EventRecorder(context, api, "kubelet", host=node)
        self._waiting: dict[Key, None] = {}

    async def sync(self, pod: Object) -> None:
        """Runs a pod, ends a deleted pod, or unprepares the claims of a finished pod.

        Raises StatusError if a request to the server fails.
        """
        self._waiting.pop(PodKey(self._node, key_of(pod)), None)
        if "deletionTimestamp" in pod["metadata"]:
            await self._end(pod)
        elif pod["status"].get("phase") in {"Succeeded", "Failed"}:
            await self._unprepare_or_wait(pod)
        elif not await self._fail_if_late(pod):
            if pod["status"].get("phase") != "Running":
                await self._run(pod)
            elif pod["spec"].get("readinessGates") or self._statuses.is_behind(pod):
                await self._report_readiness(pod)

    def retry_waiting(self) -> None:
        """Queues all pods whose claims could not be prepared or unprepared, including deleted pods."""
        waiting, self._waiting = self._waiting, {}
        for key in waiting:
            self._context.add(key)

    async def show_health(self, pod: Object) -> None:
        """Writes the health of a running pod's devices to the pod's status if the health has changed.

        Raises StatusError if the write fails.
        """
        if self._health is None or pod["status"].get("phase") != "Running":
            return
        known = pod["status"].get("containerStatuses") or []
        updated = self._health.of_pod(pod, known)
        if updated != known:
            await self._statuses.patch(pod, {"containerStatuses": updated})

    async def unprepare(self, uid: str) -> None:
        """Unprepares the claims of a deleted pod. `uid`: the uid of the pod.

        Logs a failure, and retries after RETRY_SECONDS.
        """
        self._addresses.release(uid)
        key = DeletedPodKey(self._node, uid)
        self._waiting.pop(key, None)
        try:
            await self._claims.unprepare(uid)
        except PrepareError as problem:
            log.warning("pod with UID %s: unprepare dynamic resources: %s", uid, printable_line(problem))
            self._wait(key)

    def _refusal(self, pod: Object) -> Refusal | None:
        node = self._node_informer.get("", self._node)
        if node is None:
            return None
        others = (
            other
            for other in self._pods.objects.values()
            if other["spec"].get("nodeName") == self._node and _is_admitted(other)
        )
        return refusal(pod, node, others, self._context.rules.quirks)

    async def _fail_if_late(self, pod: Object) -> bool:
        """Fails a pod that has run longer than its activeDeadlineSeconds; returns whether the pod failed.

        If the pod's deadline is in the future, queues the pod for that time.
        """
        seconds, start = pod["spec"].get("activeDeadlineSeconds"), pod["status"].get("startTime")
        if seconds is None or start is None:
            return False
        running = datetime.fromisoformat(self._context.now()) - datetime.fromisoformat(start)
        left = seconds - running.total_seconds()
        if left > 0:
            self._context.add_after(PodKey(self._node, key_of(pod)), left)
            return False
        await self._events.record(pod, "Normal", pod_status.DEADLINE_EXCEEDED, pod_status.DEADLINE_MESSAGE)
        await self._statuses.report(pod, pod_status.late(pod, self._context.now()))
        return True

    async def _report_readiness(self, pod: Object) -> None:
        known = {condition["type"]: condition for condition in pod["status"].get("conditions") or ()}
        if pod["spec"].get("readinessGates"):
            conditions = pod_status.running_conditions(pod, self._context.now())
        else:  # keep conditions that other clients wrote
            conditions = [known[kind] for kind in pod_status.CONDITIONS if kind in known]
        changed = any(_said(condition) != _said(known.get(condition["type"], {})) for condition in conditions)
        if changed or self._statuses.is_behind(pod):
            await self._statuses.patch(pod, {"conditions": conditions})

    async def _run(self, pod: Object) -> None:
        refused = None if _is_admitted(pod) else self._refusal(pod)
        if refused is not None:
            await self._events.record(pod, "Warning", *refused)
            await self._statuses.report(pod, pod_status.rejected(*refused))
            return
        try:
            await self._claims.prepare(pod)
        except PrepareError as problem:
            self._wait(PodKey(self._node, key_of(pod)))
            status = pod_status.waiting(pod, self._addresses.node, self._context.now())
            await self._statuses.report(pod, status)
            message = f"Failed to prepare dynamic resources: {problem}"
            await self._events.record(pod, "Warning", "FailedPrepareDynamicResources", message)
            return
        address = self._addresses.of_pod(pod["metadata"]["uid"])
        status = pod_status.running(pod, self._addresses.node, address, self._context.now())
        if self._health is not None:
            status["containerStatuses"] = self._health.of_pod(pod, status["containerStatuses"])
        await self._statuses.report(pod, status)

    async def _end(self, pod: Object) -> None:
        """Unprepares the claims of a pod that is being deleted, then removes the pod with grace period 0."""
        if not await self._unprepare_or_wait(pod):
            return
        try:
            await self._api.delete(self._pods.resource.path_of(pod), uid=pod["metadata"]["uid"], grace=0)
        except StatusError as problem:
            if not (problem.is_not_found or problem.is_conflict):
                raise

    async def _unprepare_or_wait(self, pod: Object) -> bool:
        try:
            await self._claims.unprepare(pod["metadata"]["uid"])
        except PrepareError as problem:  # a kubelet only logs this problem
            log.warning("pod %s: unprepare dynamic resources: %s", key_of(pod), printable_line(problem))
            self._wait(PodKey(self._node, key_of(pod)))
            return False
        return True

    def _wait(self, key: Key) -> None:
        self._waiting[key] = None
        self._context.add_after(key, RETRY_SECONDS)


def _is_admitted(pod: Object) -> bool:
    """Whether the kubelet has admitted a pod and the pod has not ended."""
    status = pod["status"]
    return "startTime" in status and status.get("phase") not in {"Succeeded", "Failed"}


def _said(condition: Object) -> tuple[Any, ...]:
    return tuple(condition.get(name) for name in ("status", "reason", "message"))
