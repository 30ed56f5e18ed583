"""Fact and Offer: why a node does not suit a pod, and the changes that would remove this reason."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fakeapi.controllers.scheduler.node_state import NodeState, with_pods
from fakeapi.explaining.cluster_objects import reference
from fakeapi.explaining.harms import deletion_of_pods
from fakeapi.explaining.model import Change, Reference
from fakeapi.machinery.json_types import Object

AGAIN = "delete the pod and create it again with"
"""The start of the advice to create a pod again, because the field to change is immutable."""

After = Callable[[], tuple[Object, Sequence[NodeState]]]
"""A function that returns the pod and the changed nodes after a change."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A change, and the function that applies it to copies. `after`: None if the change cannot be tried."""

    change: Change
    after: After | None = None


@dataclass(frozen=True, slots=True)
class Shortage:
    """An insufficient resource of a node.

    - `free`: the free amount.
    - `text`: both amounts, such as "200 requested, at most 8 free".
    """

    free: Fraction
    text: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A reason why a node does not suit a pod.

    - `code`: a stable name of the reason, such as "NodeTainted".
    - `shape`: the reason without the values of the node. Nodes with equal shapes form one group.
    - `path`: the field of the pod or node to look at.
    - `offers`: the changes; each of them would remove the reason.
    - `lines`: the facts behind the reason, one line each. A line that all nodes of a group have appears once.
      Without lines and `wants`, `text` is used.
    - `wants` and `has`: the requirement of the pod, and the value of the node, for one line about all nodes
      with this value; "" for other facts.
    - `shortage`: for an insufficient resource, its amounts.
    """

    code: str
    shape: str
    text: str
    path: str
    offers: tuple[Offer, ...]
    blame: tuple[Reference, ...] = ()
    lines: tuple[str, ...] = ()
    wants: str = ""
    has: str = ""
    shortage: Shortage | None = None


def recreated(pod: Object, what: str, path: str, spec: Callable[[], Object], value: str = "") -> Offer:
    """Returns the offer to create the pod again. `spec`: returns the changed spec of the pod."""
    change = Change(f"{AGAIN} {what}", "edit", [reference("Pod", pod)], path, value=value)
    return Offer(change, lambda: ({**pod, "spec": spec()}, ()))


def of_node(
    pod: Object,
    state: NodeState,
    text: str,
    path: str,
    node: Callable[[], Object],
    *,
    harm: str = "",
    value: str = "",
) -> Offer:
    """Returns the offer to change a node. `node`: returns the changed node."""
    change = Change(
        text, "edit", [Reference("Node", state.name)], path, node=state.name, harm=harm, value=value
    )
    return Offer(change, lambda: (pod, (with_pods(NodeState(node()), state.pods),)))


def of_label(pod: Object, state: NodeState, key: str, value: str) -> Offer:
    """Returns the offer to set a label of a node. Warns if the label already has another value."""
    labels = state.node["metadata"].get("labels") or {}
    harm = f"other pods may rely on {key}={labels[key]} of the node" if key in labels else ""
    return of_node(
        pod,
        state,
        f"label node {state.name} {key}={value}",
        "metadata.labels",
        lambda: labelled(state.node, key, value),
        harm=harm,
        value=f"{key}={value}",
    )


def labelled(node: Object, key: str, value: str) -> Object:
    """Returns a copy of a node with a label."""
    metadata = node["metadata"]
    return {**node, "metadata": {**metadata, "labels": {**(metadata.get("labels") or {}), key: value}}}


def without_pods(pod: Object, states: Sequence[NodeState], gone: Sequence[Object], node: str) -> Offer:
    """Returns the offer to delete pods. `states`: the nodes of these pods. `node`: the node to free."""
    names = {(one["metadata"]["namespace"], one["metadata"]["name"]) for one in gone}

    def after() -> tuple[Object, Sequence[NodeState]]:
        left = [
            with_pods(
                state,
                [
                    one
                    for one in state.pods
                    if (one["metadata"]["namespace"], one["metadata"]["name"]) not in names
                ],
            )
            for state in states
        ]
        return pod, left

    return Offer(deletion_of_pods(gone, node), after)


def new_node(pod: Object, state: NodeState, text: str, node: Callable[[], Object]) -> Offer:
    """Returns the offer to add a node. The trial replaces the node of `state` by the new node, without pods.

    `node`: returns the new node. The new node must have the name of the old node, so that the trial finds the
    same devices.
    """
    return Offer(Change(text, "create"), lambda: (pod, (NodeState(node()),)))
