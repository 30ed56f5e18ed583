"""Returns the number of objects that wait or need attention, and the nodes that are not ready."""

import msgspec

from fakeapi.control.devices.attention import AttentionCount, read_attention
from fakeapi.control.devices.objects import Node
from fakeapi.control.devices.reading import read, read_pods
from fakeapi.control.devices.silent_nodes import SilentNode, silent_nodes
from fakeapi.control.route import Call, Route

SILENT_NODES_MAX = 1_000
"""Maximum number of nodes that are not ready in one response; `total` counts all of them."""


class SilentNodeList(msgspec.Struct, rename="camel"):
    """The nodes that are not ready, in the order of their names."""

    nodes: list[SilentNode]
    total: int


async def pending(call: Call) -> AttentionCount:
    return (await read_attention(call.server.cluster)).count()


async def read_silent(call: Call) -> SilentNodeList:
    cluster = call.server.cluster
    nodes = silent_nodes(await read(cluster, "", "nodes", Node), await read_pods(cluster))
    return SilentNodeList(nodes[:SILENT_NODES_MAX], len(nodes))


ROUTES = (
    Route(
        "GET",
        "/pending",
        pending,
        "The numbers of pods, claims, workloads and namespaces that wait or need attention.",
        answer=AttentionCount,
    ),
    Route(
        "GET",
        "/silent-nodes",
        read_silent,
        "The nodes that are not ready, so that the status of their pods may be old.",
        answer=SilentNodeList,
    ),
)
