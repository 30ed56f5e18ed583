"""Groups the nodes that scheduler filters exclude for reasons other than devices, and tries changes."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec

from fakeapi.controllers.scheduler.cycle import Outcome
from fakeapi.controllers.scheduler.node_filters import Wants
from fakeapi.controllers.scheduler.node_state import NodeState
from fakeapi.controllers.scheduler.pod_topology import NO_LABEL, SPREAD
from fakeapi.explaining.briefs import node_brief, node_names
from fakeapi.explaining.cluster_objects import (
    ClusterObjects,
    consumers_of,
    reference,
    results_of,
)
from fakeapi.explaining.fact_lines import fact_lines, most_free
from fakeapi.explaining.harms import deletion, pods_of
from fakeapi.explaining.model import NAMES_SHOWN, Change, Reason, Reference, distinct, listed
from fakeapi.explaining.node_facts import facts_of
from fakeapi.explaining.node_offers import Fact, Offer
from fakeapi.explaining.node_trials import Fits, NodeTrials, one_of_each
from fakeapi.explaining.pinned_pods import LACKS_DEVICES, Pinning, pinning_of
from fakeapi.explaining.shared_claims import OWN_CLAIM, can_use
from fakeapi.explaining.tally import NodeTally
from fakeapi.explaining.topology_facts import OF_OTHERS, TOPOLOGY, TopologyFacts
from fakeapi.machinery.json_types import Object
from fakeapi.registry.offloading.turns import Turns

GROUPS_SHOWN = 20
"""Maximum number of groups of nodes in an explanation; further groups are left out."""

_ELSEWHERE = "resourceclaim not available on the node"


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
        self._wants = wants

    async def examine(self) -> None:
        """Finds the reasons of each node. Call it before the other methods.

        Lets other tasks of the event loop run meanwhile.
        """
        cluster, outcome, turns = self._cluster, self._outcome, Turns()
        of_topology: dict[str, str] = {}
        for name, refusal in outcome.refusals.items():
            await turns.give_turn_if_over()
            state = cluster.node_states[name]
            facts = facts_of(self._wants, state)
            if not facts and refusal.reasons[0] in TOPOLOGY:
                of_topology[name] = refusal.reasons[0]
                continue
            if not facts and _ELSEWHERE in refusal.reasons:
                facts = [self._elsewhere(state)]
            if facts:
                self._facts[name] = facts
            else:
                self.by_claims.add(name)
        has_spreads = not {SPREAD, NO_LABEL}.isdisjoint(of_topology.values())
        filtering = outcome.filtering if has_spreads else None
        spreads = [] if filtering is None else await filtering.spreads()
        states = {} if filtering is None else filtering.states
        topology = TopologyFacts(cluster, self._pod, spreads, states, dict(self._facts))
        for name, message in of_topology.items():
            await turns.give_turn_if_over()
            self._facts[name] = [await topology.fact(cluster.node_states[name], message)]

    async def pinning(self) -> Pinning | None:
        """Returns the nodes that the pod itself allows; None if they are not few."""
        return await pinning_of([*self._outcome.refusals], self._facts)

    def text_of(self, name: str) -> str:
        """Returns all reasons that exclude a node, in one line; "" if the node only lacks devices."""
        return "; ".join(fact.text for fact in self._facts.get(name, ()))

    async def reasons(self, able: set[str]) -> list[Reason]:
        """Returns one reason for each group of nodes that the same filters exclude.

        `able`: the nodes with the devices of all claims; their groups come first.
        """
        turns = Turns()
        groups: dict[tuple[Any, ...], list[str]] = {}
        missing = {}
        for name, facts in self._facts.items():
            await turns.give_turn_if_over()
            missing[name] = self._missing(name)
            rank = 0 if name in able else 2 if able and self._lacks_class(name) else 1
            key = (rank, *((fact.code, fact.shape) for fact in facts))
            groups.setdefault(key, []).append(name)
        for names in groups.values():
            names.sort(key=missing.__getitem__)
            await turns.give_turn_if_over()
        ordered = sorted(
            groups.items(), key=lambda item: (item[0][0], len(item[0]), -len(item[1]), item[1][0])
        )
        return [
            self._hopeless(names)
            if key[0] == 2
            else await self._reason(names, _with_more_reasons(key, groups), has_devices=not key[0])
            for key, names in ordered[:GROUPS_SHOWN]
        ]

    def _hopeless(self, names: Sequence[str]) -> Reason:
        """Returns a short reason for nodes that have no device of a class of the pod's claims.

        Used if other nodes have the devices of all claims.
        """
        first = self._facts[names[0]][0]
        node = f"node {names[0]}" if len(names) == 1 else f"{len(names)} nodes"
        text = f"{node}: {first.shape}, and no device of the claim's class"
        reason = Reason(first.code, text, nodes=sorted(names)[:NAMES_SHOWN], node_count=len(names))
        reason.object = Reference("Node", names[0])
        return reason

    async def _reason(self, names: Sequence[str], more: Sequence[str], *, has_devices: bool) -> Reason:
        """Returns the reason of a group of nodes.

        `more`: the nodes of other groups that have the same reason and further reasons.
        """
        facts = self._facts[names[0]]
        first = facts[0]
        every = [*names, *more]
        but = "the devices, but is refused" if len(every) == 1 else "the devices, but are refused"
        if len(every) > 1:
            verb = f"have {but}" if has_devices else "are refused"
            text = f"{len(every)} nodes {verb}: {first.shape}"
            shortage = await most_free(every, self._facts)
            text += f" ({shortage})" if shortage else ""
            if first.code == "NodeSelector" and len(every) == len(self._outcome.refusals):
                text = f"no node matches {first.shape.removeprefix('no match for ')} ({len(every)} nodes)"
        elif has_devices and (allocated := self._allocated_here(names[0])):
            text = f"{allocated} is allocated on node {names[0]}, which is {_state_of(first)}"
        elif has_devices:
            text = f"node {names[0]} has {but}: {first.shape}"
        else:
            text = first.text
        target = self._object(first, names[0])
        reason = Reason(first.code, text, object=target, path=first.path)
        shown = [fact for name in names[:NAMES_SHOWN] for fact in self._facts[name]]
        reason.details = [line for line in await fact_lines(names, self._facts) if line not in text]
        reason.nodes, reason.node_count = sorted(every)[:NAMES_SHOWN], len(every)
        reason.blame = list(dict.fromkeys(one for fact in shown for one in fact.blame))[:NAMES_SHOWN]
        changes = await self._trials.changes(names, self._facts, self._candidates(names))
        changes = [_of_one(change) if len(names) > 1 else change for change in changes]
        reason.changes = distinct(sorted(changes, key=lambda change: change.rank))
        return reason

    def _candidates(self, names: Sequence[str]) -> list[str]:
        """Returns the nodes of a group on which a changed pod could fit; the first node if there are none.

        Leaves out nodes that lack devices. The first nodes of each topology domain come first.
        """
        able = [name for name in names if (tally := self.tallies.get(name)) is None or not tally.short]
        return one_of_each(able, self._cluster.node_states, self._pod) or [*names[:1]]

    def _object(self, fact: Fact, node: str) -> Reference:
        if fact.code in _OF_BLAMED and fact.blame:
            return fact.blame[0]
        return reference("Pod", self._pod) if fact.code in _OF_POD else Reference("Node", node)

    def _missing(self, name: str) -> tuple[bool, int]:
        """Returns the sort key of a node: nodes with devices first, then nodes that lack few devices."""
        tally = self.tallies.get(name)
        if tally is None:
            return True, 0
        return self._lacks_class(name), tally.missing

    def _lacks_class(self, name: str) -> bool:
        """Whether a node has no device of a wanted class. False if the node's devices were not counted."""
        tally = self.tallies.get(name)
        return tally is not None and any(
            all(not one.in_class for one in choices) for choices in tally.requests
        )

    @property
    def _trials(self) -> NodeTrials:
        """New trials. This object must not refer to them, because they refer to this object."""
        return NodeTrials(self._fits, self._in_words)

    def _in_words(self, message: str, name: str) -> str:
        """Returns the message of the scheduler about a node.

        Replaces messages about devices by clearer texts.
        """
        if message == _ELSEWHERE:
            return "a claim is allocated to devices of another node"
        return self._lacks(name) if message == LACKS_DEVICES else message

    def _lacks(self, name: str) -> str:
        """Returns a text about the devices that a node lacks."""
        tally = self.tallies.get(name)
        if tally is None or not tally.short:
            return "the node lacks devices for the claims"
        return f"node {name} lacks devices: {node_brief(tally)}"

    def needs(self, names: Iterable[str]) -> str:
        """Returns a text with the requirements besides devices that nodes do not meet; "" if the nodes only
        lack devices.
        """
        shapes = [fact.shape for name in names for fact in self._facts.get(name, ())]
        return ", and ".join(dict.fromkeys(shapes))

    def _elsewhere(self, state: NodeState) -> Fact:
        """Returns a fact about a claim of the pod that is allocated to devices of other nodes."""
        for claim, fact in self._allocations:
            if not can_use(claim, state.node):
                return fact
        wait = Offer(Change("deallocate the claim", "edit"))
        return Fact("ClaimElsewhere", _ELSEWHERE, _ELSEWHERE, "status.allocation", (wait,))

    @cached_property
    def _allocations(self) -> Sequence[tuple[Object, Fact]]:
        """The claims of the pod, each with the fact for the nodes that cannot use its devices."""
        namespace, names = self._pod["metadata"]["namespace"], self._cluster.names_of_claims(self._pod)
        claims = [self._cluster.get("resourceclaims", namespace, name) for name in names]
        return [
            (claim, self._allocated_elsewhere(claim, f"spec.resourceClaims[{index}].resourceClaimName"))
            for index, claim in enumerate(claims)
            if claim is not None
        ]

    def _allocated_here(self, name: str) -> Reference | None:
        """Returns a claim of the pod whose devices only this node can use; None without such a claim."""
        states = self._cluster.node_states.values()
        for claim, _ in self._allocations:
            is_allocated = bool(claim["status"].get("allocation"))
            if is_allocated and [one.name for one in states if can_use(claim, one.node)] == [name]:
                return reference("ResourceClaim", claim)
        return None

    def _allocated_elsewhere(self, claim: Object, path: str) -> Fact:
        """Returns a fact about an allocated claim. `path`: the field of the pod that names the claim."""
        own = reference("ResourceClaim", claim)
        users = [user for user in consumers_of(claim) if user.name != self._pod["metadata"]["name"]]
        devices = ", ".join(f"{one['pool']}/{one['device']}" for one in results_of(claim)[:3])
        nodes = [one.name for one in self._cluster.node_states.values() if can_use(claim, one.node)]
        only = f"only {node_names(nodes)} can use its devices" if nodes else "no node can use its devices"
        shape = f"{own} is allocated, and {only}"
        lines = [f"{own} has {devices}{f'; {listed(users, 3)} uses it' if users else ''}"]
        offers = [Offer(deletion(users or [own], pods_of(self._cluster, users)))]
        if users:
            lines.append(f"all pods that share a claim run where its devices are: {node_names(nodes)}")
            text = f"create a copy of {own}, and create the pod again with the copy in {path}"
            offers.append(Offer(Change(text, OWN_CLAIM, [reference("Pod", self._pod)], path)))
        return Fact(
            "ClaimElsewhere", shape, shape, "status.allocation", tuple(offers), (own, *users), tuple(lines)
        )


def _with_more_reasons(key: tuple[Any, ...], groups: Mapping[tuple[Any, ...], list[str]]) -> list[str]:
    """Returns the nodes of other groups of the same rank that have all reasons of a group, and more.

    `key`: the rank of the group, and its reasons.
    """
    own = set(key[1:])
    return [
        name
        for other, names in groups.items()
        if other[0] == key[0] and own < set(other[1:])
        for name in names
    ]


def _state_of(fact: Fact) -> str:
    """Returns the reason of a node as words after "which is"."""
    return fact.shape if fact.code in _OF_STATE else f"refused: {fact.shape}"


_OF_STATE = frozenset(("NodeUnschedulable", "NodeTaint", "NodeNotReady"))
"""The codes of facts whose shape is a state, such as "cordoned (spec.unschedulable)"."""


def _of_one(change: Change) -> Change:
    """Returns the label of one node as a label of one of several nodes, because each of them lacks it."""
    if change.path != "metadata.labels" or change.harm:
        return change
    return msgspec.structs.replace(
        change, text=f"label one of these nodes {change.value}, such as {change.node}"
    )


_OF_POD = frozenset(
    ("NodeSelector", "NodeAffinity", "NodeName", "HostPorts", "Insufficient", *TOPOLOGY.values())
)
_OF_BLAMED = frozenset((OF_OTHERS, "ClaimElsewhere"))
"""The codes of reasons whose `path` is a field of the first blamed object."""
