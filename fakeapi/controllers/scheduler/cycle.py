"""One attempt to find a node for a pod."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fakeapi.controllers.scheduler.claim_plugin import ClaimPlugin, PodClaims
from fakeapi.controllers.scheduler.filters import FILTERS, Wants
from fakeapi.controllers.scheduler.node_state import NodeState
from fakeapi.controllers.scheduler.scoring import scores
from fakeapi.controllers.scheduler.status import CannotSchedule, Unschedulable, nodes_message
from fakeapi.machinery.json_types import Object
from fakeapi.releases import Quirks

_NOT_HELPFUL = "Preemption is not helpful for scheduling"
_NO_VICTIMS = "No preemption victims found for incoming pod"


@dataclass(eq=False, slots=True)
class Outcome:
    """`node` is where the pod goes; empty where it fits nowhere, and `problem` and `refusals` say why.

    `feasible` are the nodes that it fits on with their scores; a single one is not scored.
    """

    claims: PodClaims
    count: int
    node: str = ""
    feasible: dict[str, int] = field(default_factory=dict)
    problem: str = ""
    refusals: dict[str, Unschedulable] = field(default_factory=dict)

    def message(self, of_claims: str, quirks: Quirks) -> str:
        """The message of the pod's condition PodScheduled; `of_claims` are the words of PostFilter."""
        reasons: dict[str, int] = {}
        for refusal in self.refusals.values():
            for reason in refusal.reasons:
                reasons[reason] = reasons.get(reason, 0) + 1
        text = nodes_message(self.count, self.problem, reasons)
        preemption = f"preemption: {nodes_message(self.count, '', self._preemption())}"
        return f"{text} {of_claims}, {preemption}" if of_claims else f"{text} {preemption}"

    def _preemption(self) -> dict[str, int]:
        reasons: dict[str, int] = {}
        victims = sum(refusal.preemptible for refusal in self.refusals.values())
        if victims:
            reasons[_NO_VICTIMS] = victims
        if self.count > victims:
            reasons[_NOT_HELPFUL] = self.count - victims
        return reasons


def attempt(
    pod: Object,
    states: Mapping[str, NodeState],
    plugin: ClaimPlugin[Any],
    quirks: Quirks,
    choose: Callable[[list[str]], str],
    turn: int = 0,
) -> Outcome:
    """The outcome for a pod. `choose` picks one of the best nodes, `turn` counts the attempts that ended with
    an error. Raises PluginError.
    """
    try:
        claims = plugin.pre_filter(pod, turn)
    except CannotSchedule as problem:
        return Outcome(PodClaims(), len(states), problem=str(problem))
    outcome = Outcome(claims, len(states))
    wants = Wants(pod, quirks, claims.by_class)
    fitting: list[NodeState] = []
    for state in states.values():
        refusal = next(
            (found for each in FILTERS if (found := each(wants, state)) is not None), None
        ) or plugin.filter(claims, pod, state)
        if refusal is None:
            fitting.append(state)
        else:
            outcome.refusals[state.name] = refusal
    if len(fitting) == 1:
        outcome.feasible = {fitting[0].name: 0}
    elif fitting:
        of_claims = {state.name: plugin.score(claims, state.name) for state in fitting}
        outcome.feasible = scores(pod, fitting, of_claims)
    if outcome.feasible:
        best = max(outcome.feasible.values())
        outcome.node = choose(sorted(name for name, score in outcome.feasible.items() if score == best))
    return outcome
