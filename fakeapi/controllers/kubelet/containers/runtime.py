"""ContainerRuntime and Container: the interface through which the kubelet runs containers.

The kubelet decides when a container starts, stops and restarts, runs its probes on time, and writes the pod's
status. A runtime decides only what happens inside the container. All methods are called in the event loop of
the server. docs/pods.md describes how to write a runtime.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from fakeapi.controllers.kubelet.containers.container_log import ContainerLog
from fakeapi.machinery.json_types import Object
from fakeapi.registry.node_connections import CommandError, PortConnection, StreamName, Streams

__all__ = [
    "SIGKILL",
    "SIGTERM",
    "CommandError",
    "Container",
    "ContainerConfig",
    "ContainerExit",
    "ContainerRole",
    "ContainerRun",
    "ContainerRuntime",
    "ContainerStartError",
    "DeviceNode",
    "Mount",
    "OnExit",
    "PortConnection",
    "ProbeResult",
    "StreamName",
    "Streams",
]

ContainerRole = Literal["init", "sidecar", "main", "ephemeral"]
"""The role of a container in its pod. A sidecar is an init container with the restartPolicy Always."""

SIGTERM, SIGKILL = 15, 9


class ContainerStartError(Exception):
    """Raised if a container cannot start. The kubelet tries again after a back-off.

    `reason`: the reason in the status of the waiting container, such as `RunContainerError` or
    `CreateContainerConfigError`. The message of the exception becomes the message in the status.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Mount(msgspec.Struct, frozen=True):
    """A mount of a container.

    - `name`: the name of the pod's volume; "" for a mount of a CDI device.
    - `source`: the path on the node for a hostPath volume or a CDI mount; "" for other volumes.
    """

    path: str
    name: str = ""
    source: str = ""
    sub_path: str = ""
    read_only: bool = False


class DeviceNode(msgspec.Struct, frozen=True):
    """A device node of a container, from the CDI file of a device.

    `path`: the path in the container. `host_path`: the path on the node.
    """

    path: str
    host_path: str
    type: str = ""
    permissions: str = "rwm"


class ContainerConfig(msgspec.Struct, frozen=True):
    """The resolved configuration of a container.

    Field references, ConfigMaps, Secrets, `$(VAR)` references and CDI devices are resolved.

    - `command` and `args`: as in the container's spec. An empty command means the entrypoint of the image.
    - `env`: all environment variables, in the order in which the kubelet sets them.
    - `cdi_devices`: the names of the CDI devices, such as "vendor.com/gpu=gpu-0".
    - `devices` and `mounts`: the edits of these CDI devices, and the volume mounts of the container.
    """

    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    env: dict[str, str] = msgspec.field(default_factory=dict)
    working_dir: str = ""
    cdi_devices: tuple[str, ...] = ()
    devices: tuple[DeviceNode, ...] = ()
    mounts: tuple[Mount, ...] = ()


class ContainerRun(msgspec.Struct, frozen=True):
    """Describes one run of a container, from its start to its exit.

    - `node` and `directory`: the name and the directory of the node.
    - `pod`: the Pod, whose status may not have the podIP yet.
    - `pod_ip`: the IP address of the pod.
    - `container`: the container in the pod's spec.
    - `attempt`: 0 for the first run, and one more for each restart.
    - `id`: the unique ID of the run, which is the containerID of the status without its scheme.
    """

    node: str
    directory: Path
    pod: Object
    container: Object
    role: ContainerRole
    attempt: int
    id: str
    pod_ip: str
    host_ip: str
    config: ContainerConfig = msgspec.field(default_factory=ContainerConfig)

    @property
    def name(self) -> str:
        """The name of the container."""
        name: str = self.container["name"]
        return name

    @property
    def image(self) -> str:
        image: str = self.container["image"]
        return image

    def with_config(self, config: ContainerConfig) -> "ContainerRun":
        return replace(self, config=config)

    @property
    def key(self) -> tuple[str, str]:
        """The uid of the pod and the name of the container. All runs of a container have the same key."""
        return self.pod["metadata"]["uid"], self.name


class ContainerExit(msgspec.Struct, frozen=True):
    """The end of a run.

    - `reason`: for example OOMKilled; "" for Completed or Error, by the exit code.
    - `message`: the contents of the file `terminationMessagePath`.
    - `signal`: the signal that ended the container; 0 for none.
    """

    exit_code: int
    reason: str = ""
    message: str = ""
    signal: int = 0


class ProbeResult(msgspec.Struct, frozen=True):
    """The result of one probe. `output`: the text for the event about a failed probe."""

    is_success: bool
    output: str = ""


class Container(ABC):
    """A container that a runtime has started. Represents one run; a restart creates a new Container.

    `log`: the output of the run. The kubelet keeps the Container after its exit, for `kubectl logs
    --previous`.
    """

    log: ContainerLog

    @abstractmethod
    async def stop(self, signal: int) -> None:
        """Sends a signal to the container: SIGTERM, the container's own stop signal, or SIGKILL.

        Returns at once, without waiting for the exit. `on_exit` reports the exit. Does nothing after the
        exit. The kubelet sends SIGKILL when the grace period is over.
        """

    def is_probed(self, kind: str) -> bool:
        """Whether the kubelet runs probes of a kind. A container without these probes counts as healthy."""
        return True

    @abstractmethod
    async def probe(self, kind: str, probe: Object) -> ProbeResult:
        """Runs one probe and returns its result. `kind`: startup, liveness or readiness.

        The kubelet cancels the call after the probe's timeoutSeconds.
        """

    @abstractmethod
    async def run_hook(self, kind: str, handler: Object) -> None:
        """Runs a postStart or preStop handler other than sleep. `kind`: postStart or preStop.

        Raises CommandError if the handler fails. The kubelet cancels a preStop handler after the grace
        period.
        """

    @abstractmethod
    async def exec(self, command: list[str], streams: Streams) -> int:
        """Runs a command until it ends; returns its exit code.

        Raises CommandError if the command cannot start. If the client disconnects, the kubelet cancels the
        call.
        """

    @abstractmethod
    async def attach(self, streams: Streams) -> None:
        """Connects the client to the container, until the container exits or the client disconnects.

        Raises CommandError if the container does not support attaching.
        """

    @abstractmethod
    async def connect(self, port: int) -> PortConnection:
        """Connects to a port of the container. Raises CommandError if no program listens at this port."""

    async def remove(self) -> None:  # noqa: B027 - most containers have nothing to release
        """Releases the resources of the run, such as a directory.

        The kubelet calls this method once, after the exit: after a later restart of the container, or when
        the pod is removed.
        """


OnExit = Callable[[ContainerExit], None]
"""Function that a runtime calls with the exit of a run, exactly once.

A runtime may call this function inside `start`.
"""


class ContainerRuntime(ABC):
    """Runs the containers of some images."""

    @abstractmethod
    def takes(self, run: ContainerRun) -> bool:
        """Whether this runtime runs the container. The kubelet uses the first runtime that returns True."""

    def delay(self, run: ContainerRun) -> float:
        """Returns the seconds of the server's clock before the start, such as the time to pull an image.

        During this time, the container's status is waiting (ContainerCreating).
        """
        return 0.0

    @abstractmethod
    async def start(self, run: ContainerRun, on_exit: OnExit) -> Container:
        """Starts a container and returns it. Raises ContainerStartError if the start fails.

        The container's status is waiting (ContainerCreating) until the method returns. Other pods continue
        meanwhile. The kubelet cancels the call if the pod is deleted.
        """

    async def resume(self, run: ContainerRun, started_at: float, on_exit: OnExit) -> Container | None:
        """Returns a container that was running before the kubelet restarted; None if the container has ended.

        `started_at`: the start of the run, in seconds since the epoch. The default implementation returns
        None.
        """
        return None

    async def close(self) -> None:  # noqa: B027 - most runtimes have nothing to release
        """Ends all containers at once. The kubelet calls this method when the controllers stop."""
