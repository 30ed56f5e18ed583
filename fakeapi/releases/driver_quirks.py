"""Differences between releases in the work of the kubelet with DRA drivers.

The source is k8s.io/kubernetes `pkg/kubelet` and `pkg/kubelet/cm/dra`.
"""

from dataclasses import dataclass
from typing import Literal

from fakeapi.releases.history import History


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)  # a base of `Quirks`
class DriverQuirks:
    """Differences in the work of the kubelet with DRA drivers."""

    drivers_are_called_by_handles: bool
    """The kubelet calls DRA drivers with the resource handles of an allocation, and drivers answer with CDI
    devices only.
    """

    kubelet_publishes_slices: bool
    """The kubelet publishes ResourceSlices of the resources that drivers stream to it."""

    kubelet_explains_predicates: bool
    """The message of a pod that the kubelet rejects says why the predicate failed, not only its name."""

    kubelet_keeps_driver_instances: bool
    """The kubelet keeps several instances of a DRA driver, and calls the one that registered last."""

    slices_outlive_drivers_by: float | None
    """Seconds after which the kubelet deletes the ResourceSlices of a driver that unregistered; None: never.
    """

    health_services: tuple[str, ...]
    """gRPC services through which the kubelet watches the health of devices, newest first; empty before 1.34.
    """

    drivers_offer_health: bool
    """The kubelet watches only drivers that register a health service; if False, it tries every driver."""

    drivers_say_how_long_health_holds: bool
    """A health report has a timeout for each device, after which its health is stale."""

    health_finds_claims_by: Literal["name in pod", "status", "spec"]
    """Source from which the kubelet takes a claim's name, to report the health of a container's devices: the
    pod's own name for the claim up to 1.34, the pod's status in 1.35, its spec from 1.36.
    """

    health_is_of_requests: bool
    """A container status lists only the devices of the request that the container references, each once."""


HISTORY: History = {
    "drivers_are_called_by_handles": {27: True, 31: False},
    "kubelet_publishes_slices": {27: False, 30: True, 31: False},
    "kubelet_explains_predicates": {27: False, 31: True},
    "kubelet_keeps_driver_instances": {27: False, 33: True},
    "slices_outlive_drivers_by": {27: None, 31: 0.0, 33: 30.0},
    "health_services": {
        27: (),
        34: ("v1alpha1.DRAResourceHealth",),
        37: ("v1.DRAResourceHealth", "v1alpha1.DRAResourceHealth"),
    },
    "drivers_offer_health": {27: False, 37: True},
    "drivers_say_how_long_health_holds": {27: False, 35: True},
    "health_finds_claims_by": {27: "name in pod", 35: "status", 36: "spec"},
    "health_is_of_requests": {27: False, 36: True},
}
