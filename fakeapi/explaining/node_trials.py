"""Tries changes of pods and nodes with the scheduler's filters, for groups of nodes with the same reason."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from fakeapi.controllers.scheduler.node_state import NodeState, required_terms
from fakeapi.explaining.model import Change
from fakeapi.explaining.node_offers import Fact
from fakeapi.explaining.topology_facts import TOPOLOGY
from fakeapi.machinery.json_types import Object

TRIED_IN_GROUP = 3
"""Maximum number of nodes of a group on which a changed node is tried."""

TRIED_WITH_POD = 8
"""Maximum number of nodes of a group on which a changed pod is tried.

Nodes of different topology domains come first.
"""

Fits = Callable[[Object, Sequence[NodeState], Sequence[str]], Awaitable[Mapping[str, Sequence[str]]]]
"""A function that returns the scheduler's reasons to exclude nodes, for a changed pod and changed nodes.

The result has a list for each node name; the list is [] if the pod fits.
"""


class NodeTrials:
    """Tries the changes that facts about nodes offer.

    - `fits`: runs the scheduler's filters.
    - `in_words`: returns a message of the scheduler about a node as text for the user.
    """

    def __init__(self, fits: Fits, in_words: Callable[[str, str], str]) -> None:
        self._fits = fits
        self._in_words = in_words

    async def changes(
        self, names: Sequence[str], facts: Mapping[str, Sequence[Fact]], candidates: Sequence[str]
    ) -> list[Change]:
        """Tries the changes for a group of nodes; sets their `sufficient`, `needs` and `node`.

        Tries a changed pod on several nodes. Names the node if the pod does not fit on all of them.

        - `names`: the nodes of the group; the first node gives the changes.
        - `candidates`: the nodes on which the changed pod could fit.
        """
        is_topology = facts[names[0]][0].code in TOPOLOGY.values()
        known: dict[str, Change] = {}
        fitting: list[str] = []
        for name in names[:TRIED_IN_GROUP] if is_topology else names[:1]:
            for offer in (offer for fact in facts[name] for offer in fact.offers):
                if offer.change.text in known:
                    continue
                if offer.after is None:
                    known[offer.change.text] = offer.change
                    continue
                pod, states = offer.after()
                if not states:
                    change = await self._of_pod(offer.change, pod, candidates)
                    known[offer.change.text] = change
                    fitting += [change.node] if change.sufficient else []
        of_nodes: list[Change] = []
        for name in [*dict.fromkeys([*fitting, *names])][:TRIED_IN_GROUP]:
            tried = await self._of_node(facts[name], name)
            of_nodes += tried if is_topology or not of_nodes else []
            if not is_topology and any(change.sufficient for change in tried):
                of_nodes = tried
                break
        return [*known.values(), *of_nodes]

    async def _of_pod(self, change: Change, pod: Object, names: Sequence[str]) -> Change:
        """Tries a changed pod on nodes. Names the node if the pod fits on some of the nodes only."""
        results = await self._fits(pod, (), names)
        fitting = [name for name in names if not results[name]]
        if not fitting:
            return msgspec.structs.replace(change, sufficient=False, needs=self._needs(results, names[0]))
        text, node = change.text, fitting[0]
        if len(fitting) < len(names):
            text = f"{text}; the pod then fits on node {node}"
        return msgspec.structs.replace(change, text=text, sufficient=True, node=node)

    async def _of_node(self, facts: Sequence[Fact], name: str) -> list[Change]:
        """Tries the changes of one node that facts about the node offer."""
        changes = []
        for offer in (offer for fact in facts for offer in fact.offers if offer.after is not None):
            pod, states = offer.after() if offer.after else ({}, ())
            if states:
                results = await self._fits(pod, states, [name])
                needs, works = self._needs(results, name), not results[name]
                changes.append(msgspec.structs.replace(offer.change, sufficient=works, needs=needs))
        return changes

    def _needs(self, results: Mapping[str, Sequence[str]], name: str) -> str:
        """Returns the reasons that exclude a node after a change, as text; "" for a node that fits."""
        return ", and ".join(self._in_words(one, name) for one in results[name])


def one_of_each(names: Sequence[str], states: Mapping[str, NodeState], pod: Object) -> list[str]:
    """Returns at most TRIED_WITH_POD nodes. The first node of each topology domain of the pod comes first.

    `names`: the nodes to choose from, the best node first.
    """
    spread = pod["spec"].get("topologySpreadConstraints") or ()
    terms = [*spread, *required_terms(pod, "podAffinity"), *required_terms(pod, "podAntiAffinity")]
    keys = [*dict.fromkeys(one["topologyKey"] for one in terms)]
    first: dict[tuple[str, ...], str] = {}
    for name in names if keys else ():
        labels = states[name].node["metadata"].get("labels") or {}
        first.setdefault(tuple(labels.get(key, "") for key in keys), name)
    return [*dict.fromkeys([*first.values(), *names])][:TRIED_WITH_POD]
