"""The names of the controllers in the option `controllers`, and their classes."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from fakeapi.controllers.place import Place
from fakeapi.machinery.suggestions import nearest

if TYPE_CHECKING:
    from fakeapi.controllers.controller import MakeController


_HERE = "fakeapi.controllers"
_SERVICES = (("", "services"),)
"""The resource that starts the endpoint controllers: Services.

The Service `kubernetes` does not start the controllers, because every cluster has this Service.
"""

_PLACES: Mapping[str, Place] = {
    "namespace": Place(f"{_HERE}.namespace", "NamespaceController"),
    "garbagecollector": Place(f"{_HERE}.garbage_collector", "GarbageCollector"),
    "kubelet": Place(f"{_HERE}.kubelet.controller", "KubeletController"),
    "scheduler": Place(f"{_HERE}.scheduler.controller", "SchedulerController"),
    "resourceclaim": Place(f"{_HERE}.resourceclaim", "ResourceClaimController"),
    "devicetainteviction": Place(f"{_HERE}.device_taint_eviction", "DeviceTaintEvictionController"),
    "resourcequota": Place(f"{_HERE}.resource_quota", "ResourceQuotaController"),
    "podgroup-protection": Place(f"{_HERE}.protection.pod_groups", "PodGroupProtectionController"),
    "persistentvolumeclaim-protection": Place(
        f"{_HERE}.protection.volumes", "PersistentVolumeClaimProtectionController"
    ),
    "persistentvolume-protection": Place(
        f"{_HERE}.protection.volumes", "PersistentVolumeProtectionController"
    ),
    "volumeattributesclass-protection": Place(
        f"{_HERE}.protection.volumes", "VolumeAttributesClassProtectionController"
    ),
    "daemonset": Place(f"{_HERE}.daemonset.controller", "DaemonSetController", (("apps", "daemonsets"),)),
    "deployment": Place(f"{_HERE}.deployment.controller", "DeploymentController", (("apps", "deployments"),)),
    "replicaset": Place(f"{_HERE}.replicaset.controller", "ReplicaSetController", (("apps", "replicasets"),)),
    "replicationcontroller": Place(
        f"{_HERE}.replicaset.controller",
        "ReplicationControllerController",
        (("", "replicationcontrollers"),),
    ),
    "statefulset": Place(
        f"{_HERE}.statefulset.controller", "StatefulSetController", (("apps", "statefulsets"),)
    ),
    "cronjob": Place(f"{_HERE}.cronjob.controller", "CronJobController", (("batch", "cronjobs"),)),
    "clusterrole-aggregation": Place(
        f"{_HERE}.roles.aggregation",
        "ClusterRoleAggregationController",
        (("rbac.authorization.k8s.io", "clusterroles"),),
    ),
    "job": Place(f"{_HERE}.job.controller", "JobController", (("batch", "jobs"),)),
    "ttl-after-finished": Place(f"{_HERE}.job.ttl", "TTLAfterFinishedController", (("batch", "jobs"),)),
    "endpointslice": Place(f"{_HERE}.endpoints.controller", "EndpointSliceController", _SERVICES, 1),
    "endpoints": Place(f"{_HERE}.endpoints.controller", "EndpointsController", _SERVICES, 1),
    "disruption": Place(
        f"{_HERE}.disruption.controller", "DisruptionController", (("policy", "poddisruptionbudgets"),)
    ),
    "flowschema": Place(
        f"{_HERE}.flow_schema", "FlowSchemaController", (("flowcontrol.apiserver.k8s.io", "flowschemas"),)
    ),
    "cert-manager": Place(f"{_HERE}.certificates.controller", "CertificateController"),
}
"""The modules and classes of the controllers, by name. The function `makers` imports the modules."""

EXTRA = frozenset({"cert-manager"})
"""Controllers that are not part of Kubernetes. The value "all" does not select these controllers, but
"all,cert-manager" selects cert-manager.
"""

ALL = "all"

SETTLE_SECONDS = 30.0
"""Default timeout, in seconds, of waiting until the controllers have settled."""


def chosen(names: str | Iterable[str]) -> list[str]:
    """Returns the names of the controllers that the option selects, without duplicates, in a fixed order.

    `names`: a list, or a string with commas. "all" selects every controller of Kubernetes. "-NAME" excludes a
    controller, as in "all,-scheduler". Raises ValueError for an unknown name, and for "-NAME" without "all".
    """
    parts = [part.strip() for part in (names.split(",") if isinstance(names, str) else names)]
    omitted = {part[1:] for part in parts if part.startswith("-")}
    selected = {part for part in parts if part and not part.startswith("-")}
    unknown = sorted((selected | omitted) - _PLACES.keys() - {ALL})
    if unknown or ALL in omitted:
        which = ", ".join(unknown or [f"-{ALL}"])
        meant = [nearest(name.removeprefix("-"), _PLACES) for name in unknown]
        if any(meant):
            raise ValueError(f"unknown controller {which}; did you mean {', '.join(filter(None, meant))}?")
        raise ValueError(f"unknown controller {which}; choose from {', '.join(_PLACES)} and {ALL}")
    if omitted and ALL not in selected:
        text = ", ".join(f"-{name}" for name in sorted(omitted))
        raise ValueError(f"{text} leaves a controller out of {ALL}, so name {ALL} too: {ALL},{text}")
    if ALL in selected:
        selected |= _PLACES.keys() - EXTRA
    selected -= omitted
    return [name for name in _PLACES if name in selected]


def makers(names: Iterable[str]) -> "dict[str, MakeController]":
    """Returns functions that make these controllers, by name.

    Imports the modules of all controllers except those that start on demand.
    """
    from fakeapi.controllers.on_demand import OnDemand, imported  # noqa: PLC0415 - only with controllers

    factories: dict[str, MakeController] = {}
    for name in names:
        place = _PLACES[name]
        factories[name] = partial(OnDemand, place=place) if place.needs else imported(place)
    return factories
