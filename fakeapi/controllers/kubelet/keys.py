"""Keys of the kubelets' work queue. A key names a node and what to reconcile there, such as a pod."""

import msgspec


class NodeKey(msgspec.Struct, frozen=True):
    """Base class of the keys. `node`: the name of the node."""

    node: str

    def __str__(self) -> str:
        """Returns the key for messages, such as "default/train on node node-1"."""
        _, *parts = msgspec.structs.astuple(self)
        return f"{' '.join(map(str, parts))} on node {self.node}".strip()


class PodKey(NodeKey, frozen=True):
    """A pod that was created or changed; `pod` is NAMESPACE/NAME."""

    pod: str


class DeletedPodKey(NodeKey, frozen=True):
    """A deleted pod. The kubelet must unprepare the ResourceClaims of this pod."""

    uid: str


class CheckpointedPodKey(NodeKey, frozen=True):
    """A pod from the checkpoint file of an earlier server process. The pod may be deleted by now."""

    uid: str


class DeviceHealthKey(NodeKey, frozen=True):
    """A running pod with devices whose health may have changed; `pod` is NAMESPACE/NAME."""

    pod: str


class CapacityKey(NodeKey, frozen=True):
    """A Node that changed. The change may affect the node's capacity."""


class DriverKey(NodeKey, frozen=True):
    """A DRA driver that registered or unregistered."""

    driver: str


class DepartedDriverKey(NodeKey, frozen=True):
    """A DRA driver that unregistered. The kubelet must delete the driver's ResourceSlices."""

    driver: str


class UnreachableDriverKey(NodeKey, frozen=True):
    """A DRA driver with an unreachable socket. `problem`: the message of the event to record."""

    problem: str


class PublishedKey(NodeKey, frozen=True):
    """A DRA driver of 1.30 whose published resources changed. The kubelet must update the driver's slices."""

    driver: str


class TimerKey(msgspec.Struct, frozen=True):
    """The earliest timer of the containers and pods on all nodes. See the class `Timers`."""

    node: str = ""


class SimulatedSlicesKey(NodeKey, frozen=True):
    """A simulated DRA driver whose devices or ResourceSlices changed. The driver must publish its slices."""

    driver: str


class BindingKey(NodeKey, frozen=True):
    """A claim whose devices wait for binding conditions of a simulated driver. `claim`: NAMESPACE/NAME."""

    claim: str
    driver: str


Key = (
    PodKey
    | DeletedPodKey
    | CheckpointedPodKey
    | DeviceHealthKey
    | CapacityKey
    | DriverKey
    | DepartedDriverKey
    | UnreachableDriverKey
    | PublishedKey
    | TimerKey
    | SimulatedSlicesKey
    | BindingKey
)
