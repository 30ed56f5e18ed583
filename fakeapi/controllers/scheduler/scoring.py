"""Scores nodes like kube-scheduler with its default profile.

Follows k8s.io/kubernetes `pkg/scheduler/framework/plugins`: integers from 0 to 100, times a weight. Does not
score ImageLocality, because the nodes of fakeapi have no images, and does not score pod affinity and topology
spread.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import NamedTuple

from fakeapi.controllers.allocation.nodes import matches_term
from fakeapi.controllers.scheduler.node_filters import tolerates_taint
from fakeapi.controllers.scheduler.node_state import Amounts, NodeState, requests_of, scored_requests
from fakeapi.machinery.json_types import Object

SCORE_MAX = 100
_SCORED = ("cpu", "memory")


class Parts(NamedTuple):
    """The parts of a node's score that do not depend on other nodes.

    - `taints`: the number of PreferNoSchedule taints that the pod does not tolerate.
    - `affinity`: the sum of the weights of the pod's matching preferred node affinity terms.
    - `claims`: the score of the plugin DynamicResources.
    - `resources`: the sum of the scores LeastAllocated and BalancedAllocation.
    """

    taints: int
    affinity: int
    claims: int
    resources: int


class Scoring:
    """Scores nodes for one pod."""

    def __init__(self, pod: Object) -> None:
        self._pod = pod
        self._requests = requests_of(pod)
        self._scored = scored_requests(pod)

    def parts(self, state: NodeState, of_claims: int) -> Parts:
        """Returns the parts of a node's score. `of_claims`: the score of the plugin DynamicResources."""
        resources = _least_allocated(self._scored, state) + _balanced(self._requests, state)
        return Parts(_intolerable(self._pod, state), _preference(self._pod, state), of_claims, resources)


def totals(parts: Sequence[Parts]) -> list[int]:
    """Returns the total score of each feasible node."""
    taints = _normalized([part.taints for part in parts], reverse=True)
    affinities = _normalized([part.affinity for part in parts])
    claims = _normalized([part.claims for part in parts])
    return [
        3 * taint + 2 * affinity + 2 * claim + part.resources
        for part, taint, affinity, claim in zip(parts, taints, affinities, claims, strict=True)
    ]


def scores_by_plugin(
    pod: Object, states: Sequence[NodeState], of_claims: Sequence[int]
) -> list[dict[str, int]]:
    """Returns the weighted score of each node from each plugin.

    The sum of the scores of a node equals the result of `totals`.

    `of_claims`: the scores of the plugin DynamicResources.
    """
    scoring = Scoring(pod)
    parts = [scoring.parts(state, score) for state, score in zip(states, of_claims, strict=True)]
    taints = _normalized([part.taints for part in parts], reverse=True)
    affinities = _normalized([part.affinity for part in parts])
    claims = _normalized([part.claims for part in parts])
    requests, scored = requests_of(pod), scored_requests(pod)
    return [
        {
            "TaintToleration": 3 * taints[index],
            "NodeAffinity": 2 * affinities[index],
            "DynamicResources": 2 * claims[index],
            "NodeResourcesFit": _least_allocated(scored, state),
            "NodeResourcesBalancedAllocation": _balanced(requests, state),
        }
        for index, state in enumerate(states)
    ]


def _normalized(counts: Sequence[int], *, reverse: bool = False) -> list[int]:
    most = max(counts, default=0)
    if not most:
        return [SCORE_MAX if reverse else 0] * len(counts)
    whole = [SCORE_MAX * value // most for value in counts]
    return [SCORE_MAX - value for value in whole] if reverse else whole


def _intolerable(pod: Object, state: NodeState) -> int:
    """Returns the number of the node's PreferNoSchedule taints that the pod does not tolerate."""
    return sum(
        taint["effect"] == "PreferNoSchedule" and not tolerates_taint(pod, taint)
        for taint in state.node["spec"].get("taints") or ()
    )


def _preference(pod: Object, state: NodeState) -> int:
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    preferred = affinity.get("preferredDuringSchedulingIgnoredDuringExecution") or ()
    return sum(term["weight"] for term in preferred if matches_term(term["preference"], state.node))


def _least_allocated(requests: Amounts, state: NodeState) -> int:
    """Returns the score LeastAllocated: high if much cpu and memory of the node are free after adding the
    pod.

    `requests`: the requests of the pod, with defaults for containers without requests.
    """
    total, count = 0, 0
    for name in _SCORED:
        has = state.allocatable(name)
        if not has:
            continue
        used = state.scored.get(name, Fraction(0)) + requests[name]
        total += 0 if used > has else int((has - used) * SCORE_MAX / has)
        count += 1
    return total // count if count else 0


def _balanced(requests: Amounts, state: NodeState) -> int:
    """Returns the score BalancedAllocation: high if the pod leaves cpu and memory of the node equally used.

    Returns 0 for a pod without requests.
    """
    if not any(requests.values()):
        return 0
    fractions = [
        min(1.0, float((state.requested.get(name, Fraction(0)) + requests.get(name, Fraction(0))) / has))
        for name in _SCORED
        if (has := state.allocatable(name))
    ]
    if len(fractions) <= 1:
        return SCORE_MAX
    mean = sum(fractions) / len(fractions)
    deviation = sqrt(sum((fraction - mean) ** 2 for fraction in fractions) / len(fractions))
    return int((1 - deviation) * SCORE_MAX)
