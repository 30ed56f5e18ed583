"""ServerSimulation: the nodes, simulated drivers and images of a running server."""

from typing import TYPE_CHECKING

from fakeapi.cluster import Cluster
from fakeapi.devices.model import DriverSpec
from fakeapi.devices.node_views import NodeSummary, NodeView
from fakeapi.run_images import RunImage
from fakeapi.testing.server_controllers import ServerControllers

if TYPE_CHECKING:
    from fakeapi.controllers.kubelet.controller import KubeletController


class ServerSimulation:
    """The nodes, simulated drivers and images of a server. Use it only in the event loop of the server."""

    def __init__(self, cluster: Cluster, controllers: ServerControllers) -> None:
        self._cluster = cluster
        self._controllers = controllers

    async def add_driver(self, spec: DriverSpec) -> None:
        """Adds a simulated driver; returns when its slices are published.

        Starts all controllers if the server runs none. Raises DeviceError if the driver cannot run, and
        RuntimeError if controllers run without the kubelet.
        """
        await self._controllers.start_all()
        simulation = self.kubelet().simulation
        await simulation.add(spec)
        await simulation.published()

    async def run_image(self, image: RunImage) -> None:
        """Runs the containers of an image as processes. Starts all controllers if the server runs none.

        Raises RunImageError for more images than the maximum, and RuntimeError if controllers run without the
        kubelet.
        """
        await self._controllers.start_all()
        self.kubelet()
        self._cluster.run_images.add(image)

    async def add_driver_to_node(self, name: str, node: str) -> None:
        """Starts a simulated driver on another node.

        Raises DeviceError for an unknown driver, and RuntimeError if the kubelet controller does not run.
        """
        simulation = self.kubelet().simulation
        await simulation.add_node(name, node)
        await simulation.published()

    def node_summaries(self) -> list[NodeSummary]:
        kubelet = self._find_kubelet()
        return [] if kubelet is None else kubelet.summaries()

    async def set_node_running(self, name: str, *, is_running: bool) -> None:
        kubelet = self._find_kubelet()
        if kubelet is None:
            raise KeyError(name)
        await kubelet.set_running(name, is_running=is_running)

    def node_view(self, name: str) -> NodeView:
        kubelet = self._find_kubelet()
        if kubelet is None:
            raise KeyError(name)
        return kubelet.view(name)

    def kubelet(self) -> "KubeletController":
        """Returns the kubelet controller. Raises RuntimeError if it does not run."""
        kubelet = self._find_kubelet()
        if kubelet is None:
            raise RuntimeError("the controller kubelet does not run: add it to the option `controllers`")
        return kubelet

    def _find_kubelet(self) -> "KubeletController | None":
        """Returns the kubelet controller; None if it does not run.

        Raises RuntimeError if another server of the same database runs the controllers.
        """
        from fakeapi.controllers.kubelet.controller import KubeletController  # noqa: PLC0415 - loaded only when used

        runner = self._controllers.runner
        kubelet = None if runner is None else runner.manager.find("kubelet")
        assert kubelet is None or isinstance(kubelet, KubeletController)
        return kubelet
