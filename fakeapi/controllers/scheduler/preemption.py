"""Preemption: chooses pods of lower priority to delete, so that another pod fits on a node.

Follows k8s.io/kubernetes `pkg/scheduler/framework/preemption` and `plugins/defaultpreemption`.
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from fakeapi.controllers.scheduler.cycle import Filtering, Outcome
from fakeapi.controllers.scheduler.dry_run import DryRun
from fakeapi.controllers.scheduler.node_state import NodeState
from fakeapi.controllers.scheduler.status import Unschedulable
from fakeapi.controllers.scheduler.victims import (
    Victim,
    Victims,
    importance,
    started,
)
from fakeapi.controllers.workloads.pods import priority_of
from fakeapi.machinery.json_types import Object

NEVER = "not eligible due to preemptionPolicy=Never."
_TERMINATING = "not eligible due to a terminating pod on the nominated node."


class Candidate(msgspec.Struct, frozen=True):
    """A node, and the pods (victims) to delete so that a pod fits on this node.

    - `victims`: the most important pod is first. Pods of PodGroups may be on other nodes.
    - `violations`: how many of these deletions PodDisruptionBudgets do not allow.
    """

    node: str
    victims: tuple[Object, ...]
    violations: int = 0


async def best_candidate(pod: Object, outcome: Outcome, victims: Victims) -> Candidate | None:
    """Returns the node with the least important victims; None if the pod may not or cannot preempt pods.

    Stores the reasons why the pod does not preempt others in `outcome`. Raises PluginError if the filter for
    the pod's claims ends with an error.
    """
    filtering = outcome.filtering
    if filtering is None:
        return None
    if pod["spec"].get("preemptionPolicy") == "Never":
        outcome.ineligible = NEVER
    elif _has_made_room(pod, outcome, filtering, victims):
        outcome.ineligible = _TERMINATING
    if outcome.ineligible:
        return None
    candidates = []
    for name, refusal in outcome.refusals.items():
        candidate = await _candidate(pod, filtering, name, victims) if refusal.preemptible else None
        if isinstance(candidate, Candidate):
            candidates.append(candidate)
        elif candidate is not None:
            outcome.hindrances[name] = candidate
    return min(candidates, key=_cost, default=None)


async def _candidate(
    pod: Object, filtering: Filtering, name: str, victims: Victims
) -> Candidate | Unschedulable | None:
    """Returns a Candidate: the pods (victims) to delete, so that the pod fits on the node `name`.

    Other results:

    - None: the node has no pods of lower priority, or the pod fits without a deletion.
    - Unschedulable: the pod does not fit even after all pods of lower priority are deleted.
    """
    on_node = victims.among([filtering.states[name]])
    lower = [victim for victim in on_node if victim.priority < priority_of(pod)]
    if not lower:
        return None
    dry_run = DryRun(filtering.states, lower)
    refusal = await _refusal(filtering, name, dry_run.states)
    if refusal is not None:
        return refusal
    chosen: list[Victim] = []
    violations = 0
    for victim, violated in victims.in_order_of_reprieve(lower):
        dry_run.reprieve(victim)
        if await _refusal(filtering, name, dry_run.states) is not None:
            dry_run.delete(victim)
            chosen.append(victim)
            violations += violated
    deleted = tuple(each for victim in sorted(chosen, key=importance) for each in victim.pods)
    return Candidate(name, deleted, violations) if deleted else None


async def _refusal(filtering: Filtering, name: str, states: Mapping[str, NodeState]) -> Unschedulable | None:
    """Returns the reason why the pod does not fit on a node; None if the pod fits.

    - `name`: the name of the node.
    - `states`: the assumed states of all nodes, by name. The assumed states replace the current states.
    """
    [(_, refusal)] = [result async for result in replace(filtering, states=states).refusals([name])]
    return refusal


def _has_made_room(pod: Object, outcome: Outcome, filtering: Filtering, victims: Victims) -> bool:
    """Whether pods preempted by this pod are still terminating on its nominated node.

    While these pods are terminating, the pod may not preempt more pods. False if no deletion helps on the
    nominated node.
    """
    name = pod["status"].get("nominatedNodeName", "")
    state, refusal = filtering.states.get(name), outcome.refusals.get(name)
    if state is None or (refusal is not None and not refusal.preemptible):
        return False
    return victims.is_making_room(state.pods, priority_of(pod))


def _cost(candidate: Candidate) -> tuple[int, int, int, int, tuple[int, ...], str]:
    """Returns the sort key of a candidate node. The best candidate has the smallest key.

    The key consists of: the number of violated budgets, the highest priority of a victim, the sum of the
    victims' priorities, the number of victims, the earliest start of the victims with the highest priority
    (later is better), and the node name.
    """
    priorities = [priority_of(victim) for victim in candidate.victims]
    highest = max(priorities)
    earliest = min(started(victim) for victim in candidate.victims if priority_of(victim) == highest)
    newest_first = tuple(-ord(character) for character in earliest)
    return (
        candidate.violations,
        highest,
        sum(priority + 2**31 for priority in priorities),
        len(priorities),
        newest_first,
        candidate.node,
    )
