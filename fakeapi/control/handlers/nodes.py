"""Handlers that show the nodes of the kubelet controller, and stop and start their kubelets."""

import msgspec

from fakeapi.control.errors import refused
from fakeapi.control.route import Call, Route
from fakeapi.devices.node_views import NodeSummary, NodeView


class NodeList(msgspec.Struct):
    """The nodes of the kubelet controller, in the order of creation."""

    nodes: list[NodeSummary]


async def read(call: Call) -> NodeList:
    return NodeList(call.server.simulation.node_summaries())


async def read_one(call: Call) -> NodeView:
    name = call.path["name"]
    try:
        return call.server.simulation.node_view(name)
    except KeyError:
        raise refused(404, f"the controller kubelet has no node {name}") from None


ROUTES = (
    Route("GET", "/nodes", read, "The nodes of the kubelet controller.", answer=NodeList),
    Route(
        "GET",
        "/nodes/{name}",
        read_one,
        "A node: its drivers, prepared claims, pods and CDI devices.",
        answer=NodeView,
    ),
)
