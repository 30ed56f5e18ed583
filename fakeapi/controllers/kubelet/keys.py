"""Keys of the kubelets' work queue. A key names a node and what to reconcile there, such as a pod."""

import msgspec


class PodKey(msgspec.Struct, frozen=True):
    """A pod that was created or changed; `pod` is NAMESPACE/NAME."""

    node: str
    pod: str


class DeletedPodKey(msgspec.Struct, frozen=True):
    """A deleted pod. The kubelet must unprepare the ResourceClaims of this pod."""

    node: str
    uid: str


class CheckpointedPodKey(msgspec.Struct, frozen=True):
    """A pod from the checkpoint file of an earlier server process. The pod may be deleted by now."""

    node: str
    uid: str


class DeviceHealthKey(msgspec.Struct, frozen=True):
    """A running pod with devices whose health may have changed; `pod` is NAMESPACE/NAME."""

    node: str
    pod: str


class CapacityKey(msgspec.Struct, frozen=True):
    """A Node that changed. The change may affect the node's capacity."""

    node: str


class DriverKey(msgspec.Struct, frozen=True):
    """A DRA driver that registered or unregistered."""

    node: str
    driver: str


class DepartedDriverKey(msgspec.Struct, frozen=True):
    """A DRA driver that unregistered. The kubelet must delete the driver's ResourceSlices."""

    node: str
    driver: str


class UnreachableDriverKey(msgspec.Struct, frozen=True):
    """A DRA driver with an unreachable socket. `problem`: the message of the event to record."""

    node: str
    problem: str


class PublishedKey(msgspec.Struct, frozen=True):
    """A DRA driver of 1.30 whose published resources changed. The kubelet must update the driver's slices."""

    node: str
    driver: str


class TimerKey(msgspec.Struct, frozen=True):
    """The earliest timer of the containers and pods on all nodes. See the class `Timers`."""

    node: str = ""


class SimulatedSlicesKey(msgspec.Struct, frozen=True):
    """A simulated DRA driver whose devices or ResourceSlices changed. The driver must publish its slices."""

    node: str
    driver: str


class BindingKey(msgspec.Struct, frozen=True):
    """A claim whose devices wait for binding conditions of a simulated driver. `claim`: NAMESPACE/NAME."""

    node: str
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
