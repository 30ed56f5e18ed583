"""Preemption for a gang: chooses pods of lower priority to delete, so that the whole gang fits.

Follows `podgrouppreemption.go` of k8s.io/kubernetes `pkg/scheduler/framework/preemption`, since 1.37.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from fakeapi.controllers.scheduler.cycle import Outcome
from fakeapi.controllers.scheduler.dry_run import DryRun
from fakeapi.controllers.scheduler.gang_cycle import GangOutcome
from fakeapi.controllers.scheduler.node_state import NodeState, with_pods
from fakeapi.controllers.scheduler.preemption import NEVER
from fakeapi.controllers.scheduler.victims import Victim, Victims, importance
from fakeapi.controllers.workloads.pods import priority_of
from fakeapi.machinery.json_types import Object
from fakeapi.releases.gates import Gates

POLICY_GATE = "PodGroupPreemptionPolicy"
_PREFIX = "pod group preemption: "
_NO_VICTIMS = "No preemption victims found for incoming preemptor"
_ONGOING = "ongoing preemption on nominated nodes"

TryGang = Callable[[Mapping[str, NodeState]], Awaitable[GangOutcome]]
"""A function that tries to schedule the gang. Its argument contains the states of the nodes by name."""


class GangPreemption(msgspec.Struct, frozen=True):
    """The result of preemption for a gang.

    - `message`: the reason or result, for the condition of the PodGroup.
    - `victims`: the pods to delete. The most important pod is first.
    - `nominated`: the nominated node of each pod of the gang, by the uid of the pod.
    """

    message: str
    victims: tuple[Object, ...] = ()
    nominated: Mapping[str, str] = msgspec.field(default_factory=dict)


async def preempt_for_gang(
    group: Object,
    pods: Sequence[Object],
    states: Mapping[str, NodeState],
    victims: Victims,
    gates: Gates,
    try_gang: TryGang,
) -> GangPreemption:
    """Returns which pods to delete, so that a gang fits on the nodes.

    - `group`: the PodGroup of the gang.
    - `pods`: the pods of the gang without a node.
    - `states`: the nodes of the cluster by name.

    Raises PluginError for a problem with a pod's claims that ends the attempt.
    """
    if _policy(group, pods, gates) == "Never":
        return GangPreemption(_PREFIX + NEVER)
    waiting = {pod["metadata"]["uid"]: pod["status"].get("nominatedNodeName", "") for pod in pods}
    nodes = [states[name] for name in set(waiting.values()) if name in states]
    if any(victims.is_making_room(state.pods, priority_of(group)) for state in nodes):
        return GangPreemption(_PREFIX + _ONGOING, nominated=waiting)
    lower = [victim for victim in victims.among(states.values()) if victim.priority < priority_of(group)]
    if not lower:
        return GangPreemption(_PREFIX + _NO_VICTIMS)
    dry_run = DryRun(states, lower)
    result = await try_gang(dry_run.states)
    if result.message:
        return GangPreemption(_PREFIX + result.message)
    chosen = await _needed(dry_run, victims.in_order_of_reprieve(lower), result)
    deleted = tuple(pod for victim in sorted(chosen, key=importance) for pod in victim.pods)
    nominated = {pod["metadata"]["uid"]: outcome.node for pod, outcome in result.fitting}
    text = f"found a placement for podgroup, preempting {len(deleted)} victims"
    return GangPreemption(_PREFIX + text, deleted, nominated)


def _policy(group: Object, pods: Sequence[Object], gates: Gates) -> str:
    if gates.get(POLICY_GATE, False):
        return str(group["spec"].get("preemptionPolicy") or "")
    never = any(pod["spec"].get("preemptionPolicy") == "Never" for pod in pods)
    return "Never" if never else ""


async def _needed(
    dry_run: DryRun, in_order: Sequence[tuple[Victim, int]], result: GangOutcome
) -> list[Victim]:
    """Returns the victims that must be deleted for the gang to fit.

    - `dry_run`: the nodes after the deletion of all victims. Reprieves the victims that may stay.
    - `in_order`: the victims in the order of reprieve.
    - `result`: the nodes of the gang's pods after the deletion of all victims.
    """
    chosen: list[Victim] = []
    for victim, _ in in_order:
        dry_run.reprieve(victim)
        if not await _fits(dry_run.states, result.fitting):
            dry_run.delete(victim)
            chosen.append(victim)
    return chosen


async def _fits(states: Mapping[str, NodeState], fitting: Sequence[tuple[Object, Outcome]]) -> bool:
    """Whether each pod of a gang fits on its node. Adds the pods to their nodes one after the other."""
    current = dict(states)
    for pod, outcome in fitting:
        assert outcome.filtering is not None, "the attempt has filtered nodes"
        filtering = replace(outcome.filtering, states=current)
        [(state, refusal)] = [result async for result in filtering.refusals([outcome.node])]
        if refusal is not None:
            return False
        placed = {**pod, "spec": {**pod["spec"], "nodeName": outcome.node}}
        current[outcome.node] = with_pods(state, [*state.pods, placed])
    return True
