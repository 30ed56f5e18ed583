"""Describes the nodes of the kubelet controller for the control API."""

from collections.abc import Iterable, Iterator, Mapping

from fakeapi.controllers.informer import Informer
from fakeapi.controllers.kubelet.agent import NodeAgent
from fakeapi.controllers.kubelet.containers import cdi
from fakeapi.controllers.kubelet.prepared import PreparedClaim
from fakeapi.devices.node_views import (
    ClaimDevice,
    DeviceNodeView,
    Injection,
    MountView,
    NodeDriver,
    NodePod,
    NodeSummary,
    NodeView,
    PreparedClaimView,
)
from fakeapi.machinery.json_types import Object


def summaries_of(agents: Mapping[str, NodeAgent], pods: Informer) -> list[NodeSummary]:
    """Returns a summary of each node, in the order of creation."""
    counts: dict[str, int] = {}
    for pod in pods.objects.values():
        node = pod["spec"].get("nodeName", "")
        counts[node] = counts.get(node, 0) + 1
    return [
        NodeSummary(
            name=agent.name,
            directory=str(agent.directory),
            running=agent.is_running,
            drivers=agent.drivers,
            pods=counts.get(agent.name, 0),
            prepared_claims=sum(1 for _ in agent.prepared),
        )
        for agent in agents.values()
    ]


def view_of(agent: NodeAgent, pods: Informer) -> NodeView:
    """Returns the NodeView of a node: its pods, drivers, prepared claims and CDI edits."""
    claims = list(agent.prepared)
    devices = dict.fromkeys(name for claim in claims for name in claim.cdi_devices)
    directories = (*cdi.DIRECTORIES, agent.directory / cdi.NODE_DIRECTORY)
    specs = cdi.read_specs(directories) if devices else []
    return NodeView(
        name=agent.name,
        directory=str(agent.directory),
        running=agent.is_running,
        drivers=[
            NodeDriver(driver.name, driver.description, list(driver.offered))
            for _, driver in sorted(agent.registrations.drivers.items())
        ],
        claims=[_claim(claim) for claim in claims],
        pods=list(_pods(agent, pods.objects.values())),
        cdi_devices={name: _injection(cdi.edits_in(specs, [name])) for name in devices},
    )


def _claim(entry: PreparedClaim) -> PreparedClaimView:
    devices = [
        ClaimDevice(
            driver,
            device.pool,
            device.device,
            list(device.requests),
            device.share_id,
            list(device.cdi_devices),
        )
        for driver, prepared in entry.devices.items()
        for device in prepared
    ]
    claim = entry.claim
    return PreparedClaimView(claim.namespace, claim.name, claim.uid, sorted(entry.pods), devices)


def _pods(agent: NodeAgent, pods: Iterable[Object]) -> Iterator[NodePod]:
    for pod in pods:
        if pod["spec"].get("nodeName") != agent.name:
            continue
        metadata = pod["metadata"]
        devices = [name for claim in agent.prepared.of_pod(metadata["uid"]) for name in claim.cdi_devices]
        phase = pod["status"].get("phase", "")
        yield NodePod(metadata["namespace"], metadata["name"], metadata["uid"], phase, devices)


def _injection(edits: cdi.Edits) -> Injection:
    return Injection(
        edits.env,
        [DeviceNodeView(node.path, node.host_path) for node in edits.devices],
        [MountView(mount.path, mount.source, mount.read_only) for mount in edits.mounts],
    )
