"""The keys of the kubelets' work: what to reconcile, on which of the server's own nodes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PodKey:
    """A pod that was created or changed; `pod` is NAMESPACE/NAME."""

    node: str
    pod: str


@dataclass(frozen=True, slots=True)
class DeletedPodKey:
    """A deleted pod, whose claims have to be unprepared."""

    node: str
    uid: str


@dataclass(frozen=True, slots=True)
class CheckpointedPodKey:
    """A pod in the checkpoint of an earlier run; it may be deleted by now."""

    node: str
    uid: str


@dataclass(frozen=True, slots=True)
class DeviceHealthKey:
    """A pod whose devices changed their health; `pod` is NAMESPACE/NAME."""

    node: str
    pod: str


@dataclass(frozen=True, slots=True)
class CapacityKey:
    """The capacity of a node."""

    node: str


@dataclass(frozen=True, slots=True)
class DriverKey:
    """A driver that registered or unregistered."""

    node: str
    driver: str


@dataclass(frozen=True, slots=True)
class DepartedDriverKey:
    """A driver that unregistered, whose ResourceSlices have to be deleted."""

    node: str
    driver: str


@dataclass(frozen=True, slots=True)
class UnreachableDriverKey:
    """A driver whose socket cannot be reached; `problem` is the text of the event."""

    node: str
    problem: str


@dataclass(frozen=True, slots=True)
class PublishedKey:
    """The devices that a driver of 1.30 published through the kubelet."""

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
