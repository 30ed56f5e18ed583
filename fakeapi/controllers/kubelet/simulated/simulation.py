"""Simulation: runs the simulated drivers of the server on the nodes of the kubelet controller."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cached_property

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.kubelet.agent import NodeAgent
from fakeapi.controllers.kubelet.keys import SimulatedSlicesKey
from fakeapi.controllers.kubelet.simulated.binding import BindingConditions
from fakeapi.controllers.kubelet.simulated.cdi_files import CDIFiles
from fakeapi.controllers.kubelet.simulated.plugin import SIMULATED, SimulatedPlugin
from fakeapi.controllers.kubelet.simulated.publisher import SlicePublisher
from fakeapi.controllers.kubelet.simulated.slices import check_gates, check_taints, parts_of
from fakeapi.devices.model import ClassSpec, DeviceError, DriverSpec
from fakeapi.devices.simulated import Event, SimulatedDriver

GROUP = "resource.k8s.io"
GATE = "DynamicResourceAllocation"


class Simulation:
    """Runs the simulated drivers of the server on the nodes of the kubelet controller.

    - `agents`: the nodes of the kubelet controller by name.
    - `make_node`: creates a node and starts its kubelet.
    """

    def __init__(
        self,
        context: ControllerContext,
        agents: Mapping[str, NodeAgent],
        nodes: Informer,
        make_node: Callable[[str], Awaitable[None]],
    ) -> None:
        self._context = context
        self._agents = agents
        self._nodes = nodes
        self._make_node = make_node
        self._drivers = context.cluster.drivers
        self._plugins: dict[tuple[str, str], SimulatedPlugin] = {}
        self._clients: dict[str, InProcessClient] = {}
        self._unpublished: set[tuple[str, str]] = set()
        self._progress = asyncio.Event()

    @cached_property
    def _claims(self) -> ServedResource:
        return self._resource("resourceclaims")

    @cached_property
    def _publisher(self) -> SlicePublisher:
        return SlicePublisher(
            self._context, self._resource("resourceslices"), self._nodes, self._publish_soon
        )

    @cached_property
    def binding(self) -> BindingConditions:
        """The reports of binding conditions."""
        return BindingConditions(self._context, self._claims, self._drivers, self._client)

    def _resource(self, plural: str) -> ServedResource:
        resource = self._context.resource(GROUP, plural)
        assert resource is not None, "the release was checked"
        return resource

    async def start(self) -> None:
        """Starts the drivers that were added before the controllers started.

        Raises DeviceError if a driver cannot run.
        """
        self._drivers.listen(self._changed, lambda device: check_taints(device, self._context.rules))
        for driver in list(self._drivers.by_name.values()):
            await self._prepare_cluster(driver.spec, driver.nodes)
            for node in driver.running_nodes():
                self._register(driver, node)

    def stop(self) -> None:
        """Stops listening to changes of drivers."""
        self._drivers.listen(None)

    async def add(self, spec: DriverSpec) -> SimulatedDriver:
        """Adds a driver and starts it. Returns the driver. Await `published` to wait for its ResourceSlices.

        Creates missing nodes and DeviceClasses. Raises DeviceError if the driver cannot run.
        """
        nodes = list(spec.nodes or self._agents)
        await self._prepare_cluster(spec, nodes)
        return self._drivers.add(spec, nodes)

    async def add_node(self, name: str, node: str) -> None:
        """Starts a driver on another node, and creates the node if it does not exist.

        Raises DeviceError for an unknown driver.
        """
        driver = self._drivers[name]
        if node not in self._agents:
            await self._make_node(node)
        driver.add_node(node)

    async def published(self) -> None:
        """Waits until the slices of all drivers are published once, or cannot be published."""
        while self._unpublished:
            self._progress.clear()
            await self._progress.wait()

    async def _prepare_cluster(self, spec: DriverSpec, nodes: Iterable[str]) -> None:
        """Checks a driver against the release, and creates its missing nodes and DeviceClasses.

        Raises DeviceError if the release rejects the driver.
        """
        self._check_release()
        names = list(nodes)
        for node in names:
            if node not in self._agents:
                await self._make_node(node)
        example = SimulatedDriver(spec, names[:1], lambda *_: None)
        try:
            for node in example.nodes:
                pool = example.pool_on(node)
                assert pool is not None, "a new driver runs"
                check_gates(parts_of(pool, self._context.rules), self._context.rules)
                await self._publisher.check(self._client(spec.name), node, spec.name, pool)
            for device_class in spec.classes:
                await self._create_class(spec.name, device_class)
        except DeviceError as error:
            raise DeviceError(f"{spec.name}: {error}") from None
        except StatusError as error:
            raise DeviceError(f"{spec.name}: {error.message}") from None

    def _check_release(self) -> None:
        rules, release = self._context.rules, self._context.cluster.settings.release
        if not rules.gates.get(GATE, False):
            raise DeviceError(f"release {release} has {GATE} off: set feature_gates={GATE}=true")
        if self._context.cluster.catalogue.primary.quirks.drivers_are_called_by_handles:
            raise DeviceError(f"simulated drivers need release 1.31 or newer, not {release}")

    async def _create_class(self, driver: str, device_class: ClassSpec) -> None:
        """Creates a DeviceClass if no class has its name. Raises StatusError if the server rejects the
        class.
        """
        classes = self._resource("deviceclasses")
        body = {
            "apiVersion": classes.api_version,
            "kind": classes.kind,
            "metadata": {"name": device_class.name},
            "spec": device_class.spec,
        }
        try:
            await self._client(driver).create(classes.path(), body)
        except StatusError as problem:
            if not problem.is_already_exists:
                raise

    def _client(self, driver: str) -> InProcessClient:
        if driver not in self._clients:
            self._clients[driver] = self._context.api(driver)
        return self._clients[driver]

    # changes of drivers ------------------------------------------------------------------------------

    def _changed(self, event: Event, name: str, node: str) -> None:
        driver = self._drivers.by_name[name]
        plugin = self._plugins.get((node, name))
        if event == "registration":
            if driver.nodes[node].is_running:
                self._register(driver, node)
            else:
                self._unregister(name, node)
        elif event == "restart":
            self._unregister(name, node)
            self._register(driver, node)
        elif plugin is not None:
            plugin.report_health()
            if event == "devices":
                self._publish_soon(node, name)

    def _register(self, driver: SimulatedDriver, node: str) -> None:
        agent = self._agents.get(node)
        if agent is None or (node, driver.name) in self._plugins:
            return
        cdi = CDIFiles(agent.directory, node, driver.spec)
        plugin = SimulatedPlugin(self._context, self._client(driver.name), self._claims, driver, node, cdi)
        self._plugins[node, driver.name] = plugin
        if any(state.device.get("bindingConditions") for state in driver.nodes[node].devices.values()):
            _ = self.binding  # Reading this property creates BindingConditions, which watches the claims.
        agent.registrations.add(SIMULATED, plugin)
        self._unpublished.add((node, driver.name))
        self._publish_soon(node, driver.name)

    def _unregister(self, name: str, node: str) -> None:
        plugin = self._plugins.pop((node, name), None)
        if plugin is not None:
            plugin.break_calls()
            self._publisher.forget(node, name)
            self._agents[node].registrations.remove(SIMULATED, name)

    def _publish_soon(self, node: str, driver: str) -> None:
        self._context.add(SimulatedSlicesKey(node, driver))

    async def publish(self, node: str, name: str) -> None:
        """Publishes the slices of a driver on a node; does nothing if the driver does not run there.

        Raises StatusError if a request fails.
        """
        driver = self._drivers.by_name.get(name)
        pool = None if driver is None else driver.pool_on(node)
        try:
            if pool is not None and (node, name) in self._plugins:
                await self._publisher.publish(self._client(name), node, name, pool)
        finally:
            self._unpublished.discard((node, name))
            self._progress.set()
