"""DriverSpec: a simulated DRA driver as data, with its devices on each node."""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from fakeapi.machinery.json_types import Object

DEVICES_MAX = 1024
"""Maximum number of devices that one driver can have on one node; more raise DeviceError.

A pool of Kubernetes' own allocator tests has at most 128 devices. A node with eight partitioned GPUs has 160.
"""

NODE_BYTES_MAX = 4 * 1024 * 1024
"""Maximum size of the devices of one driver on one node, as JSON, in bytes; more raise DeviceError."""

DRIVERS_MAX = 100
"""Maximum number of simulated drivers of one server; more raise DeviceError."""


class DeviceError(ValueError):
    """Raised for an invalid description of drivers or nodes, and for an unknown driver, device or node.

    The message is one line.
    """


class PoolSpec(msgspec.Struct, frozen=True):
    """The devices of a driver on one node. The driver publishes them as one pool of ResourceSlices.

    - `name`: the name of the pool.
    - `devices`: the devices in the layout of resource.k8s.io/v1.
    - `counters`: the counter sets that the devices share.
    """

    name: str
    devices: tuple[Object, ...]
    counters: tuple[Object, ...] = ()


class ClassSpec(msgspec.Struct, frozen=True):
    """A DeviceClass of a driver. The server creates the class if no DeviceClass has its name."""

    name: str
    spec: Object


class DriverSpec(msgspec.Struct, frozen=True):
    """A simulated DRA driver.

    - `name`: the name of the driver, such as gpu.example.com.
    - `devices` and `counters`: templates of the devices and counter sets of a node, with the placeholders of
      `fakeapi.devices.templates`.
    - `count`: the number of physical devices on each node. A template with `{i}` in its name makes one device
      for each physical device.
    - `nodes`: the nodes with the driver. The value is the number of physical devices on the node, a list of
      devices, or None for `count`. An empty mapping stands for all nodes of the server.
    - `pool`: the template of the pool's name.
    - `cdi`: the vendor and class of the CDI devices, such as gpu.example.com/gpu.
    - `classes`: the DeviceClasses to create.
    - `environment`: environment variables that a prepared device sets in its containers.
    - `status`: data for `status.devices` of prepared claims, such as conditions; None for no device status.
    - `behaviour`: how the driver answers "prepare", "unprepare" and "bind" until a test changes the
      behaviour.
    """

    name: str
    devices: tuple[Object, ...]
    count: int = 1
    counters: tuple[Object, ...] = ()
    nodes: Mapping[str, int | tuple[Object, ...] | None] = msgspec.field(default_factory=dict)
    pool: str = "{node}"
    cdi: str = ""
    classes: tuple[ClassSpec, ...] = ()
    environment: Mapping[str, str] = msgspec.field(default_factory=dict)
    status: Object | None = None
    behaviour: Mapping[str, "Behaviour"] = msgspec.field(default_factory=dict)

    def on(self, nodes: Mapping[str, int | tuple[Object, ...] | None]) -> "DriverSpec":
        """Returns a copy of the spec with these nodes instead of its own."""
        return replace(self, nodes=dict(nodes))


class Behaviour(msgspec.Struct, frozen=True):
    """The answers of a simulated driver to "prepare" and "unprepare", or its reports of binding conditions.

    - `delay`: the seconds on the server's clock that each call takes.
    - `error`: the error that the driver returns for each claim; "" for success.
    - `hangs`: whether the driver never answers. The kubelet then gives up after 45 seconds.
    - `wrong_claim`: whether the driver answers for a claim that the kubelet did not name.
    - `times`: the number of calls with this behaviour; later calls succeed at once. None for all calls.
    - `node`: the only node with this behaviour; "" for all nodes.
    """

    delay: float = 0.0
    error: str = ""
    hangs: bool = False
    wrong_claim: bool = False
    times: int | None = None
    node: str = ""
