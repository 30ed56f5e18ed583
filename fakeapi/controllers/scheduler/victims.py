"""Victims: the pods that preemption may delete, and the PodDisruptionBudgets that protect them.

Follows k8s.io/kubernetes `pkg/scheduler/framework/preemption`. Since 1.37, pods in a PodGroup have the
priority of their PodGroup. The scheduler deletes all pods of a PodGroup with the disruption mode `all`
together.
"""

from collections.abc import Callable, Collection, Iterable

import msgspec

from fakeapi.controllers.scheduler.gangs import Gangs
from fakeapi.controllers.scheduler.node_state import NodeState
from fakeapi.controllers.workloads.owners import labels_of, selector_of
from fakeapi.controllers.workloads.pods import condition, priority_of
from fakeapi.kinds.core.pod.conditions import DISRUPTION_TARGET
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.label_selector import Selector

BY_SCHEDULER = "PreemptionByScheduler"
"""The reason in the condition DisruptionTarget of pods that the scheduler deletes."""

_NOT_STARTED = "~"
"""A text after every start time in string order. A pod that has not started counts as the newest pod."""


class Victim(msgspec.Struct, frozen=True):
    """A unit of preemption: one pod, or all pods of a PodGroup. Preemption deletes all these pods, or none.

    - `nodes`: the names of the pods' nodes.
    - `is_of_group`: whether the pods belong to a PodGroup.
    """

    pods: tuple[Object, ...]
    nodes: frozenset[str]
    priority: int
    is_of_group: bool = False

    @property
    def uids(self) -> frozenset[str]:
        return frozenset(pod["metadata"]["uid"] for pod in self.pods)


class Victims:
    """Finds the victims on nodes. `budgets`: returns the PodDisruptionBudgets of the cluster."""

    def __init__(self, gangs: Gangs, budgets: Callable[[], Iterable[Object]]) -> None:
        self._gangs = gangs
        self._budgets = budgets

    def among(self, states: Iterable[NodeState]) -> list[Victim]:
        """Returns the victims with a pod on one of these nodes, without duplicates.

        A victim that is a PodGroup also contains its pods on other nodes.
        """
        victims: dict[str, Victim] = {}
        for state in states:
            for pod in state.pods:
                group = self._gangs.preemptible_group(pod)
                unit = group if group is not None and _is_whole(group) else pod
                uid = unit["metadata"]["uid"]
                if uid not in victims:
                    pods = self._placed_members(pod) if unit is group else (pod,)
                    nodes = frozenset(each["spec"].get("nodeName") or state.name for each in pods)
                    victims[uid] = Victim(pods, nodes, self.priority_of(pod), group is not None)
        return list(victims.values())

    def _placed_members(self, pod: Object) -> tuple[Object, ...]:
        """Returns the pods with a node in a pod's PodGroup; only the pod itself without such pods."""
        return tuple(each for each in self._gangs.members(pod) if each["spec"].get("nodeName")) or (pod,)

    def priority_of(self, pod: Object) -> int:
        """Returns the priority that protects a pod from preemption: its own, or the priority of its
        PodGroup.
        """
        group = self._gangs.preemptible_group(pod)
        return priority_of(pod if group is None else group)

    def in_order_of_reprieve(self, victims: Iterable[Victim]) -> list[tuple[Victim, int]]:
        """Returns the victims in the order of reprieve, each with the number of its pods that budgets
        protect.

        Such a pod is protected because its deletion violates a PodDisruptionBudget.

        Victims that violate PodDisruptionBudgets come first, and then the more important victims.
        """
        budgets = list(map(_budget_of, self._budgets()))
        counted = [
            (victim, sum(_violates(pod, budgets) for pod in victim.pods))
            for victim in sorted(victims, key=importance)
        ]
        return sorted(counted, key=lambda pair: pair[1] == 0)

    def is_making_room(self, pods: Iterable[Object], priority: int) -> bool:
        """Whether a pod of lower priority is terminating because the scheduler has preempted it."""
        return any(is_preempted(pod) and self.priority_of(pod) < priority for pod in pods)


def _is_whole(group: Object) -> bool:
    """Whether the pods of a PodGroup are only deleted together."""
    return "all" in (group["spec"].get("disruptionMode") or {})


def importance(victim: Victim) -> tuple[int, bool, int, str]:
    """Returns a sort key of victims. The most important victim has the smallest key."""
    return -victim.priority, not victim.is_of_group, -len(victim.pods), min(map(started, victim.pods))


def started(pod: Object) -> str:
    """Returns the start time of a pod as a comparable text. A pod that has not started sorts last."""
    return str(pod["status"].get("startTime") or _NOT_STARTED)


def is_preempted(pod: Object) -> bool:
    """Whether a pod is being deleted because the scheduler has preempted it."""
    target = condition(pod, DISRUPTION_TARGET)
    if "deletionTimestamp" not in pod["metadata"] or target is None:
        return False
    return target["status"] == "True" and target.get("reason") == BY_SCHEDULER


class _Budget(msgspec.Struct):
    """A PodDisruptionBudget during a dry run of preemption.

    - `disrupted`: the names of evicted pods. The budget counts them already.
    - `left`: the number of deletions that the budget still allows.
    """

    namespace: str
    selector: Selector
    disrupted: Collection[str]
    left: int

    def counts(self, pod: Object) -> bool:
        """Whether the deletion of a pod counts. For the scheduler, an empty selector matches no pod."""
        metadata = pod["metadata"]
        if metadata["namespace"] != self.namespace or metadata["name"] in self.disrupted:
            return False
        return not self.selector.empty and self.selector.matches(labels_of(pod))


def _budget_of(budget: Object) -> _Budget:
    status = budget.get("status") or {}
    allowed = int(status.get("disruptionsAllowed") or 0)
    namespace = budget["metadata"]["namespace"]
    return _Budget(namespace, selector_of(budget), status.get("disruptedPods") or {}, allowed)


def _violates(pod: Object, budgets: Iterable[_Budget]) -> bool:
    """Subtracts the deletion of a pod from the budgets. Returns whether a budget forbids the deletion."""
    if not labels_of(pod):
        return False
    for budget in budgets:
        if budget.counts(pod):
            budget.left -= 1
            if budget.left < 0:
                return True
    return False
