"""DriverMethods: the methods of FakeAPI for simulated DRA drivers."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakeapi.testing.server_methods import ServerMethods

if TYPE_CHECKING:
    from fakeapi.testing.simulated_drivers import Nodes, SimulatedDriver


class DriverMethods(ServerMethods):
    """The methods of FakeAPI that add, stop and return simulated DRA drivers and their nodes."""

    def add_driver(
        self,
        driver: str | Path | Mapping[str, Any],
        *,
        nodes: "Nodes | None" = None,
        count: int | None = None,
        devices: Sequence[Mapping[str, Any]] | None = None,
        attributes: Mapping[str, Any] | None = None,
        capacity: Mapping[str, Any] | None = None,
    ) -> "SimulatedDriver":
        """Adds a simulated DRA driver; returns when its ResourceSlices are published.

            api.add_driver("gpu.example.com", nodes={"a": 8, "b": 4}, attributes={"model": "A100"})

        Creates nodes that do not exist, and a DeviceClass with the name of the driver. Starts all controllers
        if the server runs none.

        - `driver`: the name of the driver, the name of a preset, or a description as in docs/devices.md.
        - `nodes`: the nodes with the driver, with numbers or lists of devices; None for all nodes.
        - `count`: the number of devices on each node without a number.
        - `devices`: the devices of each node, as templates in the layout of resource.k8s.io/v1.
        - `attributes` and `capacity`: values for all devices, such as {"memory": "80Gi"}.

        Raises ValueError if the description is invalid, if the release lacks a feature, or if the server
        refuses the slices. Raises RuntimeError if the server does not run, or if it runs controllers without
        the kubelet.
        """
        from fakeapi.devices.model import DeviceError  # noqa: PLC0415 - loaded only when used
        from fakeapi.devices.reading import specs_of  # noqa: PLC0415 - loaded only when used
        from fakeapi.testing import simulated_drivers  # noqa: PLC0415 - loaded only when used

        description = simulated_drivers.description_of(driver, nodes, count, devices, attributes, capacity)
        specs = specs_of(description)
        if len(specs) != 1:
            raise DeviceError(f"add_driver adds one driver, but the description has {len(specs)}")
        server = self._running()
        server.call(lambda: server.simulation.add_driver(specs[0]))
        return simulated_drivers.SimulatedDriver(server, specs[0].name)

    def stop_node(self, name: str) -> None:
        """Stops the kubelet of a node, as if its machine were switched off.

        The Node becomes NotReady and gets the taints of an unreachable node at once. Its pods stay, and the
        kubelet prepares and unprepares no claims until `start_node`. Raises KeyError for an unknown node, and
        RuntimeError if the kubelet controller does not run.
        """
        server = self._running()
        server.call(lambda: server.kubelet.set_running(name, is_running=False))

    def start_node(self, name: str) -> None:
        """Starts the kubelet of a stopped node. The kubelet then acts on all missed changes.

        Raises KeyError for an unknown node, and RuntimeError if the kubelet controller does not run.
        """
        server = self._running()
        server.call(lambda: server.kubelet.set_running(name, is_running=True))

    def driver(self, name: str) -> "SimulatedDriver":
        """Returns a simulated driver by name. The option `drivers` or `add_driver` has added the driver.

        Raises ValueError for an unknown name, and RuntimeError if the server does not run.
        """
        from fakeapi.testing.simulated_drivers import SimulatedDriver  # noqa: PLC0415 - loaded only when used

        server = self._running()
        server.check_driver(name)
        return SimulatedDriver(server, name)
