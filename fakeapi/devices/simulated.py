"""SimulatedDriver: the state of a simulated DRA driver on all its nodes."""

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from fakeapi.devices.model import Behaviour, DeviceError, DriverSpec, PoolSpec
from fakeapi.devices.templates import expand, filled_text
from fakeapi.machinery.golang import times
from fakeapi.machinery.json_types import Object

HEALTHY, UNHEALTHY = "Healthy", "Unhealthy"

CALLS = ("prepare", "unprepare", "bind")
"""The actions whose behaviour tests can set: two calls of the kubelet, and the reports of binding conditions.
"""

Event: TypeAlias = Literal["registration", "devices", "health", "restart"]
"""A change of a driver on a node: its registration, its devices, the health of its devices, or a restart."""

Listener: TypeAlias = Callable[[Event, str, str], None]
"""Called with an event, the name of the driver and the name of the node."""

Check: TypeAlias = Callable[[Object], None]
"""Raises DeviceError for a published device if the release does not accept its taints."""


class PreparedRecord(msgspec.Struct, frozen=True):
    """A ResourceClaim that a driver has prepared on a node. `devices`: the devices as POOL/DEVICE."""

    namespace: str
    name: str
    uid: str
    node: str
    devices: tuple[str, ...]


class CallRecord(msgspec.Struct, frozen=True):
    """A call of a kubelet to a driver, with the claims in the call.

    `error`: the error that the kubelet received; "" if the call succeeded.
    """

    call: str
    node: str
    claims: tuple[str, ...]
    error: str = ""


class DeviceState(msgspec.Struct):
    """A device on one node, with its health and taints.

    - `device`: the device of the driver's description, with the taints of the description.
    - `taints`: the taints that were added later.
    - `is_removed`: whether the driver leaves the device out of its ResourceSlices.
    """

    device: Object
    health: str = HEALTHY
    message: str = ""
    taints: list[Object] = msgspec.field(default_factory=list)
    is_removed: bool = False

    @property
    def published(self) -> Object:
        """The device as in a ResourceSlice, with all taints."""
        if not self.taints:
            return self.device
        return {**self.device, "taints": [*(self.device.get("taints") or ()), *self.taints]}


class NodeDevices(msgspec.Struct):
    """The devices of a driver on one node. `is_running`: whether the driver runs on the node."""

    pool: str
    devices: dict[str, DeviceState]
    counters: tuple[Object, ...] = ()
    is_running: bool = True
    prepared: dict[str, PreparedRecord] = msgspec.field(default_factory=dict)


CALLS_KEPT = 1000
"""Maximum number of calls that a driver remembers; it drops the oldest call first."""


class SimulatedDriver:
    """A DRA driver without a process: its devices, their state, and its answers to the kubelet.

    Call all methods in the event loop of the server.

    - `listener`: receives each change.
    - `check`: raises DeviceError to refuse a taint before the device gets it.
    """

    def __init__(
        self, spec: DriverSpec, nodes: list[str], listener: Listener, check: Check = lambda _: None
    ) -> None:
        """Makes the devices of each node.

        Raises DeviceError if the templates are invalid or make too many devices.
        """
        self.spec = spec
        self.name = spec.name
        self._listener, self._check = listener, check
        self.nodes: dict[str, NodeDevices] = {node: self._devices_of(node) for node in nodes}
        self.behaviours: dict[str, Behaviour] = dict(spec.behaviour)
        self.calls: list[CallRecord] = []

    def _devices_of(self, node: str) -> NodeDevices:
        chosen = self.spec.nodes.get(node)
        count = chosen if isinstance(chosen, int) else self.spec.count
        templates = chosen if isinstance(chosen, tuple) else self.spec.devices
        return NodeDevices(
            filled_text(self.spec.pool, node),
            {device["name"]: DeviceState(device) for device in expand(templates, count, node)},
            expand(self.spec.counters, count, node),
        )

    def add_node(self, node: str) -> None:
        """Starts the driver on a node. Does nothing if the driver already has the node.

        Raises DeviceError if the templates are invalid or make too many devices.
        """
        if node not in self.nodes:
            self.nodes[node] = self._devices_of(node)
            self._listener("registration", self.name, node)

    def pool_on(self, node: str) -> PoolSpec | None:
        """Returns the pool that the driver publishes on a node; None if the driver does not run there."""
        on_node = self.nodes.get(node)
        if on_node is None or not on_node.is_running:
            return None
        devices = [state.published for state in on_node.devices.values() if not state.is_removed]
        return PoolSpec(on_node.pool, tuple(devices), on_node.counters)

    def node_of(self, pool: str) -> str:
        """Returns the name of the node on which the driver publishes a pool; "" if no node has the pool."""
        return next((name for name, node in self.nodes.items() if node.pool == pool), "")

    def running_nodes(self) -> Iterator[str]:
        """Yields the names of the nodes on which the driver runs."""
        for name, node in self.nodes.items():
            if node.is_running:
                yield name

    def prepared(self) -> list[PreparedRecord]:
        """Returns the prepared claims of all nodes. On each node, the claim that was prepared first comes
        first.
        """
        return [record for node in self.nodes.values() for record in node.prepared.values()]

    def record(self, call: CallRecord) -> None:
        """Adds a call to `calls`. Drops the oldest call if there are more than CALLS_KEPT."""
        self.calls.append(call)
        del self.calls[:-CALLS_KEPT]

    # behaviour ---------------------------------------------------------------------------------------

    def behave(self, call: str, behaviour: Behaviour) -> None:
        """Sets how the driver answers an action from now on. `call`: an action in CALLS.

        Raises DeviceError for an unknown action or node.
        """
        if call not in CALLS:
            raise DeviceError(f"unknown action {call!r}; use one of {', '.join(CALLS)}")
        if behaviour.node:
            self._node(behaviour.node)
        self.behaviours[call] = behaviour

    def take_behaviour(self, call: str, node: str) -> Behaviour:
        """Returns the behaviour for a call on a node, and subtracts the call from the behaviour's `times`."""
        behaviour = self.behaviours.get(call)
        if behaviour is None or behaviour.node not in {"", node}:
            return Behaviour()
        if behaviour.times is not None:
            if behaviour.times > 1:
                self.behaviours[call] = replace(behaviour, times=behaviour.times - 1)
            else:
                del self.behaviours[call]
        return behaviour

    # devices -----------------------------------------------------------------------------------------

    def find(self, device: str, node: str = "") -> tuple[str, DeviceState]:
        """Returns the node and the state of a device.

        `node`: the name of the node; "" if only one node has a device of this name. Raises DeviceError for an
        unknown device or node, and if several nodes have the device.
        """
        nodes = [node] if node else list(self.nodes)
        on_nodes = [(name, self._node(name).devices) for name in nodes]
        known = [(name, devices[device]) for name, devices in on_nodes if device in devices]
        if not known:
            where = f" on node {node}" if node else ""
            raise DeviceError(f"{self.name} has no device {device}{where}")
        if len(known) > 1:
            names = ", ".join(name for name, _ in known[:5])
            raise DeviceError(f"several nodes have a device {device} ({names}): name the node")
        return known[0]

    def set_health(self, device: str, node: str, state: str, message: str = "") -> None:
        """Sets the health that the driver reports for a device.

        `state`: "Healthy" or "Unhealthy". Raises DeviceError for an unknown node, and for an unknown or
        ambiguous device.
        """
        name, known = self.find(device, node)
        known.health, known.message = state, message
        self._listener("health", self.name, name)

    def _set_taints(self, device: str, node: str, taints: list[Object]) -> None:
        name, known = self.find(device, node)
        known.taints = taints
        self._listener("devices", self.name, name)

    def taint(self, device: str, node: str, key: str, value: str, effect: str, now: float) -> None:
        """Adds a taint to a device. Replaces a taint that was added with the same key and effect.

        `now`: the `timeAdded` of the taint, in seconds since the epoch. Raises DeviceError for an unknown
        node, for an unknown or ambiguous device, and if the release does not accept the taint.
        """
        _, state = self.find(device, node)
        kept = [taint for taint in state.taints if (taint["key"], taint["effect"]) != (key, effect)]
        new: Object = {"key": key, **({"value": value} if value else {}), "effect": effect}
        taints = [*kept, {**new, "timeAdded": times.now_text(now)}]
        self._check(replace(state, taints=taints).published)
        self._set_taints(device, node, taints)

    def untaint(self, device: str, node: str, key: str = "") -> None:
        """Removes the taints with this key that the method `taint` added to a device. `key`: "" for all keys.

        Raises DeviceError for an unknown node, and for an unknown or ambiguous device.
        """
        _, state = self.find(device, node)
        self._set_taints(device, node, [taint for taint in state.taints if key and taint["key"] != key])

    def set_removed(self, device: str, node: str, *, is_removed: bool) -> None:
        """Removes a device from the published ResourceSlices, or adds it again.

        Raises DeviceError for an unknown node, and for an unknown or ambiguous device.
        """
        name, known = self.find(device, node)
        known.is_removed = is_removed
        self._listener("devices", self.name, name)

    # running --------------------------------------------------------------------------------------------

    def set_running(self, node: str, *, is_running: bool) -> None:
        """Stops or starts the driver on a node; on all nodes if `node` is "".

        Raises DeviceError for an unknown node.
        """
        for name in [node] if node else list(self.nodes):
            known = self._node(name)
            if known.is_running != is_running:
                known.is_running = is_running
                self._listener("registration", self.name, name)

    def restart(self, node: str) -> None:
        """Stops and starts the driver on a node; on all nodes if `node` is "". Running calls fail.

        A stopped driver only starts. Prepared claims stay prepared. Raises DeviceError for an unknown node.
        """
        for name in [node] if node else list(self.nodes):
            if self._node(name).is_running:
                self._listener("restart", self.name, name)
        self.set_running(node, is_running=True)

    def _node(self, name: str) -> NodeDevices:
        if name not in self.nodes:
            raise DeviceError(f"the driver {self.name} is not on node {name}")
        return self.nodes[name]
