"""Preemption: which pods of lower priority have to go for a pod that fits nowhere.

Follows k8s.io/kubernetes `pkg/scheduler/framework/preemption` and `plugins/defaultpreemption`. Disruption
budgets are not looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fakeapi.controllers.scheduler.cycle import Filtering, Outcome
from fakeapi.controllers.scheduler.node_state import with_pods
from fakeapi.controllers.scheduler.status import Unschedulable
from fakeapi.machinery.json_types import Object


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node, and the pods on it that have to go, the most important first."""

    node: str
    victims: tuple[Object, ...]


def best_candidate(pod: Object, outcome: Outcome) -> Candidate | None:
    """The node whose pods matter least; None where it would not help, which `outcome` then says.

    Raises PluginError.
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
    found = []
    for name, refusal in outcome.refusals.items():
        candidate = _candidate(pod, filtering, name) if refusal.preemptible else None
        if isinstance(candidate, Candidate):
            found.append(candidate)
        elif candidate is not None:
            outcome.hindrances[name] = candidate
    return min(found, key=_cost, default=None)


def _candidate(pod: Object, filtering: Filtering, name: str) -> Candidate | Unschedulable | None:
    """What has to go from a node, or why the pod would not fit without all that is less important."""
    on_node = filtering.states[name].pods
    lower = sorted((each for each in on_node if priority_of(each) < priority_of(pod)), key=_importance)
    kept = [each for each in on_node if priority_of(each) >= priority_of(pod)]
    if not lower:
        return None
    refusal = _refusal(filtering, name, kept)
    if refusal is not None:
        return refusal
    victims = []
    for each in lower:
        if _refusal(filtering, name, [*kept, each]) is None:
            kept.append(each)
        else:
            victims.append(each)
    return Candidate(name, tuple(victims)) if victims else None


def _refusal(filtering: Filtering, name: str, pods: Sequence[Object]) -> Unschedulable | None:
    """Why the pod does not fit on a node that has just these pods."""
    states = {**filtering.states, name: with_pods(filtering.states[name], pods)}
    [(_, refusal)] = replace(filtering, states=states).refusals([name])
    return refusal


def _has_made_room(pod: Object, filtering: Filtering) -> bool:
    """Whether pods that went for this one are not gone yet."""
    state = filtering.states.get(pod["status"].get("nominatedNodeName", ""))
    return state is not None and any(
        "deletionTimestamp" in each["metadata"] and priority_of(each) < priority_of(pod)
        for each in state.pods
    )


def priority_of(pod: Object) -> int:
    return int(pod["spec"].get("priority") or 0)


def _importance(pod: Object) -> tuple[int, str]:
    return -priority_of(pod), _started(pod)


def _started(pod: Object) -> str:
    return str(pod["status"].get("startTime") or pod["metadata"]["creationTimestamp"])


def _cost(candidate: Candidate) -> tuple[int, int, int, tuple[int, ...], str]:
    """Highest priority, sum of priorities, number of victims, and the later the start the better."""
    priorities = [priority_of(each) for each in candidate.victims]
    highest = [each for each in candidate.victims if priority_of(each) == max(priorities)]
    earliest = min(_started(each) for each in highest)
    newest_first = tuple(-ord(character) for character in earliest)
    return (
        max(priorities),
        sum(each + 2**31 for each in priorities),
        len(priorities),
        newest_first,
        candidate.node,
    )
