"""Keys of the kubelets' work queue. A key names a node and what to reconcile there, such as a pod."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PodKey:
    """A pod that was created or changed; `pod` is NAMESPACE/NAME."""

    node: str
    pod: str


@dataclass(frozen=True, slots=True)
class DeletedPodKey:
    """A deleted pod. The kubelet must unprepare the ResourceClaims of this pod."""

    node: str
    uid: str


@dataclass(frozen=True, slots=True)
class CheckpointedPodKey:
    """A pod from the checkpoint file of an earlier server process. The pod may be deleted by now."""

    node: str
    uid: str


@dataclass(frozen=True, slots=True)
class DeviceHealthKey:
    """A running pod with devices whose health may have changed; `pod` is NAMESPACE/NAME."""

    node: str
    pod: str


@dataclass(frozen=True, slots=True)
class CapacityKey:
    """A Node that changed. The change may affect the node's capacity."""

    node: str


@dataclass(frozen=True, slots=True)
class DriverKey:
    """A DRA driver that registered or unregistered."""

    node: str
    driver: str


@dataclass(frozen=True, slots=True)
class DepartedDriverKey:
    """A DRA driver that unregistered. The kubelet must delete the driver's ResourceSlices."""

    node: str
    driver: str


@dataclass(frozen=True, slots=True)
class UnreachableDriverKey:
    """A DRA driver with an unreachable socket. `problem`: the message of the event to record."""

    node: str
    problem: str


@dataclass(frozen=True, slots=True)
class PublishedKey:
    """A DRA driver of 1.30 whose published resources changed. The kubelet must update its ResourceSlices."""

    node: str
    driver: str


@dataclass(frozen=True, slots=True)
class TimerKey:
    """The earliest timer of the containers and pods on all nodes. `Timers` explains it."""

    node: str = ""


@dataclass(frozen=True, slots=True)
class SimulatedSlicesKey:
    """A simulated DRA driver whose devices or ResourceSlices changed. The driver must publish its slices."""

    node: str
    driver: str


@dataclass(frozen=True, slots=True)
class BindingKey:
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
