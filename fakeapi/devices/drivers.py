"""Keeps the simulated DRA drivers of one server."""

from collections.abc import Iterable

from fakeapi.devices.model import DRIVERS_MAX, DeviceError, DriverSpec
from fakeapi.devices.simulated import Check, Event, Listener, SimulatedDriver
from fakeapi.machinery.json_types import Object


class SimulatedDrivers:
    """The simulated DRA drivers of one server, by name.

    Call all methods in the event loop of the server. The kubelet controller listens to changes of the
    drivers.
    """

    def __init__(self) -> None:
        self.by_name: dict[str, SimulatedDriver] = {}
        self._listener: Listener | None = None
        self._check: Check | None = None

    def listen(self, listener: Listener | None, check: Check | None = None) -> None:
        """Sets the only listener for the changes of all drivers. None removes the listener.

        `check`: raises DeviceError for a device if the release does not accept its taints. None accepts all
        taints.
        """
        self._listener, self._check = listener, check

    def __getitem__(self, name: str) -> SimulatedDriver:
        """Returns the driver with this name. Raises DeviceError for an unknown name."""
        try:
            return self.by_name[name]
        except KeyError:
            raise DeviceError(f"no simulated driver {name}") from None

    def add(self, spec: DriverSpec, nodes: Iterable[str]) -> SimulatedDriver:
        """Adds a driver and starts it on its nodes. `nodes`: the nodes to use if `spec` names no nodes.

        Raises DeviceError if a driver of this name exists, if the server has DRIVERS_MAX drivers, or if the
        templates of devices are invalid.
        """
        if spec.name in self.by_name:
            raise DeviceError(f"the simulated driver {spec.name} exists already")
        if len(self.by_name) >= DRIVERS_MAX:
            raise DeviceError(f"a server has at most {DRIVERS_MAX} simulated drivers; remove one first")
        driver = SimulatedDriver(spec, list(spec.nodes or nodes), self._changed, self._check_taints)
        self.by_name[spec.name] = driver
        for node in driver.nodes:
            self._changed("registration", spec.name, node)
        return driver

    def remove(self, name: str) -> None:
        """Stops a driver on all nodes and removes it. Raises DeviceError for an unknown name."""
        self[name].set_running("", is_running=False)
        del self.by_name[name]

    def clear(self) -> None:
        """Removes all drivers without notifying the listener, for a new cluster."""
        self.by_name.clear()

    def _changed(self, event: Event, driver: str, node: str) -> None:
        if self._listener is not None:
            self._listener(event, driver, node)

    def _check_taints(self, device: Object) -> None:
        if self._check is not None:
            self._check(device)
