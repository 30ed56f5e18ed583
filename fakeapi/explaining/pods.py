"""Explains a pod: why it waits, why it got its node, why it does not start, or why it is not deleted."""

from fakeapi.controllers.workloads.pods import ENDED
from fakeapi.explaining.explanation import Explanation
from fakeapi.explaining.finalizers import finalizers_reason
from fakeapi.explaining.kubelet_facts import starting_reasons
from fakeapi.explaining.model import VERSION, Reason, Reference
from fakeapi.explaining.scheduling import PodScheduling, Scheduled
from fakeapi.explaining.selector_text import HEADLINE_LENGTH, shortened
from fakeapi.explaining.world import World, reference
from fakeapi.machinery.json_types import Object
from fakeapi.registry.offloading.heavy_steps import HeavySteps


async def explain_pod(world: World, pod: Object, heavy: HeavySteps) -> Explanation:
    """Explains a pod by its state: being deleted, finished, running, starting or waiting for a node.

    `heavy`: runs expensive CEL evaluations in a thread.
    """
    status, metadata = pod["status"], pod["metadata"]
    phase = status.get("phase", "Pending")
    node = pod["spec"].get("nodeName", "")
    if "deletionTimestamp" in metadata:
        return _deleting(world, pod)
    if phase in ENDED:
        why = status.get("message") or status.get("reason") or ""
        return explanation(world, pod, "finished", f"it has ended: {phase}{f': {why}' if why else ''}")
    if node and phase == "Pending":
        reasons = starting_reasons(world, pod)
        if reasons[0].code == "KubeletNotRunning":
            placed = await _placed(world, pod, heavy)
            placed.reasons += reasons
            return placed
        return explanation(world, pod, "starting", reasons[0].text, reasons)
    if node:
        return await _placed(world, pod, heavy)
    if status.get("schedulingGates") or pod["spec"].get("schedulingGates"):
        return _gated(world, pod)
    scheduled = await PodScheduling(world, pod, heavy).explain()
    return _pending(world, pod, scheduled)


def _pending(world: World, pod: Object, scheduled: Scheduled) -> Explanation:
    reasons = scheduled.reasons
    if scheduled.node:
        summary = f"it fits on node {scheduled.node}, and no scheduler has bound it yet"
        own = _scheduler_reason(world, pod) or _last_attempt(pod)
        return explanation(
            world, pod, "pending", own.text if own else summary, [own] if own else [], scheduled
        )
    return explanation(world, pod, "pending", reasons[0].text, reasons, scheduled)


_GANG_PREEMPTION = ", pod group preemption: "
"""Begins the part of a scheduling message about the preemption of other pods for a gang."""


def _scheduler_reason(world: World, pod: Object) -> Reason | None:
    """Returns the reason that no scheduler handles the pod; None if a scheduler does."""
    name = pod["spec"].get("schedulerName") or "default-scheduler"
    if world.controllers is not None and "scheduler" not in world.controllers:
        text = "the controller scheduler does not run, so no pod gets a node"
        return Reason("SchedulerNotRunning", text, object=reference("Pod", pod), path="spec.schedulerName")
    if world.controllers is not None and name != "default-scheduler":
        text = f"the pod wants the scheduler {name}; this server runs only default-scheduler"
        return Reason("SchedulerUnknown", text, object=reference("Pod", pod), path="spec.schedulerName")
    return None


def _last_attempt(pod: Object) -> Reason | None:
    """Returns the scheduler's last error about a pod that would fit now; None if the pod has no such
    condition.
    """
    for condition in pod["status"].get("conditions") or ():
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            message = str(condition.get("message", ""))
            problem = message.partition(_GANG_PREEMPTION)[0].rpartition(": ")[2]
            text = shortened(f"the last attempt failed: {problem}", HEADLINE_LENGTH)
            path = "status.conditions"
            return Reason("LastAttemptFailed", text, [message], reference("Pod", pod), path)
    return None


def _gated(world: World, pod: Object) -> Explanation:
    names = [gate["name"] for gate in pod["spec"].get("schedulingGates") or ()]
    text = f"scheduling gates hold it: {', '.join(names)}"
    reason = Reason(
        "SchedulingGated",
        text,
        ["whoever added a gate must remove it from spec.schedulingGates"],
        reference("Pod", pod),
        "spec.schedulingGates",
    )
    return explanation(world, pod, "pending", text, [reason])


def _deleting(world: World, pod: Object) -> Explanation:
    node = pod["spec"].get("nodeName", "")
    own = reference("Pod", pod)
    if pod["metadata"].get("finalizers"):
        reason = finalizers_reason("Pod", pod)
        return explanation(world, pod, "deleting", reason.text, [reason])
    text = f"it is being deleted: the kubelet of node {node} ends it" if node else "it is being deleted"
    details = [str(event.get("message")) for event in world.events if event.get("type") == "Warning"][-3:]
    reasons = [Reason("Terminating", text, details, own, "metadata.deletionTimestamp")]
    reasons += starting_reasons(world, pod, ending=True)
    return explanation(world, pod, "deleting", reasons[-1].text if len(reasons) > 1 else text, reasons)


async def _placed(world: World, pod: Object, heavy: HeavySteps) -> Explanation:
    """Explains a running pod: the nodes that are feasible for it now, with their scores."""
    node = pod["spec"]["nodeName"]
    scheduled = await PodScheduling(world, pod, heavy).explain_placement()
    feasible = [one for one in scheduled.nodes if one.feasible]
    own = next((one for one in feasible if one.name == node), None)
    if own is None:
        text = f"it is on node {node}"
    elif len(feasible) == 1:
        text = f"it is on node {node}, the only feasible one of {len(scheduled.nodes)}"
    else:
        best = max(one.score for one in feasible)
        equal = sum(one.score == best for one in feasible)
        rank = (
            "with the best score" if own.score == best else f"with score {own.score}, the best is now {best}"
        )
        tie = f" (chosen at random among {equal})" if own.score == best and equal > 1 else ""
        text = f"it is on node {node}, one of {len(feasible)} feasible nodes, {rank}{tie}"
    return explanation(world, pod, "placed", text, scheduled.reasons, scheduled)


def explanation(
    world: World,
    obj: Object,
    verdict: str,
    summary: str,
    reasons: list[Reason] | None = None,
    scheduled: Scheduled | None = None,
    kind: str = "Pod",
) -> Explanation:
    """Returns an Explanation of an object. `scheduled`: the explained result of the scheduler, if any."""
    notes = [*world.notes, *(scheduled.notes if scheduled else ())]
    return Explanation(
        VERSION,
        world.rules.release.name,
        reference(kind, obj),
        verdict,
        summary,
        reasons or [],
        scheduled.nodes if scheduled else [],
        notes,
    )


def missing(world: World, target: Reference, resource: str) -> Explanation:
    """Returns the Explanation of an object that does not exist."""
    others = [
        obj["metadata"].get("namespace", "")
        for obj in world.of(resource)
        if obj["metadata"]["name"] == target.name and obj["metadata"].get("namespace") != target.namespace
    ]
    text = f"{target} does not exist"
    if others:
        text += f"; this name exists in namespace {', '.join(others[:5])}"
    return Explanation(VERSION, world.rules.release.name, target, "missing", text, notes=[*world.notes])
