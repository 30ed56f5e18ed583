"""PodWorker: runs and ends the pods of one node, and retries if a step fails.

Follows k8s.io/kubernetes `pkg/kubelet` (SyncPod, SyncTerminatingPod, SyncTerminatedPod). Container runtimes
run the containers. With containers that start at once, a pod is Running as soon as its claims are prepared.
"""

import logging

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.events import EventRecorder
from fakeapi.controllers.informer import Informer, key_of
from fakeapi.controllers.kubelet import pod_status
from fakeapi.controllers.kubelet.addresses import NodeAddresses
from fakeapi.controllers.kubelet.claim_preparation import Claims, PrepareError
from fakeapi.controllers.kubelet.health_watch import HealthWatch
from fakeapi.controllers.kubelet.keys import DeletedPodKey, Key, PodKey
from fakeapi.controllers.kubelet.lifecycle.pod_containers import PodContainers
from fakeapi.controllers.kubelet.lifecycle.state import PodState
from fakeapi.controllers.kubelet.lifecycle.stopping import grace_of
from fakeapi.controllers.kubelet.pod_admission import AdmittedPods, Refusal, refusal, was_admitted
from fakeapi.controllers.kubelet.status_writer import StatusWriter
from fakeapi.controllers.workloads.pods import has_ended
from fakeapi.machinery.golang.times import seconds_of
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
        admitted: AdmittedPods,
        node: str,
        addresses: NodeAddresses,
        claims: Claims,
        health: HealthWatch | None,
        containers: PodContainers,
    ) -> None:
        self._context = context
        self._api = api
        self._pods = pods
        self._node_informer = node_informer
        self._admitted = admitted
        self._node = node
        self._addresses = addresses
        self._claims = claims
        self._health = health
        self._containers = containers
        self._statuses = StatusWriter(context, api)
        self._events = EventRecorder(context, api, "kubelet", host=node)
        self._waiting: dict[Key, None] = {}

    async def sync(self, pod: Object) -> None:
        """Runs a pod, ends a deleted pod, or unprepares the claims of a finished pod.

        Raises StatusError if a request to the server fails.
        """
        key = PodKey(self._node, key_of(pod))
        self._waiting.pop(key, None)
        async with self._containers.syncing(pod, lambda: self._context.add(key)) as state:
            if "deletionTimestamp" in pod["metadata"]:
                await self._end(state)
            elif has_ended(pod):
                if await self._containers.stop(state, grace_of(pod)):
                    await self._finish_verdict(state)
                    await self._unprepare_or_wait(pod)
            elif await self._is_admitted(state):
                await self._run(state)

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
        """Stops the containers of a deleted pod and unprepares its claims. `uid`: the uid of the pod.

        Logs a failure, and retries after RETRY_SECONDS.
        """
        self._addresses.release(uid)
        key = DeletedPodKey(self._node, uid)
        self._waiting.pop(key, None)
        if not await self._containers.stop_deleted(uid, lambda: self._context.add(key)):
            return
        try:
            await self._claims.unprepare(uid)
        except PrepareError as problem:
            log.warning("pod with UID %s: unprepare dynamic resources: %s", uid, printable_line(problem))
            self._wait(key, problem)

    async def _is_admitted(self, state: PodState) -> bool:
        """Whether the node admits a pod.

        Writes the reason to the status of a rejected pod, and records an event.
        """
        refused = None if was_admitted(state.pod) else self._refusal(state.pod)
        if refused is not None:
            await self._events.record(state.pod, "Warning", *refused)
            await self._statuses.report(state.pod, pod_status.rejected(*refused))
        return refused is None

    def _refusal(self, pod: Object) -> Refusal | None:
        node = self._node_informer.get("", self._node)
        if node is None:
            return None
        return refusal(pod, self._admitted.on_node(node), self._context.rules.quirks)

    async def _run(self, state: PodState) -> None:
        """Prepares the claims of a pod, advances its containers and writes its status."""
        pod = state.pod
        if state.verdict is None:
            await self._check_deadline(state)
        if state.verdict is not None:
            is_stopped = await self._containers.stop(state, grace_of(pod))
            await self._report(state, is_terminal=is_stopped)
            return
        if not state.is_set_up and not await self._set_up(state):
            return
        is_over = await self._containers.advance(state, self._address(state))
        await self._report(state, is_terminal=is_over)

    async def _set_up(self, state: PodState) -> bool:
        """Prepares the claims of a pod. Returns False after a failure, and retries later.

        Writes the pod's status and records the event FailedPrepareDynamicResources after a failure.
        """
        pod = state.pod
        try:
            await self._claims.prepare(pod)
        except PrepareError as problem:
            self._wait(PodKey(self._node, key_of(pod)), problem)
            await self._report(state)
            message = f"Failed to prepare dynamic resources: {problem}"
            await self._events.record(pod, "Warning", "FailedPrepareDynamicResources", message)
            return False
        state.is_set_up = True
        return True

    async def _check_deadline(self, state: PodState) -> None:
        """Ends a pod that has run longer than its activeDeadlineSeconds.

        If the pod's deadline is in the future, plans a sync at that time.
        """
        pod = state.pod
        seconds, start = pod["spec"].get("activeDeadlineSeconds"), pod["status"].get("startTime")
        if seconds is None:
            state.deadline = None
            return
        if start is None:
            state.deadline = self._context.clock.monotonic() + seconds
            return
        left = seconds_of(start) + seconds - seconds_of(self._context.now())
        state.deadline = self._context.clock.monotonic() + left
        if left <= 0:
            await self._events.record(
                pod, "Normal", pod_status.DEADLINE_EXCEEDED, pod_status.DEADLINE_MESSAGE
            )
            state.verdict = "Failed", pod_status.DEADLINE_EXCEEDED, pod_status.DEADLINE_MESSAGE

    async def _report(self, state: PodState, *, is_terminal: bool = False) -> None:
        """Writes the status of a pod if it differs from the last status that this kubelet wrote."""
        pod = state.pod
        address = self._address(state) if state.is_set_up else ""
        status = pod_status.status_of(
            state, self._addresses.node, address, self._context.now(), is_terminal=is_terminal
        )
        if self._health is not None and state.is_set_up:
            status["containerStatuses"] = self._health.of_pod(pod, status["containerStatuses"])
        reported = pod_status.without_times(status)
        if state.reported is None and self._statuses.has(pod, status):
            state.reported = reported
        if reported != state.reported:
            await self._statuses.patch(pod, status)
            state.reported = reported
        elif self._statuses.is_behind(pod):
            await self._statuses.patch(pod, pod_status.known_conditions(pod))

    def _address(self, state: PodState) -> str:
        """Returns the IP address of a pod. The address stays the same after a restart of the kubelet."""
        if state.pod["spec"].get("hostNetwork"):
            return self._addresses.node
        known: str = state.pod["status"].get("podIP", "")
        return known or self._addresses.of_pod(state.uid)

    async def _end(self, state: PodState) -> None:
        """Ends a deleted pod: stops its containers, unprepares its claims and deletes the object.

        Writes a last status only if clients can see it: if stopping the containers takes time, or if
        finalizers keep the object.
        """
        pod = state.pod
        took_time = state.is_ending
        is_stopped = await self._containers.stop(state, grace_of(pod))
        is_seen = took_time or not is_stopped or pod["metadata"].get("finalizers")
        if is_seen and state.has_run and not has_ended(pod):
            await self._report(state, is_terminal=is_stopped)
        if not is_stopped or not await self._unprepare_or_wait(pod):
            return
        try:
            await self._api.delete(self._pods.resource.path_of(pod), uid=pod["metadata"]["uid"], grace=0)
        except StatusError as problem:
            if not (problem.is_not_found or problem.is_conflict):
                raise

    async def _finish_verdict(self, state: PodState) -> None:
        """Writes the last container statuses of a pod that the kubelet itself ended."""
        if state.verdict is not None:
            await self._report(state, is_terminal=True)

    async def _unprepare_or_wait(self, pod: Object) -> bool:
        try:
            await self._claims.unprepare(pod["metadata"]["uid"])
        except PrepareError as problem:  # the real kubelet only logs this error
            log.warning("pod %s: unprepare dynamic resources: %s", key_of(pod), printable_line(problem))
            self._wait(PodKey(self._node, key_of(pod)), problem)
            return False
        return True

    def _wait(self, key: Key, problem: PrepareError) -> None:
        """Counts a failed call of a driver, and retries the key later."""
        self._context.count_failure(key, problem)
        self._waiting[key] = None
        self._context.add_after(key, RETRY_SECONDS)
