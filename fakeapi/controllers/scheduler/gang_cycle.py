"""Finds nodes for all pods of a gang before the first pod is bound.

Follows the scheduling cycle of pod groups of k8s.io/kubernetes `pkg/scheduler/schedule_one_podgroup.go`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from fakeapi.controllers.scheduler.cycle import Outcome
from fakeapi.controllers.scheduler.node_state import NodeState, with_pods
from fakeapi.controllers.scheduler.pod_claim_view import DeviceView
from fakeapi.machinery.json_types import Object

Attempt = Callable[[Object, Mapping[str, NodeState]], Awaitable[Outcome]]
"""A function that tries to schedule a pod. The mapping contains the states of the nodes by name."""

Reserved = Callable[[Object, Object, Object | None], Object]
"""A function that returns a claim in its stored form after it is reserved for a pod.

Its arguments are the pod, the claim and the new allocation. The allocation is None for an allocated claim.
"""


class GangOutcome(msgspec.Struct):
    """The result of a scheduling attempt for a gang.

    - `fitting`: the pods that fit on a node, with their outcomes.
    - `refused`: the pods that fit on no node, with their outcomes.
    - `untried`: the pods that were not tried, because the gang cannot be scheduled without the refused pods.
    - `message`: why the gang cannot be scheduled; "" if the gang can be scheduled.
    """

    fitting: list[tuple[Object, Outcome]] = msgspec.field(default_factory=list)
    refused: list[tuple[Object, Outcome]] = msgspec.field(default_factory=list)
    untried: list[Object] = msgspec.field(default_factory=list)
    message: str = ""


async def attempt_gang(
    pods: Sequence[Object],
    states: Mapping[str, NodeState],
    attempt: Attempt,
    reserved: Reserved,
    view: DeviceView,
    *,
    min_count: int,
    scheduled: int,
) -> GangOutcome:
    """Tries the pods of a gang one after another. Each pod sees the nodes and devices of the earlier pods.

    - `pods`: the pods of the gang without a node.
    - `states`: the nodes of the cluster by name.
    - `min_count`: how many pods of the gang must have a node.
    - `scheduled`: how many pods of the gang have a node already. Together with `pods`, at least `min_count`
      pods can have a node.

    Raises PluginError for a problem with a pod's claims that ends the attempt.
    """
    result = GangOutcome()
    current = dict(states)
    try:
        for number, pod in enumerate(pods):
            outcome = await attempt(pod, current)
            if outcome.node:
                result.fitting.append((pod, outcome))
                state = current[outcome.node]
                placed = {**pod, "spec": {**pod["spec"], "nodeName": outcome.node}}
                current[outcome.node] = with_pods(state, [*state.pods, placed])
                _assume(pod, outcome, reserved, view)
                continue
            result.refused.append((pod, outcome))
            placeable, remaining = scheduled + len(result.fitting), len(pods) - number - 1
            if placeable + remaining < min_count:
                counts = f"{placeable} scheduled, {remaining} remaining"
                result.message = f"minCount ({min_count}) cannot be satisfied: {counts}"
                result.untried = list(pods[number + 1 :])
                break
    finally:
        view.forget_assumed()
    return result


def _assume(pod: Object, outcome: Outcome, reserved: Reserved, view: DeviceView) -> None:
    """Makes the view return the claims of a pod as if the pod had been bound."""
    claims = outcome.claims
    allocations = claims.allocations.get(outcome.node, ())
    results = {id(claim): result for claim, result in zip(claims.unallocated, allocations, strict=False)}
    for claim in claims.claims:
        view.assume(reserved(pod, claim, results.get(id(claim))))
