"""Finds the nodes whose pods may have an old status, because the kubelet is silent or not ready."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from fakeapi.control.devices.natural_order import natural_key
from fakeapi.control.devices.objects import Node, Pod

_ENDED = ("Succeeded", "Failed")


class SilentNode(msgspec.Struct, rename="camel"):
    """A node that is not ready. The status of its pods and claims may be old.

    - `is_unreachable`: whether the condition Ready is Unknown, because the kubelet has stopped to write.
    - `reason`: the message of the condition Ready, or else its reason.
    - `pods`: the number of pods on the node that have not ended.
    """

    name: str
    is_unreachable: bool
    reason: str
    pods: int


def silent_nodes(nodes: Iterable[Node], pods: Iterable[Pod]) -> list[SilentNode]:
    """Returns the nodes whose condition Ready is not True, in the order of their names."""
    conditions = (
        (node.metadata.name, condition)
        for node in nodes
        for condition in node.status.conditions or ()
        if condition.type == "Ready" and condition.status != "True"
    )
    silent = dict(conditions)
    running = Counter(pod.spec.node_name for pod in pods if silent and pod.status.phase not in _ENDED)
    return [
        SilentNode(name, condition.status == "Unknown", condition.message or condition.reason, running[name])
        for name, condition in sorted(silent.items(), key=lambda item: natural_key(item[0]))
    ]
