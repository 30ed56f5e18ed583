"""NodeAgent: the kubelet of one node, with its directory, DRA drivers, prepared claims and pods."""

from pathlib import Path

from fakeapi.atomic_file import make_directory
from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.events import EventRecorder
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.kubelet import checkpoint
from fakeapi.controllers.kubelet import node as nodes
from fakeapi.controllers.kubelet.addresses import NodeAddresses
from fakeapi.controllers.kubelet.claim_preparation import Claims
from fakeapi.controllers.kubelet.containers.configuration import ConfigurationResolver
from fakeapi.controllers.kubelet.containers.runtimes import Runtimes
from fakeapi.controllers.kubelet.driver_texts import shortened
from fakeapi.controllers.kubelet.health_watch import HealthWatch
from fakeapi.controllers.kubelet.keyed_work import KeyedWork
from fakeapi.controllers.kubelet.keys import (
    CheckpointedPodKey,
    DepartedDriverKey,
    DeviceHealthKey,
    DriverKey,
    PublishedKey,
    UnreachableDriverKey,
)
from fakeapi.controllers.kubelet.lifecycle.adopting import Adopter
from fakeapi.controllers.kubelet.lifecycle.pod_containers import PodContainers
from fakeapi.controllers.kubelet.lifecycle.probing import Prober
from fakeapi.controllers.kubelet.lifecycle.starting import Starter
from fakeapi.controllers.kubelet.nri.socket import NriSocket
from fakeapi.controllers.kubelet.pod_admission import AdmittedPods
from fakeapi.controllers.kubelet.pod_worker import PodWorker
from fakeapi.controllers.kubelet.prepared import Prepared
from fakeapi.controllers.kubelet.published import PublishedResources
from fakeapi.controllers.kubelet.registrations import Registrations
from fakeapi.controllers.kubelet.services import SERVICES
from fakeapi.controllers.kubelet.slices import GROUP, PLURAL, NodeSlices
from fakeapi.controllers.kubelet.timers import Timers
from fakeapi.devices.nodes import NodeSpec
from fakeapi.machinery.json_types import Object

PLUGINS = "plugins_registry"
"""Subdirectory of the node's directory where DRA drivers create their registration sockets."""
UNREACHABLE = "FailedDriverConnection"
"""Reason of the Kubernetes event about an unreachable driver socket. A real kubelet only logs the problem."""


class NodeAgent:
    """The kubelet of one node: its driver registrations, prepared claims, ResourceSlices and pods."""

    def __init__(
        self,
        context: ControllerContext,
        pods: Informer,
        node_informer: Informer,
        spec: NodeSpec,
        directory: Path,
        number: int,
        services: Informer,
        timers: Timers,
        runtimes: Runtimes,
        admitted: AdmittedPods,
    ) -> None:
        """Creates the kubelet of one node; `start` starts it.

        - `node_informer`: the informer of the Nodes.
        - `spec`: the name, capacity, labels and taints of the node.
        - `directory`: the directory of the node, for driver sockets and the checkpoint file.
        - `number`: the number of the node in its cluster, starting with 1.
        - `services`: the informer of the Services.
        - `timers`, `runtimes` and `admitted`: objects that all nodes of the server share.
        """
        self.name = name = spec.name
        self._spec = spec
        self.directory = directory
        self.prepared = Prepared()
        self.is_running = True
        self._context = context
        self._pods = pods
        self._api: InProcessClient = context.api("kubelet")
        self._addresses = addresses = NodeAddresses(number)
        self.registrations = self._make_registrations()
        self.slices = NodeSlices(context, self._api, name, self._wipe_later)
        self._published: PublishedResources | None = None
        if context.rules.quirks.kubelet_publishes_slices and context.resource(GROUP, PLURAL) is not None:
            self._published = PublishedResources(context, self._api, name, self._publish_soon)
        health: HealthWatch | None = None
        if HealthWatch.is_on(context):
            health = HealthWatch(context, self.prepared, self._health_changed)
        self._health = health
        claims = Claims(context, self._api, self.registrations, self.prepared, self._keep)
        self._events = EventRecorder(context, self._api, "kubelet", host=name)
        resolver = ConfigurationResolver(
            context, self._api, node_informer, services, self.prepared, directory
        )
        prober = Prober(context, self._events)
        node = (name, addresses.node)
        starter = Starter(context, self._events, runtimes, resolver, prober, node, directory)
        adopter = Adopter(context, runtimes, starter, prober)
        self.containers = containers = PodContainers(context, self._events, timers, starter, adopter, prober)
        self.worker = PodWorker(
            context, self._api, pods, node_informer, admitted, name, addresses, claims, health, containers
        )
        self._nri = NriSocket(directory, name) if context.cluster.settings.nri else None
        self._has_checkpoint = False
        self.work = KeyedWork(context)
        self._extended = nodes.ExtendedResources()

    def _make_registrations(self) -> Registrations:
        context = self._context
        is_on = context.rules.gates.get("DynamicResourceAllocation", False)
        by_handles = context.cluster.catalogue.primary.quirks.drivers_are_called_by_handles
        return Registrations(
            self.registry,
            SERVICES if is_on and not by_handles else (),
            context.spawn,
            self._driver_changed,
            self._unreachable,
            keeps_instances=context.rules.quirks.kubelet_keeps_driver_instances,
        )

    @property
    def registry(self) -> Path:
        """The directory where DRA drivers create their registration sockets."""
        return self.directory / PLUGINS

    @property
    def drivers(self) -> list[str]:
        """The names of the registered DRA drivers, sorted."""
        return sorted(self.registrations.drivers)

    def cdi_devices(self, namespace: str, pod: str) -> list[str]:
        """Returns the CDI device IDs of a pod's prepared claims, in the order of preparation.

        Returns an empty list for an unknown pod.
        """
        pod_object = self._pods.get(namespace, pod)
        if pod_object is None:
            return []
        return [
            cdi for claim in self.prepared.of_pod(pod_object["metadata"]["uid"]) for cdi in claim.cdi_devices
        ]

    async def start(self) -> None:
        """Creates the directories and the Node, and starts the background tasks.

        Raises OSError if a directory cannot be created, and StatusError if a request about the Node fails.
        The directories have the mode 0750, as in k8s.io/kubernetes `pkg/kubelet` (setupDataDirs), because
        drivers run as the user of the kubelet.
        """
        for name in (PLUGINS, "plugins"):
            make_directory(self.directory / name, 0o750)
        if self._nri is not None:
            await self._nri.start()
        await nodes.register(self._context, self._api, self._spec, self._addresses.node)
        self._context.run(nodes.beat(self._context, self._api, self.name, lambda: self.is_running))
        self.slices.start()
        if self._health is not None:
            self._context.run(self._health.run())

    def stop(self) -> None:
        """Closes the NRI socket, and the gRPC streams on which drivers send resources and device health."""
        if self._nri is not None:
            self._nri.stop()
        for streams in (self._published, self._health):
            if streams is not None:
                streams.stop()

    def remember(self) -> None:
        """Loads the checkpoint file of prepared claims.

        From then on, saves every change of prepared claims to the file.
        """
        self._has_checkpoint = True
        for entry in checkpoint.load(self.directory):
            self.prepared.add(entry)
            for pod in entry.pods:
                self._context.add(CheckpointedPodKey(self.name, pod))

    def _keep(self) -> None:
        if self._has_checkpoint:
            checkpoint.save(self.directory, self.prepared)

    async def sync_capacity(self, node: Object | None) -> None:
        """Copies changed extended resources from the Node's capacity to its allocatable resources.

        `node`: None if the Node does not exist. Raises StatusError if the server refuses the patch.
        """
        if node is None:
            return
        changed = self._extended.changed_allocatable(node)
        if changed:
            path = self._context.served("", "nodes").path_of(node, "status")
            await self._api.patch(path, {"status": {"allocatable": changed}}, "strategic")

    async def report_unreachable(self, problem: str) -> None:
        """Records an event on the Node about an unreachable driver socket.

        Raises StatusError if the Node cannot be read.
        """
        node = await self._api.get(self._context.served("", "nodes").path(name=self.name))
        await self._events.record(node, "Warning", UNREACHABLE, shortened(problem))

    async def report_reachable(self) -> None:
        """Writes the Ready condition and the taints of the Node, depending on whether its kubelet runs.

        Raises StatusError if a request fails.
        """
        await nodes.report_reachable(self._context, self._api, self.name, is_reachable=self.is_running)

    def driver_changed(self, name: str) -> None:
        """Updates ResourceSlices and device health after the DRA driver `name` registered or unregistered.

        Retries pods that wait for a driver.
        """
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
        self.worker.retry_waiting()

    def _wipe_later(self, driver: str, seconds: float) -> None:
        key = DepartedDriverKey(self.name, driver)
        if seconds > 0:
            self._context.add_after(key, seconds)
        else:
            self._context.add(key)

    def _publish_soon(self, driver: str) -> None:
        self._context.add(PublishedKey(self.name, driver))

    def _health_changed(self, pods: set[str]) -> None:
        for key, pod in self._pods.objects.items():
            if pod["metadata"]["uid"] in pods:
                self._context.add(DeviceHealthKey(self.name, key))

    async def publish(self, driver: str) -> None:
        """Writes the ResourceSlices of a DRA driver.

        Only kubelets of 1.30 publish slices; in other releases, the method does nothing. Raises StatusError
        if a request fails.
        """
        if self._published is not None:
            await self._published.sync(driver)

    def _driver_changed(self, driver: str) -> None:
        self._context.add(DriverKey(self.name, driver))

    def _unreachable(self, problem: str) -> None:
        self._context.add(UnreachableDriverKey(self.name, problem))
