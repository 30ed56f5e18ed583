"""Explains a pod whose nodeSelector, node affinity or nodeName allows only a few nodes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from fakeapi.explaining.change_plans import freeing_steps, plan_of
from fakeapi.explaining.cluster_objects import reference
from fakeapi.explaining.dropped import Describer
from fakeapi.explaining.model import Change, Reason, distinct, listed
from fakeapi.explaining.node_offers import Fact
from fakeapi.explaining.node_trials import Fits
from fakeapi.explaining.selector_text import HEADLINE_LENGTH
from fakeapi.explaining.tally import NodeTally
from fakeapi.explaining.trial import Case, Trial
from fakeapi.machinery.json_types import Object
from fakeapi.registry.offloading.turns import Turns

NODES_ALLOWED = 3
"""Maximum number of nodes that a pod allows if its explanation begins with these nodes."""

NODES_TRIED = 3
"""Maximum number of other nodes on which a change of the pod and of its claims is tried together."""

LACKS_DEVICES = "cannot allocate all claims"
"""The scheduler's message about a node that lacks devices."""

_WORDS = {"NodeSelector": "nodeSelector", "NodeAffinity": "node affinity", "NodeName": "spec.nodeName"}
"""The codes of facts about nodes that the pod itself excludes, and the names of the fields."""

_SHORTER = (
    (re.compile(r" pass(?:es)? the other filters, but (has|have) no "), r" \1 no "),
    (
        re.compile(r" is allocated, and only (nodes? .+) can use its devices"),
        r" is allocated to devices of \1",
    ),
)
"""Parts of the texts of reasons, and their shorter forms after the names of the allowed nodes."""


@dataclass(frozen=True, slots=True)
class Pinning:
    """The nodes that a pod allows by its nodeSelector, node affinity or nodeName.

    - `allowed`: the names of these nodes, at most NODES_ALLOWED.
    - `others`: the facts about each other node.
    """

    allowed: Sequence[str]
    others: Mapping[str, Sequence[Fact]]

    @property
    def field(self) -> str:
        """The words for the fields that exclude the other nodes, such as "nodeSelector"."""
        codes = dict.fromkeys(fact.code for facts in self.others.values() for fact in facts)
        return " and ".join(_WORDS[code] for code in codes if code in _WORDS)

    @property
    def fact(self) -> Fact:
        """The first fact about a node that the pod itself excludes."""
        facts = (fact for own in self.others.values() for fact in own)
        return next(fact for fact in facts if fact.code in _WORDS)

    def is_about(self, reason: Reason) -> bool:
        """Whether a reason concerns only allowed nodes."""
        return (
            bool(reason.nodes) and reason.node_count <= NODES_ALLOWED and set(reason.nodes) <= {*self.allowed}
        )

    def headline(self, text: str) -> str:
        """Returns the text of a reason about allowed nodes, after the words that name these nodes."""
        for pattern, shorter in _SHORTER:
            text = pattern.sub(shorter, text)
        allowed = listed(sorted(self.allowed), NODES_ALLOWED)
        return f"{self.field} allows only {allowed}; {text.removeprefix('node ')}"


async def pinning_of(names: Sequence[str], facts: Mapping[str, Sequence[Fact]]) -> Pinning | None:
    """Returns the nodes that the pod allows; None if the pod allows none, many, or most of the nodes.

    - `names`: all nodes.
    - `facts`: the reasons other than devices that exclude a node, by node name.
    """
    turns = Turns()
    allowed: list[str] = []
    others: dict[str, Sequence[Fact]] = {}
    for name in names:
        await turns.give_turn_if_over()
        own = facts.get(name, ())
        if any(fact.code in _WORDS for fact in own):
            others[name] = own
        elif len(allowed) == NODES_ALLOWED:
            return None
        else:
            allowed.append(name)
    return Pinning(allowed, others) if allowed and len(others) >= len(allowed) else None


@dataclass(frozen=True, slots=True)
class PinnedPod:
    """Begins the reasons of a pod with the few nodes that the pod allows.

    - `fits`: runs the scheduler's filters.
    - `tallies` and `cases`: the devices of each node, and its case, by node name.
    """

    pod: Object
    pinning: Pinning
    fits: Fits
    trial: Trial
    describer: Describer
    tallies: Mapping[str, NodeTally]
    cases: Mapping[str, Case]

    async def sorted(self, reasons: Sequence[Reason]) -> list[Reason]:
        """Returns the reasons, those about the allowed nodes first. The first reason names these nodes.

        If the allowed nodes need new devices, the first reason takes the changes that allow another node.
        """
        first = [reason for reason in reasons if self.pinning.is_about(reason)]
        if not first:
            return [*reasons]
        rest = [reason for reason in reasons if not self.pinning.is_about(reason)]
        head = first[0]
        texts = [head.text, *(one.text for one in first[1:])]
        whole = self.pinning.headline("; ".join(texts))
        head.text = whole if len(whole) <= HEADLINE_LENGTH else self.pinning.headline(head.text)
        fact, count = self.pinning.fact, len(self.pinning.others)
        others = f"{count} other node" if count == 1 else f"{count} other nodes"
        head.details.insert(0, f"{fact.wants or fact.text}, which excludes {others}")
        if head.object is None:
            head.object, head.path, head.claim = reference("Pod", self.pod), fact.path, None
        if not any(_helps(change) for change in head.changes):
            await self._add_changes(head, rest)
        return [*first, *rest]

    async def _add_changes(self, head: Reason, rest: Sequence[Reason]) -> None:
        """Moves the sufficient changes that allow another node to the first reason.

        Without such a change, adds a change of the pod and its claims together.
        """
        for reason in rest:
            moved = [change for change in reason.changes if _helps(change) and reason.code in _WORDS]
            if moved:
                reason.changes = [change for change in reason.changes if change not in moved]
                head.changes = sorted([*moved, *head.changes], key=lambda change: change.rank)
                return
        if any(_helps(change) for reason in rest for change in reason.changes):
            return
        together = await self._together()
        if together is not None:
            head.changes = distinct(sorted([together, *head.changes], key=lambda change: change.rank))

    async def _together(self) -> Change | None:
        """Returns a change that allows another node and lets this node serve the claims; None without one."""
        for name in await self._candidates():
            for offer in (offer for fact in self.pinning.others[name] for offer in fact.offers):
                pod, states = ({}, ()) if offer.after is None else offer.after()
                if offer.after is None or states:
                    continue
                if [*(await self.fits(pod, (), [name]))[name]] != [LACKS_DEVICES]:
                    continue
                steps = freeing_steps(self.describer, self.tallies[name])
                plan = await plan_of(self.trial, self.cases[name], steps)
                if plan is not None:
                    return _both(offer.change, plan, name)
        return None

    async def _candidates(self) -> list[str]:
        """Returns the other nodes that have devices of each class; the nodes that lack fewest come first."""
        turns = Turns()
        keys = []
        for name in self.pinning.others:
            await turns.give_turn_if_over()
            tally = self.tallies.get(name)
            if (
                tally is not None
                and tally.short
                and all(any(one.selected for one in own) for own in tally.requests)
            ):
                keys.append((tally.missing, name))
        return [name for _, name in sorted(keys)[:NODES_TRIED]]


def _helps(change: Change) -> bool:
    """Whether a change suffices without new devices, and without another hostname of a node."""
    return bool(change.sufficient) and change.action != "add" and not change.sets_hostname


def _both(of_pod: Change, plan: Change, node: str) -> Change:
    """Joins a change of the pod with a change for its claims."""
    steps = [of_pod, *(plan.steps or [plan])]
    objects = list(dict.fromkeys(one for step in steps for one in step.objects))
    text = f"{of_pod.text}, and {plan.text}"
    return msgspec.structs.replace(
        plan, text=text, action="all", objects=objects, node=node, steps=steps, path="", value=""
    )
