"""Differences between releases in how the kubelet works with DRA drivers."""

from typing import Literal

from fakeapi.releases.history import ReleaseValues, since

_DRA = "pkg/kubelet/cm/dra"
_PLUGINS = "pkg/kubelet/cm/dra/plugin"
_LIFECYCLE = "pkg/kubelet/lifecycle"


class DriverQuirks(ReleaseValues):
    """Describes how the kubelet of one release works with DRA drivers, where releases differ."""

    drivers_are_called_by_handles: bool = since({27: True, 31: False}, _DRA)
    """Whether the kubelet sends the resource handles of an allocation to DRA drivers.

    If so, drivers only return CDI devices.
    """

    kubelet_publishes_slices: bool = since({27: False, 30: True, 31: False}, _PLUGINS)
    """Whether DRA drivers stream their resources to the kubelet, which publishes them as ResourceSlices."""

    kubelet_explains_predicates: bool = since({27: False, 31: True}, _LIFECYCLE)
    """Whether the message of a pod that the kubelet rejects states why the failed predicate failed.

    Other releases only name the predicate.
    """

    kubelet_keeps_driver_instances: bool = since({27: False, 33: True}, _PLUGINS)
    """Whether the kubelet keeps several instances of a DRA driver, and calls the newest instance."""

    slices_outlive_drivers_by: float | None = since({27: None, 31: 0.0, 33: 30.0}, _PLUGINS)
    """Seconds until the kubelet deletes the ResourceSlices of an unregistered driver; None for never."""

    health_services: tuple[str, ...] = since(
        {
            27: (),
            34: ("v1alpha1.DRAResourceHealth",),
            37: ("v1.DRAResourceHealth", "v1alpha1.DRAResourceHealth"),
        },
        _PLUGINS,
    )
    """gRPC services with which the kubelet watches the health of devices, newest first; empty before 1.34."""

    drivers_offer_health: bool = since({27: False, 37: True}, _PLUGINS)
    """Whether the kubelet only watches device health of drivers that register a health service.

    Other releases try to watch the device health of every driver.
    """

    drivers_say_how_long_health_holds: bool = since({27: False, 35: True}, _DRA)
    """Whether a health report has a timeout for each device. After the timeout the report is stale."""

    health_finds_claims_by: Literal["name in pod", "status", "spec"] = since(
        {27: "name in pod", 35: "status", 36: "spec"}, _DRA
    )
    """The source of a claim's name when the kubelet reports the health of a container's devices.

    - "name in pod": the pod's own name for the claim, up to 1.34
    - "status": the pod's status, in 1.35
    - "spec": the pod's spec, from 1.36
    """

    health_is_of_requests: bool = since({27: False, 36: True}, _DRA)
    """Whether a container status only lists devices of the claim request to which the container refers.

    Each device occurs once.
    """
