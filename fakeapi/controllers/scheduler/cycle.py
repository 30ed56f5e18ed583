"""A scheduling attempt: filters and scores the nodes for a pod, and chooses a node."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from itertools import compress
from operator import attrgetter
from typing import Any

import msgspec

from fakeapi.controllers.allocation.allocator import has_shares
from fakeapi.controllers.allocation.effort import Effort
from fakeapi.controllers.scheduler.claim_plugin import ClaimPlugin, PodClaims
from fakeapi.controllers.scheduler.node_answers import (
    NO_PARTS,
    REFUSED,
    Answer,
    KnownAnswers,
    NodeAnswers,
    requirements_of,
)
from fakeapi.controllers.scheduler.node_filters import FILTERS, Wants, node_affinity, taint_toleration
from fakeapi.controllers.scheduler.node_state import NodeState
from fakeapi.controllers.scheduler.pod_topology import PodTopology, Spread, has_rules
from fakeapi.controllers.scheduler.scoring import Scoring, totals
from fakeapi.controllers.scheduler.status import CannotSchedule, Unschedulable, nodes_message
from fakeapi.machinery.json_types import Object
from fakeapi.releases import Quirks

_SAFE_PART = 4
"""Divisor of the limit on tries.

If an attempt uses at most a quarter, no node's search can reach its limit.
"""
_shunning = attrgetter("shunning")
_NOT_HELPFUL = "Preemption is not helpful for scheduling"
_NO_VICTIMS = "No preemption victims found for incoming pod"


class Outcome(msgspec.Struct, eq=False):
    """The result of a scheduling attempt.

    - `claims`: the pod's claims during the attempt.
    - `count`: the number of nodes in the cluster.
    - `node`: the chosen node; "" if no node is feasible. Without a feasible node, `problem` or `refusals`
      contains the reasons.
    - `feasible`: the feasible nodes with their scores. A single feasible node has the score 0.
    - `problem`: a reason that excludes all nodes, such as a missing class; "" without such a reason.
    - `refusals`: by node, the reason why the pod does not fit. May be empty if a node was chosen.
    """

    claims: PodClaims
    count: int
    node: str = ""
    feasible: dict[str, int] = msgspec.field(default_factory=dict)
    problem: str = ""
    refusals: dict[str, Unschedulable] = msgspec.field(default_factory=dict)
    filtering: "Filtering | None" = None
    ineligible: str = ""
    """The reason why the pod may not preempt other pods; "" if preemption is allowed."""
    hindrances: dict[str, Unschedulable] = msgspec.field(default_factory=dict)
    """By node, the reason why the pod does not fit even after all pods of lower priority are deleted."""

    def message(self, of_claims: str | None) -> str:
        """Returns the message for the pod's condition PodScheduled.

        `of_claims`: the message about deallocated claims; None if the scheduler preempted pods.
        """
        reasons: dict[str, int] = {}
        for refusal in self.refusals.values():
            for reason in refusal.reasons:
                reasons[reason] = reasons.get(reason, 0) + 1
        text = nodes_message(self.count, self.problem, reasons)
        if of_claims is None:
            return text
        why = self.ineligible or nodes_message(self.count, "", self._preemption())
        preemption = f"preemption: {why}"
        return f"{text} {of_claims}, {preemption}" if of_claims else f"{text} {preemption}"

    def _preemption(self) -> dict[str, int]:
        reasons: dict[str, int] = {}
        victims = 0
        for name, refusal in self.refusals.items():
            if refusal.preemptible:
                victims += 1
                hindrance = self.hindrances.get(name)
                for reason in (_NO_VICTIMS,) if hindrance is None else hindrance.reasons:
                    reasons[reason] = reasons.get(reason, 0) + 1
        if self.count > victims:
            reasons[_NOT_HELPFUL] = self.count - victims
        return reasons


class Filtering(msgspec.Struct, frozen=True):
    """The filters of one scheduling attempt. The filters decide whether the pod fits on a node.

    `states`: all nodes of the cluster, because the filters for affinity and topology spread count pods on all
    nodes.
    """

    pod: Object
    states: Mapping[str, NodeState]
    plugin: ClaimPlugin[Any]
    claims: PodClaims
    quirks: Quirks
    namespaces: Callable[[], Mapping[str, Object]]
    effort: Effort

    async def refusals(
        self, names: Iterable[str], *, has_topology: bool | None = None
    ) -> AsyncIterator[tuple[NodeState, Unschedulable | None]]:
        """Yields each node in `names`, with the reason why the pod does not fit on it; None if the pod fits.

        `has_topology`: the value of the property `has_topology`; None if the caller does not know the value.

        Raises PluginError for a problem with the pod's claims that ends the scheduling attempt.
        """
        wants = Wants(self.pod, self.quirks, self.claims.by_class)
        has_topology = self.has_topology if has_topology is None else has_topology
        topology = await self._topology(wants) if has_topology else None
        for name in names:
            state = self.states[name]
            refusal = next(
                (problem for check in FILTERS if (problem := check(wants, state)) is not None), None
            )
            if refusal is None and topology is not None:
                refusal = topology.filter(state)
            await self.effort.give_turn_if_over()
            yield state, refusal or await self.plugin.filter(self.claims, self.pod, state, self.effort)

    @property
    def has_topology(self) -> bool:
        """Whether the pod, or a pod on a node, has rules for pod affinity or topology spread."""
        return has_rules(self.pod) or any(map(_shunning, self.states.values()))

    async def spreads(self) -> list[Spread]:
        """Returns the pod's topology spread constraints with DoNotSchedule."""
        return (await self._topology(Wants(self.pod, self.quirks, self.claims.by_class))).spreads

    async def _topology(self, wants: Wants) -> PodTopology:
        """Returns the filter for pod affinity and topology spread. Counts the pods on all nodes."""
        topology = PodTopology(
            self.pod,
            self.namespaces,
            lambda node: node_affinity(wants, NodeState(node)) is None,
            lambda node: taint_toleration(wants, NodeState(node)) is None,
        )
        for state in self.states.values():
            topology.count(state)
            await self.effort.give_turn_if_over()
        return topology


async def attempt(
    pod: Object,
    states: Mapping[str, NodeState],
    plugin: ClaimPlugin[Any],
    quirks: Quirks,
    choose: Callable[[list[str]], str],
    effort: Effort,
    turn: int = 0,
    namespaces: Callable[[], Mapping[str, Object]] = dict,
    known: KnownAnswers | None = None,
) -> Outcome:
    """Runs one scheduling attempt for a pod.

    - `states`: the nodes of the cluster by name, in the order of names.
    - `choose`: chooses a node from the nodes with the best score.
    - `effort`: limits the search for devices.
    - `turn`: the number of earlier attempts that ended with an error.
    - `namespaces`: returns the cluster's namespaces by name.
    - `known`: the results of earlier attempts per node. These results save work, but do not change the
      outcome.

    Raises PluginError for a problem with the pod's claims that ends the attempt.
    """
    try:
        claims = await plugin.pre_filter(pod, effort, turn)
    except CannotSchedule as problem:
        return Outcome(PodClaims(), len(states), problem=str(problem))
    outcome = Outcome(claims, len(states))
    filtering = Filtering(pod, states, plugin, claims, quirks, namespaces, effort)
    outcome.filtering = filtering
    if known is not None and await _decide_by_answers(outcome, filtering, choose, known):
        return outcome
    scoring = Scoring(pod)
    fitting: list[NodeState] = []
    async for state, refusal in filtering.refusals(states):
        if refusal is None:
            fitting.append(state)
        else:
            outcome.refusals[state.name] = refusal
    if len(fitting) == 1:
        outcome.feasible = {fitting[0].name: 0}
    elif fitting:
        parts = [scoring.parts(state, plugin.score(claims, state.name)) for state in fitting]
        outcome.feasible = dict(zip((state.name for state in fitting), totals(parts), strict=True))
    if outcome.feasible:
        best = max(outcome.feasible.values())
        outcome.node = choose(sorted(name for name, score in outcome.feasible.items() if score == best))
    return outcome


async def _decide_by_answers(
    outcome: Outcome, filtering: Filtering, choose: Callable[[list[str]], str], known: KnownAnswers
) -> bool:
    """Decides an attempt with the stored answers of nodes. Checks only nodes without an up-to-date answer.

    Returns False if the stored answers cannot decide the attempt. The caller must then check all nodes.
    Reasons:

    - The pod or its claims have no key for stored answers.
    - Pods have rules for pod affinity or topology spread.
    - The search for devices comes near its limit. All nodes share this limit.

    Raises PluginError for a problem with the pod's claims that ends the attempt.
    """
    claims, effort = filtering.claims, filtering.effort
    of_claims, of_pod = filtering.plugin.answer_key(claims), requirements_of(filtering.pod)
    if of_claims is None or of_pod is None or filtering.has_topology:
        return False
    key, before, gave_up = (of_pod, of_claims), effort.tries, effort.gave_up
    answers = known.take(key, filtering.states, claims.inventory)
    names = answers.forget_stale()
    effort.tries -= answers.tries
    await _answer(answers, names, filtering)
    if effort.gave_up or before - effort.tries > before // _SAFE_PART:
        effort.restart(before, gave_up=gave_up)
        return False
    known.keep(key, answers)
    scores = answers.scores()
    best = max(scores, default=REFUSED)
    if best == REFUSED:
        outcome.refusals = answers.refusals()
        return True
    outcome.node = choose(list(compress(answers.names, map(best.__eq__, scores))))
    refused = scores.count(REFUSED)
    if refused == len(scores) - 1:
        outcome.feasible = {outcome.node: 0}
    else:
        pairs: Iterable[tuple[str, int]] = zip(answers.names, scores, strict=True)
        outcome.feasible = dict(compress(pairs, map(REFUSED.__ne__, scores)) if refused else pairs)
    chosen = answers.answer(outcome.node)
    if chosen is not None and chosen.allocation is not None:
        claims.allocations[outcome.node] = chosen.allocation
    return True


async def _answer(answers: NodeAnswers, names: Iterable[str], filtering: Filtering) -> None:
    """Checks whether a pod fits on the nodes `names`, and stores the answers.

    The pod must not have rules about other pods. Raises PluginError for a problem with the pod's claims that
    ends the attempt.
    """
    claims, effort, scoring = filtering.claims, filtering.effort, Scoring(filtering.pod)
    tries, seconds = effort.tries, effort.seconds
    async for state, refusal in filtering.refusals(names, has_topology=False):
        allocation = claims.allocations.get(state.name)
        parts = NO_PARTS
        if refusal is None:
            parts = scoring.parts(state, filtering.plugin.score(claims, state.name))
        is_lasting = (
            seconds == effort.seconds
            and not claims.node_claims.get(state.name)
            and (allocation is None or (refusal is None and not has_shares(allocation)))
        )
        answers.put(state.name, Answer(refusal, parts, allocation, tries - effort.tries, is_lasting))
        tries, seconds = effort.tries, effort.seconds
