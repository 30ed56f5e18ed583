"""Scores nodes like kube-scheduler with its default profile.

Follows k8s.io/kubernetes `pkg/scheduler/framework/plugins`: integers from 0 to 100, times a weight.
ImageLocality is missing, because the nodes of fakeapi have no images. The scores for pod affinity and
topology spread are missing too.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import sqrt

from fakeapi.controllers.allocation.nodes import matches_term
from fakeapi.controllers.scheduler.filters import tolerates_taint
from fakeapi.controllers.scheduler.node_state import NodeState, requests_of, scored_requests
from fakeapi.machinery.json_types import Object

SCORE_MAX = 100
_SCORED = ("cpu", "memory")


def scores(pod: Object, states: Sequence[NodeState], of_claims: Mapping[str, int]) -> dict[str, int]:
    """Returns the total score of each node, by node name.

    `of_claims`: the scores of the plugin DynamicResources, by node name.
    """
    parts = scores_by_plugin(pod, states, of_claims)
    return {state.name: sum(parts[state.name].values()) for state in states}


def scores_by_plugin(
    pod: Object, states: Sequence[NodeState], of_claims: Mapping[str, int]
) -> dict[str, dict[str, int]]:
    """Returns the weighted score of each node from each plugin, by node name and plugin.

    `of_claims`: the scores of the plugin DynamicResources, by node name.
    """
    taints = [_intolerable(pod, state) for state in states]
    affinities = [_preference(pod, state) for state in states]
    claims = [of_claims.get(state.name, 0) for state in states]
    parts = {
        "TaintToleration": (3, _normalized(taints, reverse=True)),
        "NodeAffinity": (2, _normalized(affinities)),
        "DynamicResources": (2, _normalized(claims)),
        "NodeResourcesFit": (1, [_least_allocated(pod, state) for state in states]),
        "NodeResourcesBalancedAllocation": (1, [_balanced(pod, state) for state in states]),
    }
    return {
        state.name: {plugin: weight * part[index] for plugin, (weight, part) in parts.items()}
        for index, state in enumerate(states)
    }


def _normalized(found: Sequence[int], *, reverse: bool = False) -> list[int]:
    most = max(found, default=0)
    if not most:
        return [SCORE_MAX if reverse else 0] * len(found)
    whole = [SCORE_MAX * value // most for value in found]
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


def _least_allocated(pod: Object, state: NodeState) -> int:
    """Returns the score (LeastAllocated) for the free cpu and memory of a node after adding the pod."""
    requests = scored_requests(pod)
    total, count = 0, 0
    for name in _SCORED:
        has = state.allocatable(name)
        if not has:
            continue
        used = state.scored.get(name, Fraction(0)) + requests[name]
        total += 0 if used > has else int((has - used) * SCORE_MAX / has)
        count += 1
    return total // count if count else 0


def _balanced(pod: Object, state: NodeState) -> int:
    """Returns the score for how evenly a node's cpu and memory are used after adding the pod.

    Returns 0 for a pod without requests.
    """
    requests = requests_of(pod)
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
