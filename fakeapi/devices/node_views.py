"""Defines the JSON responses of the control API about nodes, prepared claims and CDI devices."""

import msgspec


class NodeDriver(msgspec.Struct, rename="camel"):
    """A DRA driver that is registered with the kubelet of a node, as JSON.

    - `source`: the path of the driver's socket, or "simulated".
    - `services`: the gRPC services that the driver registered, such as v1.DRAPlugin.
    """

    name: str
    source: str
    services: list[str]


class ClaimDevice(msgspec.Struct, rename="camel"):
    """A device that a driver prepared for a claim, as JSON. `cdi_devices`: the names of its CDI devices."""

    driver: str
    pool: str
    device: str
    requests: list[str]
    share_id: str = msgspec.field(name="shareID")
    cdi_devices: list[str]


class PreparedClaimView(msgspec.Struct, rename="camel"):
    """A ResourceClaim that is prepared on a node, as JSON.

    `pods`: the uids of the pods that use the claim.
    """

    namespace: str
    name: str
    uid: str
    pods: list[str]
    devices: list[ClaimDevice]


class DeviceNodeView(msgspec.Struct, rename="camel"):
    """A device node that a CDI device adds to a container, as JSON. `host_path`: the path on the host."""

    path: str
    host_path: str


class MountView(msgspec.Struct, rename="camel"):
    """A mount that a CDI device adds to a container, as JSON. `host_path`: the path on the host."""

    container_path: str
    host_path: str
    read_only: bool


class Injection(msgspec.Struct, rename="camel"):
    """The environment variables, device nodes and mounts that a CDI device adds to a container, as JSON."""

    env: dict[str, str]
    device_nodes: list[DeviceNodeView]
    mounts: list[MountView]


class NodePod(msgspec.Struct, rename="camel"):
    """A pod on a node, as JSON. `cdi_devices`: the CDI devices of all its claims, in the order of
    preparation.
    """

    namespace: str
    name: str
    uid: str
    phase: str
    cdi_devices: list[str]


class NodeSummary(msgspec.Struct, rename="camel"):
    """A node with a simulated kubelet in a list, as JSON, with the counts of its pods and prepared claims.

    - `directory`: the node's root directory on the machine of the server.
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
    """A node with a simulated kubelet, as JSON, with its drivers, prepared claims and pods.

    - `directory`: the node's root directory on the machine of the server.
    - `running`: whether the kubelet of the node runs.
    - `cdi_devices`: the changes that each CDI device makes to a container, by name of the device. Contains
      only the devices of prepared claims.
    """

    name: str
    directory: str
    running: bool
    drivers: list[NodeDriver]
    claims: list[PreparedClaimView]
    pods: list[NodePod]
    cdi_devices: dict[str, Injection]
