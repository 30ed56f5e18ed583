"""SimulatedDriver: the interface of a simulated DRA driver for tests. Each method acts in the server's
thread.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from fakeapi.devices.model import Behaviour, DeviceError
from fakeapi.devices.simulated import HEALTHY, UNHEALTHY, CallRecord, PreparedRecord

if TYPE_CHECKING:
    from fakeapi.devices import simulated
    from fakeapi.testing.running import RunningServer

T = TypeVar("T")

Nodes: TypeAlias = "Mapping[str, int | Sequence[Mapping[str, Any]] | None] | Sequence[str] | str"
"""The nodes of a driver: names, or a mapping of names to numbers of devices or to lists of devices."""

Effect: TypeAlias = Literal["None", "NoSchedule", "NoExecute"]


Act: TypeAlias = "Callable[[Callable[[simulated.SimulatedDriver], Any]], Any]"


class SimulatedDevice:
    """A device of a simulated driver on one node."""

    def __init__(self, act: "Act", now: Callable[[], float], name: str, node: str) -> None:
        """Creates the handle of a device.

        - `act`: calls a function with the driver's state in the event loop of the server.
        - `now`: returns the time of the server's clock.
        """
        self._act = act
        self._now = now
        self.name = name
        self.node = node

    def __repr__(self) -> str:
        return f"<SimulatedDevice {self.name} on {self.node}>"

    def healthy(self, message: str = "") -> None:
        """Reports the device as Healthy. The status of pods shows this if ResourceHealthStatus is on."""
        self._set_health(HEALTHY, message)

    def unhealthy(self, message: str = "") -> None:
        """Reports the device as Unhealthy. The status of pods shows this if ResourceHealthStatus is on."""
        self._set_health(UNHEALTHY, message)

    def _set_health(self, state: str, message: str) -> None:
        self._act(lambda driver: driver.set_health(self.name, self.node, state, message))

    def taint(self, key: str, value: str = "", effect: Effect = "NoSchedule") -> None:
        """Adds a taint to the device. Replaces a taint that was added with the same key and effect.

        The slices show the taint, and the controllers act on it. Raises ValueError for an invalid taint, and
        if the gate DRADeviceTaints is off, because the server would drop the taint.
        """
        now = self._now()
        self._act(lambda driver: driver.taint(self.name, self.node, key, value, effect, now))

    def untaint(self, key: str = "") -> None:
        """Removes taints with this key that `taint` has added; all such taints if `key` is ""."""
        self._act(lambda driver: driver.untaint(self.name, self.node, key))

    def remove(self) -> None:
        """Removes the device from the published slices. Claims keep their allocation of the device."""
        self._act(lambda driver: driver.set_removed(self.name, self.node, is_removed=True))

    def restore(self) -> None:
        """Publishes a removed device again."""
        self._act(lambda driver: driver.set_removed(self.name, self.node, is_removed=False))


class SimulatedDriver:
    """A simulated DRA driver. `FakeAPI.add_driver` and `FakeAPI.driver` return objects of this class.

        driver = api.add_driver("gpu.example.com", nodes={"a": 8})
        driver.prepare(error="out of memory", times=1)

    Methods raise ValueError for an unknown node or device, and RuntimeError if the server does not run.
    """

    def __init__(self, server: "RunningServer", name: str) -> None:
        self._server = server
        self.name = name

    def __repr__(self) -> str:
        return f"<SimulatedDriver {self.name}>"

    def _act(self, act: "Callable[[simulated.SimulatedDriver], T]") -> T:
        async def run() -> T:
            return act(self._server.drivers[self.name])

        return self._server.call(run)

    # behaviour ---------------------------------------------------------------------------------------

    def prepare(
        self,
        *,
        delay: float = 0.0,
        error: str = "",
        hangs: bool = False,
        wrong_claim: bool = False,
        times: int | None = None,
        node: str = "",
    ) -> None:
        """Sets how the driver answers calls to prepare claims. Without arguments, calls succeed at once.

        - `delay`: seconds on the server's clock that each call takes.
        - `error`: the error that the driver returns for each claim.
        - `hangs`: if true, the driver never answers. The kubelet gives up after 45 seconds on the server's
          clock.
        - `wrong_claim`: if true, the driver answers for a claim that the kubelet did not name.
        - `times`: the number of calls with this behaviour; later calls succeed. None for all calls.
        - `node`: the only node with this behaviour; "" for all nodes.
        """
        behaviour = _validated(Behaviour(delay, error, hangs, wrong_claim, times, node))
        self._act(lambda driver: driver.behave("prepare", behaviour))

    def unprepare(
        self,
        *,
        delay: float = 0.0,
        error: str = "",
        hangs: bool = False,
        wrong_claim: bool = False,
        times: int | None = None,
        node: str = "",
    ) -> None:
        """Sets how the driver answers calls to unprepare claims. Without arguments, calls succeed at once.

        - `delay`: seconds on the server's clock that each call takes.
        - `error`: the error that the driver returns for each claim.
        - `hangs`: if true, the driver never answers. The kubelet gives up after 45 seconds on the server's
          clock.
        - `wrong_claim`: if true, the driver answers for a claim that the kubelet did not name.
        - `times`: the number of calls with this behaviour; later calls succeed. None for all calls.
        - `node`: the only node with this behaviour; "" for all nodes.
        """
        behaviour = _validated(Behaviour(delay, error, hangs, wrong_claim, times, node))
        self._act(lambda driver: driver.behave("unprepare", behaviour))

    def bind(
        self, *, delay: float = 0.0, error: str = "", hangs: bool = False, times: int | None = None
    ) -> None:
        """Sets how the driver reports the binding conditions of devices. Without arguments, reports them at
        once.

        - `delay`: seconds on the server's clock until the conditions are True.
        - `error`: if not "", the driver makes the binding failure conditions True instead, with this message.
        - `hangs`: if true, the driver reports nothing. The scheduler gives up after ten minutes.
        - `times`: the number of claims with this behaviour; later claims are reported at once. None for all
          claims.
        """
        behaviour = _validated(Behaviour(delay, error, hangs, times=times))
        self._act(lambda driver: driver.behave("bind", behaviour))

    # what happened -----------------------------------------------------------------------------------

    @property
    def prepared(self) -> list[PreparedRecord]:
        """The claims that the driver has prepared and not unprepared."""
        return self._act(lambda driver: driver.prepared())

    @property
    def calls(self) -> list[CallRecord]:
        """The last 1,000 calls of the kubelets, oldest first."""
        return self._act(lambda driver: list(driver.calls))

    # devices and nodes -------------------------------------------------------------------------------

    @property
    def nodes(self) -> list[str]:
        """The names of the nodes with devices of the driver."""
        return self._act(lambda driver: list(driver.nodes))

    @property
    def devices(self) -> list[SimulatedDevice]:
        """All devices of the driver, including removed devices, node by node."""
        return self._act(
            lambda driver: [
                SimulatedDevice(self._act, self._server.now, name, node)
                for node, on_node in driver.nodes.items()
                for name in on_node.devices
            ]
        )

    def device(self, name: str, *, node: str = "") -> SimulatedDevice:
        """Returns a device by name. `node`: required if several nodes have a device of this name."""
        found_node, _ = self._act(lambda driver: driver.find(name, node))
        return SimulatedDevice(self._act, self._server.now, name, found_node)

    def add_node(self, node: str) -> None:
        """Starts the driver on another node, and creates the node if it does not exist."""
        self._server.call(lambda: self._server.simulation.add_driver_to_node(self.name, node))

    # life --------------------------------------------------------------------------------------------

    def stop(self, node: str = "") -> None:
        """Stops the driver on a node, or on all nodes, as if its pods were deleted.

        The driver unregisters, and its running calls fail. If kubelets of the release delete the slices of
        unregistered drivers, the kubelet deletes the driver's slices after the delay of the release.
        """
        self._act(lambda driver: driver.set_running(node, is_running=False))

    def start(self, node: str = "") -> None:
        """Starts a stopped driver on a node, or on all nodes."""
        self._act(lambda driver: driver.set_running(node, is_running=True))

    def restart(self, node: str = "") -> None:
        """Restarts the driver on a node, or on all nodes.

        The kubelet's running calls to the driver fail, and the driver registers again.
        """
        self._act(lambda driver: driver.restart(node))

    def remove(self) -> None:
        """Stops the driver on all nodes and removes it, so that a new driver can have its name."""
        self._server.remove_driver(self.name)


def _validated(behaviour: Behaviour) -> Behaviour:
    """Returns the behaviour unchanged. Raises DeviceError for a negative `delay`, and for `times` below 1."""
    if not 0 <= behaviour.delay < float("inf"):
        raise DeviceError(f"delay: {behaviour.delay} is not a number of seconds from 0")
    if behaviour.times is not None and behaviour.times < 1:
        raise DeviceError(f"times: {behaviour.times} is less than 1")
    return behaviour


def description_of(
    driver: Any,
    nodes: "Nodes | None",
    count: int | None,
    devices: Sequence[Mapping[str, Any]] | None,
    attributes: Mapping[str, Any] | None,
    capacity: Mapping[str, Any] | None,
) -> Any:
    """Builds the description of a driver from the arguments of `FakeAPI.add_driver`.

    Raises DeviceError if `driver` is a path and another argument is set.
    """
    more = {
        "nodes": nodes,
        "count": count,
        "devices": devices,
        "attributes": attributes,
        "capacity": capacity,
    }
    members = {name: value for name, value in more.items() if value is not None}
    if not members:
        return driver
    if isinstance(driver, str):
        return {driver: members}
    if isinstance(driver, Mapping):
        return {**driver, **members}
    raise DeviceError("nodes, count, devices, attributes and capacity need a driver or preset by name")
