"""The keys in the kubelets' work queue: an object or a driver to reconcile, and its node."""

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
    """A pod in the checkpoint file that a previous server wrote; the pod may be deleted by now."""

    node: str
    uid: str


@dataclass(frozen=True, slots=True)
class DeviceHealthKey:
    """A running pod with devices whose health may have changed; `pod` is NAMESPACE/NAME."""

    node: str
    pod: str


@dataclass(frozen=True, slots=True)
class CapacityKey:
    """A Node that changed, so that its capacity may have changed."""

    node: str


@dataclass(frozen=True, slots=True)
class DriverKey:
    """A DRA driver that registered or unregistered."""

    node: str
    driver: str


@dataclass(frozen=True, slots=True)
class DepartedDriverKey:
    """A DRA driver that unregistered, whose ResourceSlices the kubelet has to delete."""

    node: str
    driver: str


@dataclass(frozen=True, slots=True)
class UnreachableDriverKey:
    """A DRA driver whose socket cannot be reached; `problem` is the message of the event."""

    node: str
    problem: str


@dataclass(frozen=True, slots=True)
class PublishedKey:
    """A DRA driver of 1.30 that changed the devices which it publishes through the kubelet."""

    node: str
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
)
