"""The JSON structs with which the control API describes nodes, prepared claims and CDI devices."""

import msgspec


class NodeDriver(msgspec.Struct, rename="camel"):
    """A DRA driver that is registered with the kubelet of a node.

    - `source`: the path of the driver's socket, or "simulated".
    - `services`: the services that the driver registered.
    """

    name: str
    source: str
    services: list[str]


class ClaimDevice(msgspec.Struct, rename="camel"):
    """A device that a driver prepared for a claim. `cdi_devices`: the names of its CDI devices."""

    driver: str
    pool: str
    device: str
    requests: list[str]
    share_id: str = msgspec.field(name="shareID")
    cdi_devices: list[str]


class PreparedClaimView(msgspec.Struct, rename="camel"):
    """A claim that is prepared on a node. `pods`: the uids of the pods that use the claim."""

    namespace: str
    name: str
    uid: str
    pods: list[str]
    devices: list[ClaimDevice]


class DeviceNodeView(msgspec.Struct, rename="camel"):
    """A device node that a CDI device adds to a container."""

    path: str
    host_path: str


class MountView(msgspec.Struct, rename="camel"):
    """A mount that a CDI device adds to a container."""

    container_path: str
    host_path: str
    read_only: bool


class Injection(msgspec.Struct, rename="camel"):
    """The environment, device nodes and mounts that a CDI device adds to a container."""

    env: dict[str, str]
    device_nodes: list[DeviceNodeView]
    mounts: list[MountView]


class NodePod(msgspec.Struct, rename="camel"):
    """A pod on a node. `cdi_devices`: the CDI devices of all its claims, in the order of preparation."""

    namespace: str
    name: str
    uid: str
    phase: str
    cdi_devices: list[str]


class NodeSummary(msgspec.Struct, rename="camel"):
    """A node of the kubelet controller, with numbers of its pods and claims.

    - `directory`: the directory of the node on the machine of the server.
    - `running`: whether the kubelet of the node runs.
    - `drivers`: the names of the registered DRA drivers.
    """

    name: str
    directory: str
    running: bool
    drivers: list[str]
    pods: int
    prepared_claims: int


class NodeView(msgspec.Struct, rename="camel"):
    """A node of the kubelet controller.

    - `directory`: the directory of the node on the machine of the server.
    - `running`: whether the kubelet of the node runs.
    - `cdi_devices`: what each CDI device of the prepared claims adds to a container, by its name.
    """

    name: str
    directory: str
    running: bool
    drivers: list[NodeDriver]
    claims: list[PreparedClaimView]
    pods: list[NodePod]
    cdi_devices: dict[str, Injection]
