"""Returns the nodes of the kubelet controller, and stops and starts their kubelets."""

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


async def stop(call: Call) -> NodeView:
    return await _set_running(call, is_running=False)


async def start(call: Call) -> NodeView:
    return await _set_running(call, is_running=True)


async def _set_running(call: Call, *, is_running: bool) -> NodeView:
    name = call.path["name"]
    try:
        await call.server.simulation.set_node_running(name, is_running=is_running)
    except KeyError:
        raise refused(404, f"the controller kubelet has no node {name}") from None
    return await read_one(call)


ROUTES = (
    Route("GET", "/nodes", read, "The nodes of the kubelet controller.", answer=NodeList),
    Route(
        "GET",
        "/nodes/{name}",
        read_one,
        "A node: its drivers, prepared claims, pods and CDI devices.",
        answer=NodeView,
    ),
    Route(
        "POST",
        "/nodes/{name}/stop",
        stop,
        "Stop the kubelet of a node; the Node becomes unreachable.",
        answer=NodeView,
    ),
    Route("POST", "/nodes/{name}/start", start, "Start the kubelet of a stopped node.", answer=NodeView),
)
