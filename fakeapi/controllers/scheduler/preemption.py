"""Preemption: chooses pods of lower priority to delete, so that another pod fits on a node.

Follows k8s.io/kubernetes `pkg/scheduler/framework/preemption` and `plugins/defaultpreemption`, without
PodDisruptionBudgets.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fakeapi.controllers.scheduler.cycle import Filtering, Outcome
from fakeapi.controllers.scheduler.node_state import with_pods
from fakeapi.controllers.scheduler.status import Unschedulable
from fakeapi.machinery.json_types import Object


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node, and the pods (victims) to delete on this node. The most important pod is first."""

    node: str
    victims: tuple[Object, ...]


async def best_candidate(pod: Object, outcome: Outcome) -> Candidate | None:
    """Returns the node with the least important victims; None if the pod may not or cannot preempt pods.

    Stores the reasons why the pod does not preempt others in `outcome`. Raises PluginError if the filter for
    the pod's claims ends with an error.
    """
    filtering = outcome.filtering
    if filtering is None:
        return None
    if pod["spec"].get("preemptionPolicy") == "Never":
        outcome.ineligible = "not eligible due to preemptionPolicy=Never."
    elif _has_made_room(pod, filtering):
        outcome.ineligible = "not eligible due to a terminating pod on the nominated node."
    if outcome.ineligible:
        return None
    candidates = []
    for name, refusal in outcome.refusals.items():
        candidate = await _candidate(pod, filtering, name) if refusal.preemptible else None
        if isinstance(candidate, Candidate):
            candidates.append(candidate)
        elif candidate is not None:
            outcome.hindrances[name] = candidate
    return min(candidates, key=_cost, default=None)


async def _candidate(pod: Object, filtering: Filtering, name: str) -> Candidate | Unschedulable | None:
    """Returns the pods (victims) to delete on the node `name`, so that the pod fits on it.

    - None: the node has no pods of lower priority, or the pod fits without a deletion.
    - Unschedulable: the pod does not fit even after all pods of lower priority are deleted.
    """
    on_node = filtering.states[name].pods
    lower = sorted((other for other in on_node if priority_of(other) < priority_of(pod)), key=_importance)
    kept = [other for other in on_node if priority_of(other) >= priority_of(pod)]
    if not lower:
        return None
    refusal = await _refusal(filtering, name, kept)
    if refusal is not None:
        return refusal
    victims = []
    for other in lower:
        if await _refusal(filtering, name, [*kept, other]) is None:
            kept.append(other)
        else:
            victims.append(other)
    return Candidate(name, tuple(victims)) if victims else None


async def _refusal(filtering: Filtering, name: str, pods: Sequence[Object]) -> Unschedulable | None:
    """Returns the reason why the pod does not fit on a node; None if it fits.

    - `name`: the name of the node.
    - `pods`: the other pods to assume on the node, instead of its present pods.
    """
    states = {**filtering.states, name: with_pods(filtering.states[name], pods)}
    [(_, refusal)] = [result async for result in replace(filtering, states=states).refusals([name])]
    return refusal


def _has_made_room(pod: Object, filtering: Filtering) -> bool:
    """Whether pods of lower priority are still terminating on the pod's nominated node.

    These terminating pods make room for the pod, so the pod may not preempt more pods yet.
    """
    state = filtering.states.get(pod["status"].get("nominatedNodeName", ""))
    return state is not None and any(
        "deletionTimestamp" in other["metadata"] and priority_of(other) < priority_of(pod)
        for other in state.pods
    )


def priority_of(pod: Object) -> int:
    return int(pod["spec"].get("priority") or 0)


def _importance(pod: Object) -> tuple[int, str]:
    return -priority_of(pod), _started(pod)


def _started(pod: Object) -> str:
    return str(pod["status"].get("startTime") or pod["metadata"]["creationTimestamp"])


def _cost(candidate: Candidate) -> tuple[int, int, int, tuple[int, ...], str]:
    """Returns the sort key of a candidate node. The best candidate has the smallest key.

    The key consists of: the highest priority of a victim, the sum of the victims' priorities, the number of
    victims, the earliest start of the victims with the highest priority (later is better), and the node name.
    """
    priorities = [priority_of(victim) for victim in candidate.victims]
    highest = [victim for victim in candidate.victims if priority_of(victim) == max(priorities)]
    earliest = min(_started(victim) for victim in highest)
    newest_first = tuple(-ord(character) for character in earliest)
    return (
        max(priorities),
        sum(priority + 2**31 for priority in priorities),
        len(priorities),
        newest_first,
        candidate.node,
    )
