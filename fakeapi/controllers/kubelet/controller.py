"""KubeletController: nodes of the server's own, whose pods run once their claims are prepared.

Follows k8s.io/kubernetes `pkg/kubelet` as far as the API and DRA drivers see it. No container is started:
pods are Running until they are deleted, or until somebody writes another phase.
"""

import tempfile
from collections.abc import Coroutine
from datetime import datetime
from pathlib import Path
from typing import Any

from fakeapi.controllers.api import API, Refused
from fakeapi.controllers.controller import Controller, ControllerContext
from fakeapi.controllers.events import EventRecorder
from fakeapi.controllers.informer import Informer, key_of
from fakeapi.controllers.kubelet import checkpoint, pod_status
from fakeapi.controllers.kubelet import node as nodes
from fakeapi.controllers.kubelet.claims import Claims, PrepareError
from fakeapi.controllers.kubelet.health_watch import HealthWatch
from fakeapi.controllers.kubelet.pod_admission import Refusal, refusal
from fakeapi.controllers.kubelet.prepared import Prepared
from fakeapi.controllers.kubelet.published import PublishedResources
from fakeapi.controllers.kubelet.registrations import SERVICES, Registrations
from fakeapi.controllers.kubelet.slices import GROUP, PLURAL, NodeSlices
from fakeapi.controllers.observed_generation import status_observed, tells_generation
from fakeapi.machinery.json_types import Object

RETRY_SECONDS = 10.0
"""Delay before a pod is retried whose claims could not be prepared or unprepared. A driver that registers
ends the wait."""

READY_TO_START = "PodReadyToStartContainers"
READY_GATE = "PodReadyToStartContainersCondition"

PLUGINS = "plugins_registry"
"""The directory below that of the node in which drivers create their registration sockets."""


class KubeletController(Controller):
    name = "kubelet"

    async def start(self) -> None:
        context = self.context
        settings = context.cluster.settings
        pods = context.resource("", "pods")
        assert pods is not None, "pods are served by every release"
        self.nodes: dict[str, NodeAgent] = {}
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        if settings.kubelet_directory is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="fakeapi-nodes-", ignore_cleanup_errors=True)
            root = Path(self._temporary.name)
        else:
            root = Path(settings.kubelet_directory)
        self._pods: Informer = context.informer(pods)
        for number, name in enumerate(_names(settings.nodes), 1):
            agent = NodeAgent(context, self._pods, name, root / name, f"10.0.0.{number}", number)
            if self._temporary is None:
                agent.remember()
            self.nodes[name] = agent
            await agent.start()
        self._pods.on_change(self._pod_changed)
        machines = context.resource("", "nodes")
        assert machines is not None, "nodes are served by every release"
        self._machines: Informer = context.informer(machines)
        self._machines.on_change(self._node_changed)

    async def stop(self) -> None:
        for agent in self.nodes.values():
            agent.stop()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _pod_changed(self, old: Object | None, new: Object | None) -> None:
        pod = new or old or {}
        node = pod["spec"].get("nodeName")
        if node not in self.nodes:
            return
        if old is not None and (new is None or new["metadata"]["uid"] != old["metadata"]["uid"]):
            self.context.add((node, "gone", old["metadata"]["uid"]))
        if new is not None:
            self.context.add((node, "pod", key_of(new)))

    def _node_changed(self, old: Object | None, new: Object | None) -> None:
        name = (new or old or {})["metadata"]["name"]
        if name in self.nodes and new is not None:
            self.context.add((name, "capacity", ""))

    async def reconcile(self, key: Any) -> None:
        node, kind, which = key
        agent = self.nodes[node]
        if kind == "capacity":
            await agent.sync_capacity(self._machines.get("", node))
            return
        if kind == "gone":
            agent.spawn(f"gone/{which}", agent.unprepare(which))
        elif kind == "remembered":
            if all(pod["metadata"]["uid"] != which for pod in self._pods.objects.values()):
                self.context.add((node, "gone", which))
        elif kind == "driver":
            agent.driver_changed(which)
        elif kind == "wipe":
            await agent.slices.wipe(which)
        elif kind == "publish":
            await agent.publish(which)
        elif kind == "health":
            pod = self._pods.objects.get(which)
            if pod is not None:
                await agent.show_health(pod)
        else:
            pod = self._pods.objects.get(which)
            if pod is not None:
                agent.spawn(which, agent.sync(pod))


class NodeAgent:
    """One node: its directory, drivers, prepared claims and pods."""

    def __init__(
        self,
        context: ControllerContext,
        pods: Informer,
        name: str,
        directory: Path,
        address: str,
        number: int,
    ) -> None:
        self.name = name
        self.directory = directory
        self.prepared = Prepared()
        self._context = context
        self._pods = pods
        self._address = address
        self._number = number
        self._api: API = context.api("kubelet")
        self._events = EventRecorder(context, self._api, "kubelet", host=name)
        services = SERVICES if context.rules.gates.get("DynamicResourceAllocation", False) else ()
        if context.cluster.catalogue.primary.quirks.drivers_are_called_by_handles:
            services = ()
        self.registrations = Registrations(
            directory / PLUGINS,
            services,
            context.spawn,
            self._driver_changed,
            keeps_instances=context.rules.quirks.kubelet_keeps_driver_instances,
        )
        self.slices = NodeSlices(context, self._api, name, self._wipe_later)
        self._published: PublishedResources | None = None
        if context.rules.quirks.kubelet_publishes_slices and context.resource(GROUP, PLURAL) is not None:
            self._published = PublishedResources(context, self._api, name, self._publish_soon)
        self._health: HealthWatch | None = None
        if HealthWatch.is_on(context):
            self._health = HealthWatch(context, self.prepared, self._health_changed)
        self._claims = Claims(context, self._api, self.registrations, self.prepared, self._keep)
        self._has_checkpoint = False
        self._busy: set[str] = set()
        self._again: set[str] = set()
        self._waiting: dict[str, None] = {}
        self._addresses: dict[str, str] = {}
        self._extended = nodes.ExtendedResources()

    @property
    def registry(self) -> Path:
        """The directory in which drivers create their registration sockets."""
        return self.directory / PLUGINS

    @property
    def drivers(self) -> list[str]:
        """The names of the registered drivers."""
        return sorted(self.registrations.drivers)

    def cdi_devices(self, namespace: str, pod: str) -> list[str]:
        """CDI device IDs of a pod's prepared claims, in the order in which these were prepared."""
        found = self._pods.get(namespace, pod)
        if found is None:
            return []
        return [cdi for each in self.prepared.of_pod(found["metadata"]["uid"]) for cdi in each.cdi_devices]

    async def start(self) -> None:
        """Makes the directories and the Node. Raises OSError, Refused."""
        (self.directory / PLUGINS).mkdir(parents=True, exist_ok=True)
        (self.directory / "plugins").mkdir(exist_ok=True)
        await nodes.register(self._context, self._api, self.name, self._address)
        self._context.run(nodes.beat(self._context, self._api, self.name))
        self.slices.start()
        self._context.run(self.registrations.run())
        if self._health is not None:
            self._context.run(self._health.run())

    def stop(self) -> None:
        """Ends the streams from drivers."""
        for streams in (self._published, self._health):
            if streams is not None:
                streams.stop()

    def remember(self) -> None:
        """Loads the checkpoint of prepared claims, and keeps it up to date from now on."""
        self._has_checkpoint = True
        for entry in checkpoint.load(self.directory):
            self.prepared.add(entry)
            for pod in entry.pods:
                self._context.add((self.name, "remembered", pod))

    def _keep(self) -> None:
        if self._has_checkpoint:
            checkpoint.save(self.directory, self.prepared)

    async def sync_capacity(self, node: Object | None) -> None:
        """Lets pods have the extended resources that were added to the node. Raises Refused."""
        if node is None:
            return
        changed = self._extended.changed_allocatable(node)
        if changed:
            machines = self._context.resource("", "nodes")
            assert machines is not None, "nodes are served by every release"
            await self._api.patch(
                machines.path_of(node, "status"), {"status": {"allocatable": changed}}, "strategic"
            )

    def spawn(self, key: str, work: Coroutine[Any, Any, None]) -> None:
        """Runs work for a key; if some runs already, the key is queued again when that ends."""
        if key in self._busy:
            work.close()
            self._again.add(key)
            return
        self._busy.add(key)
        self._context.spawn(self._guarded(key, work))

    async def _guarded(self, key: str, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        finally:
            self._busy.discard(key)
            if key in self._again:
                self._again.discard(key)
                self._context.add((self.name, "pod", key))

    def driver_changed(self, name: str) -> None:
        """Retries pods that wait for their claims, and updates the slices of a driver that came or went."""
        driver = self.registrations.drivers.get(name)
        self.slices.driver_is(name, registered=driver is not None)
        if self._published is not None:
            if driver is None:
                self._published.driver_went(name)
            else:
                self._published.driver_came(driver)
        if self._health is not None:
            if driver is None:
                self._health.driver_went(name)
            else:
                self._health.driver_came(driver)
        waiting, self._waiting = self._waiting, {}
        for key in waiting:
            self._context.add((self.name, "pod", key))

    def _wipe_later(self, driver: str, seconds: float) -> None:
        key = (self.name, "wipe", driver)
        if seconds > 0:
            self._context.add_after(key, seconds)
        else:
            self._context.add(key)

    def _publish_soon(self, driver: str) -> None:
        self._context.add((self.name, "publish", driver))

    def _health_changed(self, pods: set[str]) -> None:
        for key, pod in self._pods.objects.items():
            if pod["metadata"]["uid"] in pods:
                self._context.add((self.name, "health", key))

    async def show_health(self, pod: Object) -> None:
        """Writes the health of a running pod's devices to its status, where it changed. Raises Refused."""
        if self._health is None or pod["status"].get("phase") != "Running":
            return
        known = pod["status"].get("containerStatuses") or []
        shown = self._health.of_pod(pod, known)
        if shown != known:
            await self._patch_status(pod, {"containerStatuses": shown})

    async def publish(self, driver: str) -> None:
        """Writes ResourceSlices of a driver of 1.30, which publishes through the kubelet. Raises Refused."""
        if self._published is not None:
            await self._published.sync(driver)

    def _driver_changed(self, driver: str) -> None:
        self._context.add((self.name, "driver", driver))

    async def sync(self, pod: Object) -> None:
        """Runs a pod, ends one that is being deleted, or unprepares the claims of a finished one. Raises
        Refused.
        """
        if "deletionTimestamp" in pod["metadata"]:
            await self._end(pod)
        elif pod["status"].get("phase") in {"Succeeded", "Failed"}:
            await self._unprepare_or_wait(pod)
        elif not await self._fail_if_late(pod):
            if pod["status"].get("phase") != "Running":
                await self._run(pod)
            elif pod["spec"].get("readinessGates") or self._is_behind(pod):
                await self._report_readiness(pod)

    def _refusal(self, pod: Object) -> Refusal | None:
        cluster = self._context.cluster
        node = cluster.store.admission.objects.get("", "nodes", "", self.name)
        if node is None:
            return None
        others = (
            each
            for each in self._pods.objects.values()
            if each["spec"].get("nodeName") == self.name and _is_admitted(each)
        )
        return refusal(pod, node, others, self._context.rules.quirks)

    async def _fail_if_late(self, pod: Object) -> bool:
        """Fails a pod that is past its activeDeadlineSeconds, and comes back when it will be."""
        seconds, start = pod["spec"].get("activeDeadlineSeconds"), pod["status"].get("startTime")
        if seconds is None or start is None:
            return False
        running = datetime.fromisoformat(self._context.now()) - datetime.fromisoformat(start)
        left = seconds - running.total_seconds()
        if left > 0:
            self._context.add_after((self.name, "pod", key_of(pod)), left)
            return False
        await self._events.record(pod, "Normal", pod_status.DEADLINE_EXCEEDED, pod_status.DEADLINE_MESSAGE)
        await self._report(pod, pod_status.late(pod, self._context.now()))
        return True

    def _is_behind(self, pod: Object) -> bool:
        """Whether a running pod has changed since its status was written."""
        generation = pod["metadata"].get("generation", 0)
        is_told = tells_generation(self._context.rules.gates, pod)
        return is_told and pod["status"].get("observedGeneration") != generation

    async def _report_readiness(self, pod: Object) -> None:
        known = {each["type"]: each for each in pod["status"].get("conditions") or ()}
        if pod["spec"].get("readinessGates"):
            conditions = pod_status.running_conditions(pod, self._context.now())
        else:  # what somebody wrote stays
            conditions = [known[kind] for kind in pod_status.CONDITIONS if kind in known]
        changed = any(_said(each) != _said(known.get(each["type"], {})) for each in conditions)
        if changed or self._is_behind(pod):
            await self._patch_status(pod, {"conditions": conditions})

    async def _run(self, pod: Object) -> None:
        refused = None if _is_admitted(pod) else self._refusal(pod)
        if refused is not None:
            await self._events.record(pod, "Warning", *refused)
            await self._report(pod, pod_status.rejected(*refused))
            return
        try:
            await self._claims.prepare(pod)
        except PrepareError as problem:
            self._wait(key_of(pod))
            status = pod_status.waiting(pod, self._address, self._context.now())
            await self._report(pod, status)
            message = f"Failed to prepare dynamic resources: {problem}"
            await self._events.record(pod, "Warning", "FailedPrepareDynamicResources", message)
            return
        address = self._pod_address(pod["metadata"]["uid"])
        status = pod_status.running(pod, self._address, address, self._context.now())
        if self._health is not None:
            status["containerStatuses"] = self._health.of_pod(pod, status["containerStatuses"])
        await self._report(pod, status)

    def _pod_address(self, uid: str) -> str:
        """The IP address of a pod; assigned when first asked for."""
        if uid not in self._addresses:
            number = len(self._addresses)
            self._addresses[uid] = f"10.{self._number}.{number // 250 % 256}.{number % 250 + 2}"
        return self._addresses[uid]

    async def _end(self, pod: Object) -> None:
        """Unprepares the claims of a pod that is being deleted, and deletes it with grace period 0."""
        if not await self._unprepare_or_wait(pod):
            return
        pods = self._context.resource("", "pods")
        assert pods is not None, "pods are served by every release"
        try:
            await self._api.delete(pods.path_of(pod), uid=pod["metadata"]["uid"], grace=0)
        except Refused as problem:
            if not (problem.is_missing or problem.is_conflict):
                raise

    async def _unprepare_or_wait(self, pod: Object) -> bool:
        try:
            await self._claims.unprepare(pod["metadata"]["uid"])
        except PrepareError as problem:
            self._wait(key_of(pod))
            message = f"error killing pod: unprepare dynamic resources: {problem}"
            await self._events.record(pod, "Warning", "FailedKillPod", message)
            return False
        return True

    async def unprepare(self, uid: str) -> None:
        """Unprepares the claims of a pod that no longer exists, by its uid; retried later if it fails."""
        try:
            await self._claims.unprepare(uid)
        except PrepareError:
            self._context.add_after((self.name, "gone", uid), RETRY_SECONDS)

    def _wait(self, key: str) -> None:
        self._waiting[key] = None
        self._context.add_after((self.name, "pod", key), RETRY_SECONDS)

    async def _report(self, pod: Object, status: Object) -> None:
        known = pod["status"]
        if all(known.get(name) == value for name, value in status.items() if name != "conditions") and (
            known.get("phase") == status["phase"]
        ):
            return
        await self._patch_status(pod, status)

    async def _patch_status(self, pod: Object, status: Object) -> None:
        gates = self._context.rules.gates
        if "conditions" in status:
            status = pod_status.ordered(
                pod, status, without=() if gates.enabled(READY_GATE) else (READY_TO_START,)
            )
        status = status_observed(gates, pod, status)
        pods = self._context.resource("", "pods")
        assert pods is not None, "pods are served by every release"
        patch = {"metadata": {"uid": pod["metadata"]["uid"]}, "status": status}
        try:
            await self._api.patch(pods.path_of(pod, "status"), patch, "strategic")
        except Refused as problem:
            if not (problem.is_missing or problem.is_conflict):
                raise


def _is_admitted(pod: Object) -> bool:
    """Whether the kubelet has taken a pod, which has not ended since."""
    status = pod["status"]
    return "startTime" in status and status.get("phase") not in {"Succeeded", "Failed"}


def _said(condition: Object) -> tuple[Any, ...]:
    return tuple(condition.get(name) for name in ("status", "reason", "message"))


def _names(text: str) -> list[str]:
    return [name for name in (each.strip() for each in text.split(",")) if name]
