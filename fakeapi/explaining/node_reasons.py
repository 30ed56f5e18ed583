"""Groups the nodes that scheduler filters exclude for reasons other than devices, and tries changes."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from fakeapi.controllers.scheduler.cycle import Outcome
from fakeapi.controllers.scheduler.filters import Wants
from fakeapi.controllers.scheduler.node_state import NodeState, with_pods
from fakeapi.explaining.briefs import node_brief
from fakeapi.explaining.cluster_objects import ClusterObjects, consumers_of, reference, results_of
from fakeapi.explaining.dropped import taint_text
from fakeapi.explaining.model import NAMES_SHOWN, Change, Reason, Reference
from fakeapi.explaining.node_facts import AGAIN, Fact, facts_of
from fakeapi.explaining.tally import NodeTally
from fakeapi.explaining.topology_facts import TOPOLOGY, topology_fact
from fakeapi.machinery.json_types import Object

GROUPS_SHOWN = 20
"""Maximum number of groups of nodes; the last reason has the number of further groups."""

_ELSEWHERE = "resourceclaim not available on the node"

Fits = Callable[[Object, NodeState], Awaitable[Sequence[str]]]
"""A function that returns the scheduler's reasons to exclude a node for a pod; [] if the pod fits."""

_LACKS_DEVICES = {
    "cannot allocate all claims": "the node lacks devices for the claims",
    "resourceclaim not available on the node": "a claim is allocated to devices of another node",
}
"""Maps the messages of the plugin DynamicResources to reasons in words."""


class NodeReasons:
    """The nodes of one scheduling attempt, grouped by the reasons that exclude them.

    - `by_claims`: the names of the nodes that only lack devices.
    - `tallies`: the devices of each node, if they were counted.
    """

    def __init__(
        self, cluster: ClusterObjects, pod: Object, outcome: Outcome, wants: Wants, fits: Fits
    ) -> None:
        self._cluster = cluster
        self._pod = pod
        self._outcome = outcome
        self._fits = fits
        self._facts: dict[str, list[Fact]] = {}
        self.by_claims: set[str] = set()
        self.tallies: Mapping[str, NodeTally] = {}
        for name, refusal in outcome.refusals.items():
            state = cluster.node_states[name]
            facts = facts_of(wants, state)
            if not facts and refusal.reasons[0] in TOPOLOGY:
                facts = [topology_fact(cluster, pod, state, refusal.reasons[0])]
            elif not facts and _ELSEWHERE in refusal.reasons:
                facts = [self._elsewhere(state)]
            if facts:
                self._facts[name] = facts
            else:
                self.by_claims.add(name)

    def text_of(self, name: str) -> str:
        """Returns all reasons that exclude a node, in one line; "" if the node only lacks devices."""
        return "; ".join(fact.text for fact in self._facts.get(name, ()))

    async def reasons(self, able: set[str]) -> list[Reason]:
        """Returns one reason for each group of nodes that the same filters exclude.

        `able`: the nodes with the devices of all claims; their groups come first.
        """
        groups: dict[tuple[Any, ...], list[str]] = {}
        for name, facts in self._facts.items():
            key = (name not in able, *((fact.code, fact.shape) for fact in facts))
            groups.setdefault(key, []).append(name)
        for names in groups.values():
            names.sort(key=self._missing)
        ordered = sorted(
            groups.items(), key=lambda item: (item[0][0], len(item[0]), -len(item[1]), item[1][0])
        )
        return [await self._reason(names, has_devices=not key[0]) for key, names in ordered[:GROUPS_SHOWN]]

    async def _reason(self, names: Sequence[str], *, has_devices: bool) -> Reason:
        facts = self._facts[names[0]]
        first = facts[0]
        but = "the devices, but is refused" if len(names) == 1 else "the devices, but are refused"
        if len(names) > 1:
            verb = f"have {but}" if has_devices else "are refused"
            text = f"{len(names)} nodes {verb}: {first.shape}"
            if first.code == "NodeSelector" and len(names) == len(self._outcome.refusals):
                text = f"no node matches {first.shape.removeprefix('no match for ')} ({len(names)} nodes)"
        elif has_devices:
            text = f"node {names[0]} has {but}: {first.shape}"
        else:
            text = first.text
        target = self._object(first, names[0])
        reason = Reason(first.code, text, object=target, path=first.path)
        reason.details = [
            fact.text for name in names[:NAMES_SHOWN] for fact in self._facts[name] if fact.text not in text
        ]
        reason.nodes, reason.node_count = sorted(names)[:NAMES_SHOWN], len(names)
        reason.blame = list(dict.fromkeys(one for fact in facts for one in fact.blame))
        reason.changes = [change for fact in facts for change in await self._changes(fact, names[0])]
        reason.changes.sort(key=lambda change: not change.sufficient)
        return reason

    def _object(self, fact: Fact, node: str) -> Reference:
        if fact.code in _OF_POD:
            return reference("Pod", self._pod)
        return fact.blame[0] if fact.code == "ClaimElsewhere" and fact.blame else Reference("Node", node)

    async def _changes(self, fact: Fact, name: str) -> list[Change]:
        state = self._cluster.node_states[name]
        pod, changed = _changed(fact, self._pod, state)
        left = await self._fits(pod, changed)
        needs = ", and ".join(self._lacks(name) if one in _LACKS_DEVICES else one for one in left)
        if fact.code in TOPOLOGY.values():  # the change is not simulated
            needs = ""
        changes = []
        for text in fact.changes:
            action, path = _ACTIONS.get(fact.code, "edit"), fact.path
            objects = [*fact.blame] or [self._object(fact, name)]
            if text.startswith((AGAIN, "add a toleration")):
                action, objects = "edit", [reference("Pod", self._pod)]
            elif text.startswith("label node"):
                path, objects = "metadata.labels", [Reference("Node", name)]
            changes.append(Change(text, action, objects, path, 0, name, not left, needs=needs))
        return changes

    def _missing(self, name: str) -> tuple[bool, int]:
        """Returns a key that sorts the nodes by the devices that they lack, nodes with devices first."""
        tally = self.tallies.get(name)
        if tally is None:
            return True, 0
        lacks_class = any(all(not one.in_class for one in choices) for choices in tally.requests)
        return lacks_class, tally.missing

    def _lacks(self, name: str) -> str:
        """Says which devices a node lacks."""
        tally = self.tallies.get(name)
        if tally is None or not tally.short:
            return "the node lacks devices for the claims"
        return f"node {name} lacks devices: {node_brief(tally)}"

    def needs(self, names: Iterable[str]) -> str:
        """Returns in words what nodes need besides devices; "" for nodes that only lack devices."""
        shapes = [fact.shape for name in names for fact in self._facts.get(name, ())]
        return ", and ".join(dict.fromkeys(shapes))

    def _elsewhere(self, state: NodeState) -> Fact:
        """Returns a fact about a claim of the pod that is allocated to devices of other nodes."""
        namespace = self._pod["metadata"]["namespace"]
        for name in self._cluster.names_of_claims(self._pod):
            claim = self._cluster.get("resourceclaims", namespace, name)
            if claim is None or not claim["status"].get("allocation"):
                continue
            users = [user for user in consumers_of(claim) if user.name != self._pod["metadata"]["name"]]
            devices = ", ".join(f"{one['pool']}/{one['device']}" for one in results_of(claim)[:3])
            own = reference("ResourceClaim", claim)
            used = f", used by {', '.join(map(str, users[:3]))}" if users else ""
            text = f"{own} is allocated to {devices} of another node{used}"
            change = f"end {', '.join(map(str, users[:3]))}" if users else f"delete {own}"
            return Fact("ClaimElsewhere", text, text, "status.allocation", (change,), (own, *users))
        return Fact("ClaimElsewhere", _ELSEWHERE, _ELSEWHERE, "status.allocation", ("deallocate the claim",))


_OF_POD = frozenset(
    ("NodeSelector", "NodeAffinity", "NodeName", "HostPorts", "Insufficient", *TOPOLOGY.values())
)
_ACTIONS = {"HostPorts": "delete", "ClaimElsewhere": "delete"}


def _changed(fact: Fact, pod: Object, state: NodeState) -> tuple[Object, NodeState]:
    """Returns copies of the pod and the node with the change that a fact suggests."""
    spec = pod["spec"]
    match fact.code:
        case "NodeUnschedulable":
            node_spec = {key: value for key, value in state.node["spec"].items() if key != "unschedulable"}
            return pod, with_pods(_node_with(state, _untainted(node_spec, "unschedulable")), state.pods)
        case "NodeTaint" | "NodeNotReady":
            node_spec = _untainted(state.node["spec"], fact.shape)
            return pod, with_pods(_node_with(state, node_spec), state.pods)
        case "NodeSelector":
            return {**pod, "spec": {**spec, "nodeSelector": {}}}, state
        case "NodeAffinity":
            affinity = {key: value for key, value in spec["affinity"].items() if key != "nodeAffinity"}
            return {**pod, "spec": {**spec, "affinity": affinity}}, state
        case "NodeName":
            return {**pod, "spec": {**spec, "nodeName": ""}}, state
        case "Insufficient" if not fact.blame:
            return {**pod, "spec": _without_request(spec, fact.shape.removeprefix("insufficient "))}, state
        case "HostPorts" | "Insufficient" | "TooManyPods":
            return pod, with_pods(state, _without(state.pods, fact.blame, fact.code))
        case _:
            return pod, state


def _without_request(spec: Object, name: str) -> Object:
    """Returns a copy of a pod's spec without the containers' requests for a resource."""
    changed = {**spec}
    for field in ("containers", "initContainers"):
        if spec.get(field):
            changed[field] = [
                {**one, "resources": _without_resource(one.get("resources") or {}, name)}
                for one in spec[field]
            ]
    return changed


def _without_resource(resources: Object, name: str) -> Object:
    return {
        part: {key: amount for key, amount in amounts.items() if key != name}
        if isinstance(amounts, dict)
        else amounts
        for part, amounts in resources.items()
    }


def _node_with(state: NodeState, spec: Object) -> NodeState:
    return NodeState({**state.node, "spec": spec})


def _untainted(spec: Object, shape: str) -> Object:
    """Returns a copy of a node's spec without one taint. `shape`: the text that names the taint."""
    taints = [taint for taint in spec.get("taints") or () if not _is_named(taint, shape)]
    return {**spec, "taints": taints}


def _is_named(taint: Object, shape: str) -> bool:
    if shape in {"not ready", "unschedulable"}:
        return str(taint["key"]) == f"node.kubernetes.io/{shape.replace(' ', '-')}"
    return shape == f"tainted {taint_text(taint)}"


def _without(pods: Iterable[Object], gone: Iterable[Reference], code: str) -> list[Object]:
    if code == "TooManyPods":
        return [*pods][1:]
    names = {(one.namespace, one.name) for one in gone}
    return [pod for pod in pods if (pod["metadata"]["namespace"], pod["metadata"]["name"]) not in names]
