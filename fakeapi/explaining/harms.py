"""Describes the harm of a change: pods that lose their node, and other users of a changed object."""

from collections.abc import Sequence

from fakeapi.controllers.workloads.pods import has_ended
from fakeapi.explaining.cluster_objects import ClusterObjects, class_path, reference
from fakeapi.explaining.model import Change, Reference, listed
from fakeapi.machinery.json_types import Object

PODS_NAMED = 4
"""Maximum number of pods that the text of a change names; `Change.objects` has all pods."""


def harm_of_deletion(pods: Sequence[Object]) -> str:
    """Returns a text with the pods that lose their nodes and devices; "" if no running or starting pod has a
    node.
    """
    placed = [pod for pod in pods if pod["spec"].get("nodeName") and not has_ended(pod)]
    if not placed:
        return ""
    devices = any(pod["spec"].get("resourceClaims") for pod in placed)
    if len(placed) == 1:
        (pod,) = placed
        phase = "Running on" if pod["status"].get("phase") == "Running" else "on"
        return (
            f"the pod is {phase} node {pod['spec']['nodeName']}{' and loses its devices' if devices else ''}"
        )
    running = sum(pod["status"].get("phase") == "Running" for pod in placed)
    state = f"{running} of them are Running" if running else "they have nodes"
    return f"{state}{' and lose their devices' if devices else ''}"


def deletion(objects: Sequence[Reference], pods: Sequence[Object], node: str = "") -> Change:
    """Returns the change that deletes objects. `pods`: the pods in `objects`."""
    text = f"delete {listed(objects, PODS_NAMED)}"
    return Change(text, "delete", [*objects], node=node, harm=harm_of_deletion(pods))


def deletion_of_pods(pods: Sequence[Object], node: str = "") -> Change:
    """Returns the change that deletes pods."""
    return deletion([reference("Pod", pod) for pod in pods], pods, node)


def pods_of(cluster: ClusterObjects, references: Sequence[Reference]) -> list[Object]:
    """Returns the existing pods among the referenced objects."""
    pods = (cluster.get("pods", one.namespace, one.name) for one in references if one.kind == "Pod")
    return [pod for pod in pods if pod is not None]


def harm_to_class_users(cluster: ClusterObjects, owner: Reference, claim: Object) -> str:
    """Returns the number of other claims that use a changed DeviceClass, as text; "" if only `claim` uses it.

    `owner`: the changed object. Returns "" for a claim, because other claims have their own spec.
    """
    if owner.kind != "DeviceClass":
        return ""
    others = sum(
        bool(class_path(one, owner.name))
        for one in cluster.of("resourceclaims")
        if one["metadata"] != claim["metadata"]
    )
    if not others:
        return ""
    return f"{others} other {'claim uses' if others == 1 else 'claims use'} class {owner.name}"
