"""Registers the Node object of a kubelet, and renews the node's Lease (the heartbeat)."""

from collections.abc import Callable
from contextlib import suppress

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.informer import pause
from fakeapi.controllers.kubelet.declared_features import declared_features
from fakeapi.devices.nodes import NodeSpec
from fakeapi.machinery.json_types import Object
from fakeapi.releases.kubelet_quirks import kubelet_quirks_of

HEARTBEAT_SECONDS = 10.0
LEASE_SECONDS = 40
CAPACITY = {"cpu": "8", "memory": "32Gi", "pods": "110", "ephemeral-storage": "100Gi"}
_HEALTHY = {
    "MemoryPressure": ("False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    "DiskPressure": ("False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    "PIDPressure": ("False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    "Ready": ("True", "KubeletReady", "kubelet is posting ready status"),
}

UNREACHABLE_TAINT = "node.kubernetes.io/unreachable"
_UNREACHABLE = ("Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")


def node_object(spec: NodeSpec, address: str, version: str, now: str, features: list[str]) -> Object:
    """Returns the Node object that a kubelet registers.

    - `version`: the version that the kubelet reports if `spec` has no version.
    - `now`: the time of the heartbeats, in RFC 3339.
    - `features`: the features that the kubelet declares.
    """
    name, capacity = spec.name, {**CAPACITY, **spec.capacity}
    labels = {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        **spec.labels,
    }
    addresses = [{"type": "InternalIP", "address": address}, {"type": "Hostname", "address": name}]
    info = {
        "machineID": "",
        "systemUUID": "",
        "bootID": "",
        "kernelVersion": "",
        "osImage": "",
        "containerRuntimeVersion": "fakeapi://0",
        "kubeletVersion": spec.version or version,
        "kubeProxyVersion": "",
        "operatingSystem": "linux",
        "architecture": "amd64",
    }
    conditions = [
        {
            "type": kind,
            "status": status,
            "reason": reason,
            "message": message,
            "lastHeartbeatTime": now,
            "lastTransitionTime": now,
        }
        for kind, (status, reason, message) in _HEALTHY.items()
    ]
    return {
        "kind": "Node",
        "apiVersion": "v1",
        "metadata": {
            "name": name,
            "labels": labels,
            **({"annotations": dict(spec.annotations)} if spec.annotations else {}),
        },
        "spec": {"taints": list(spec.taints)} if spec.taints else {},
        "status": {
            "capacity": capacity,
            "allocatable": capacity,
            "conditions": conditions,
            "addresses": addresses,
            "nodeInfo": info,
            **({"declaredFeatures": features} if features else {}),
        },
    }


class ExtendedResources:
    """Tracks the extended resources in a Node's capacity. The kubelet copies them to `status.allocatable`.

    Follows MachineInfo in k8s.io/kubernetes `pkg/kubelet/nodestatus`.
    """

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def changed_allocatable(self, node: Object) -> dict[str, str | None]:
        """Returns a merge patch for `status.allocatable`.

        The value None deletes an extended resource that is no longer in the capacity.
        """
        capacity, allocatable = (node["status"].get(field) or {} for field in ("capacity", "allocatable"))
        extended = {name: amount for name, amount in capacity.items() if "/" in name}
        changed: dict[str, str | None] = {
            name: amount for name, amount in extended.items() if allocatable.get(name) != amount
        }
        gone = (self._seen - extended.keys()) & allocatable.keys()
        self._seen = set(extended)
        return {**changed, **dict.fromkeys(gone)}


async def register(context: ControllerContext, api: InProcessClient, spec: NodeSpec, address: str) -> None:
    """Creates the Node if it does not exist, and writes its status.

    Removes the not-ready taint that the server's admission added. Raises StatusError if a request fails.
    """
    nodes = context.served("", "nodes")
    node = node_object(spec, address, context.version, context.now(), _features(context))
    path = nodes.path(name=spec.name)
    try:
        current = await api.create(nodes.path(), node)
    except StatusError as problem:
        if not problem.is_already_exists:
            raise
        current = await api.get(path)
    taints = [
        taint
        for taint in current["spec"].get("taints") or ()
        if taint["key"] != "node.kubernetes.io/not-ready"
    ]
    if len(taints) != len(current["spec"].get("taints") or ()):
        await api.patch(path, {"spec": {"taints": taints or None}})
    await api.patch(f"{path}/status", {"status": node["status"]}, "strategic")


def _features(context: ControllerContext) -> list[str]:
    primary = context.cluster.catalogue.primary
    quirks = kubelet_quirks_of(primary.minor)
    return declared_features(primary.gates, quirks.declares_features, quirks.always_declares_features)


async def beat(
    context: ControllerContext, api: InProcessClient, name: str, is_running: Callable[[], bool]
) -> None:
    """Renews the node's Lease every HEARTBEAT_SECONDS while the kubelet runs, until the task is cancelled.

    Creates a missing Lease.
    """
    leases = context.served("coordination.k8s.io", "leases")
    path = leases.path("kube-node-lease", name)
    while True:
        if not is_running():
            await pause(context.clock, HEARTBEAT_SECONDS)
            continue
        now = f"{context.now()[:-1]}.000000Z"
        spec = {"holderIdentity": name, "leaseDurationSeconds": LEASE_SECONDS, "renewTime": now}
        try:
            await api.patch(path, {"spec": spec})
        except StatusError as problem:
            if problem.is_not_found:
                metadata = {
                    "name": name,
                    "namespace": "kube-node-lease",
                    "ownerReferences": await _owner(context, api, name),
                }
                lease = {
                    "kind": "Lease",
                    "apiVersion": leases.api_version,
                    "metadata": metadata,
                    "spec": spec,
                }
                with suppress(StatusError):
                    await api.create(leases.path("kube-node-lease"), lease)
        await pause(context.clock, HEARTBEAT_SECONDS)


async def report_reachable(
    context: ControllerContext, api: InProcessClient, name: str, *, is_reachable: bool
) -> None:
    """Writes the condition Ready of a Node, and adds or removes the taints of an unreachable node.

    Follows k8s.io/kubernetes `pkg/controller/nodelifecycle`. Raises StatusError if a request fails.
    """
    path, now = context.served("", "nodes").path(name=name), context.now()
    status, reason, message = _HEALTHY["Ready"] if is_reachable else _UNREACHABLE
    ready = {"type": "Ready", "status": status, "reason": reason, "message": message}
    times = {"lastHeartbeatTime": now, "lastTransitionTime": now}
    await api.patch(f"{path}/status", {"status": {"conditions": [{**ready, **times}]}}, "strategic")
    node = await api.get(path)
    taints = [taint for taint in node["spec"].get("taints") or () if taint["key"] != UNREACHABLE_TAINT]
    if not is_reachable:
        taints += [
            {"key": UNREACHABLE_TAINT, "effect": effect, "timeAdded": now}
            for effect in ("NoSchedule", "NoExecute")
        ]
    await api.patch(path, {"spec": {"taints": taints or None}})


async def _owner(context: ControllerContext, api: InProcessClient, name: str) -> list[Object]:
    """Returns the ownerReferences for the Lease of a node: a list with one reference to the Node.

    Returns an empty list if the Node cannot be read.
    """
    try:
        node = await api.get(context.served("", "nodes").path(name=name))
    except StatusError:
        return []
    return [{"apiVersion": "v1", "kind": "Node", "name": name, "uid": node["metadata"]["uid"]}]
