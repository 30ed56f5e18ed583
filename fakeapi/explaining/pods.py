"""Explains a pod: why it waits, why it got its node, why it does not start, or why it is not deleted."""

from fakeapi.controllers.workloads.pods import ENDED
from fakeapi.explaining.cluster_objects import (
    KINDS,
    NAMESPACED,
    ClusterObjects,
    device_of,
    reference,
    results_of,
)
from fakeapi.explaining.crash_facts import crash_reasons
from fakeapi.explaining.explanation import Explanation
from fakeapi.explaining.finalizers import finalizers_reason, managers_of, owner_text
from fakeapi.explaining.kubelet_facts import VOLUME_MISSING, starting_reasons
from fakeapi.explaining.model import NAMES_SHOWN, VERSION, Change, Reason, Reference, listed
from fakeapi.explaining.scheduling import NO_NODES, PodScheduling, Scheduled
from fakeapi.explaining.selector_text import HEADLINE_LENGTH, shortened
from fakeapi.explaining.similar import nearest
from fakeapi.machinery.json_types import Object
from fakeapi.registry.offloading.heavy_steps import HeavySteps


async def explain_pod(cluster: ClusterObjects, pod: Object, heavy: HeavySteps) -> Explanation:
    """Explains a pod by its state: being deleted, finished, crashing, running, starting or waiting.

    `heavy`: runs expensive CEL evaluations in a thread.
    """
    status, metadata = pod["status"], pod["metadata"]
    phase = status.get("phase", "Pending")
    node = pod["spec"].get("nodeName", "")
    if "deletionTimestamp" in metadata:
        return _deleting(cluster, pod)
    crashes = [*crash_reasons(cluster, pod)]
    if phase in ENDED:
        why = status.get("message") or status.get("reason") or (crashes[0].text if crashes else "")
        text = f"it has ended: {phase}{f': {why}' if why else ''}"
        return explanation(cluster, pod, "finished", text, crashes)
    if node and crashes:
        placed = await _placed(cluster, pod, heavy)
        placed.details.insert(0, placed.summary)
        placed.verdict, placed.summary = "crashing", crashes[0].text
        placed.reasons = [*crashes, *placed.reasons]
        return placed
    if node and phase == "Pending":
        reasons = starting_reasons(cluster, pod)
        if reasons[0].code == "KubeletNotRunning":
            placed = await _placed(cluster, pod, heavy)
            placed.reasons += reasons
            return placed
        return explanation(cluster, pod, "starting", reasons[0].text, reasons)
    if node:
        return await _placed(cluster, pod, heavy)
    if status.get("schedulingGates") or pod["spec"].get("schedulingGates"):
        return await _gated(cluster, pod, heavy)
    scheduled = await PodScheduling(cluster, pod, heavy).explain()
    return _pending(cluster, pod, scheduled)


def _pending(cluster: ClusterObjects, pod: Object, scheduled: Scheduled) -> Explanation:
    reasons = scheduled.reasons
    if scheduled.node:
        summary = f"it fits on node {scheduled.node}, and no scheduler has bound it yet"
        own = _scheduler_reason(cluster, pod) or _last_attempt(pod)
        volumes = scheduled.reasons if cluster.controllers is None else []
        if any(reason.code == VOLUME_MISSING for reason in volumes):
            volumes.sort(key=lambda reason: reason.code != VOLUME_MISSING)
            reasons = [*volumes, *([own] if own else [])]
            return explanation(cluster, pod, "pending", reasons[0].text, reasons)
        reasons = [own, *volumes] if own else []
        return explanation(cluster, pod, "pending", own.text if own else summary, reasons, scheduled)
    if reasons[0].code == NO_NODES and (own := _scheduler_reason(cluster, pod)):
        reasons = [*reasons, own]  # otherwise the user would learn it only after creating a node
    return explanation(cluster, pod, "pending", reasons[0].text, reasons, scheduled)


_OF_NODES = " nodes are available: "
_PREEMPTION = " preemption: "
"""Begins the part of a scheduling message about the preemption of other pods."""

_CEL_ERROR = "CEL runtime error: "
"""Begins the part of a scheduling message about a CEL selector that fails."""

_GANG_PREEMPTION = ", pod group preemption: "
"""Begins the part of a scheduling message about the preemption of other pods for a gang."""


def _scheduler_reason(cluster: ClusterObjects, pod: Object) -> Reason | None:
    """Returns the reason that no scheduler of this server handles the pod.

    Returns None if a scheduler handles the pod, and for a real cluster.
    """
    name = pod["spec"].get("schedulerName") or "default-scheduler"
    if cluster.lacks_controller("scheduler"):
        text = "the controller scheduler does not run, so this pod gets no node"
        start = "start the server with the controller scheduler: --controllers all, or "
        start += 'controllers="all" in a test'
        return Reason(
            "SchedulerNotRunning",
            text,
            object=reference("Pod", pod),
            path="spec.schedulerName",
            changes=[Change(start, "create")],
        )
    if cluster.controllers is not None and name != "default-scheduler":
        text = f"the pod wants the scheduler {name}; this server runs only default-scheduler"
        return Reason("SchedulerUnknown", text, object=reference("Pod", pod), path="spec.schedulerName")
    return None


def _last_attempt(pod: Object) -> Reason | None:
    """Returns the scheduler's last error about a pod that would fit now.

    Returns None if the pod has no condition PodScheduled with the status False.
    """
    for condition in pod["status"].get("conditions") or ():
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            message = str(condition.get("message", ""))
            of_nodes, _, problem = message.partition(_OF_NODES)
            if problem and of_nodes.startswith("0/"):
                problem = problem.partition(_PREEMPTION)[0].rstrip(" .")
            else:
                whole = message.partition(_GANG_PREEMPTION)[0]
                problem = whole.partition(_CEL_ERROR)[2] or whole.rpartition(": ")[2]
            text = shortened(f"the last attempt failed: {problem}", HEADLINE_LENGTH)
            path = "status.conditions"
            return Reason("LastAttemptFailed", text, [message], reference("Pod", pod), path)
    return None


async def _gated(cluster: ClusterObjects, pod: Object, heavy: HeavySteps) -> Explanation:
    """Explains a pod with scheduling gates, and whether it would get a node without them."""
    own = reference("Pod", pod)
    names = [gate["name"] for gate in pod["spec"].get("schedulingGates") or ()]
    noun = "scheduling gate" if len(names) == 1 else "scheduling gates"
    text = f"{noun} {', '.join(names)} {'holds' if len(names) == 1 else 'hold'} it"
    details = []
    for name in names:
        managers = managers_of(pod, "f:spec", "f:schedulingGates", f'k:{{"name":"{name}"}}')
        details.append(f"gate {name}: {owner_text(cluster, name, managers)}")
    if cluster.controllers is not None:
        it = "it" if len(names) == 1 else "them"
        details.append(
            f"no controller of this server removes {it}: remove {it} yourself, or run such a program"
        )
    spec = {key: value for key, value in pod["spec"].items() if key != "schedulingGates"}
    scheduled = await PodScheduling(cluster, {**pod, "spec": spec}, heavy).explain()
    then = f"fits on node {scheduled.node}" if scheduled.node else f"would wait: {scheduled.needs}"
    details.append(f"without {'the gate' if len(names) == 1 else 'the gates'}, the pod {then}")
    path = "spec.schedulingGates"
    change = f"remove {', '.join(names)} from {path} of {own}"
    reason = Reason("SchedulingGated", text, details, own, path)
    sufficient, needs = bool(scheduled.node), scheduled.needs
    reason.changes = [Change(change, "edit", [own], path, sufficient=sufficient, needs=needs)]
    others = [] if scheduled.node else scheduled.reasons
    return explanation(cluster, pod, "pending", text, [reason, *others], scheduled)


def _deleting(cluster: ClusterObjects, pod: Object) -> Explanation:
    node = pod["spec"].get("nodeName", "")
    own = reference("Pod", pod)
    if pod["metadata"].get("finalizers"):
        reason = finalizers_reason(cluster, "Pod", pod)
        return explanation(cluster, pod, "deleting", reason.text, [reason])
    text = f"it is being deleted: the kubelet of node {node} ends it" if node else "it is being deleted"
    details = [str(event.get("message")) for event in cluster.events if event.get("type") == "Warning"][-3:]
    reasons = [Reason("Terminating", text, details, own, "metadata.deletionTimestamp")]
    holding = starting_reasons(cluster, pod, ending=True) if node else []
    if any(one.code in _NODE_CODES for one in holding):
        reasons = []
    reasons += holding
    return explanation(cluster, pod, "deleting", reasons[-1].text if holding else text, reasons)


_NODE_CODES = frozenset(("NodeMissing", "NodeNotReady", "KubeletNotRunning"))
"""The codes of reasons why no kubelet ends a pod."""


async def _placed(cluster: ClusterObjects, pod: Object, heavy: HeavySteps) -> Explanation:
    """Explains a pod that has a node: the nodes that are feasible for the pod now, with their scores."""
    node = pod["spec"]["nodeName"]
    scheduled = await PodScheduling(cluster, pod, heavy).explain_placement()
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
    placed = explanation(cluster, pod, "placed", text, scheduled.reasons, scheduled)
    if len(scheduled.nodes) > 1:
        placed.notes.append(
            "the nodes are judged as they are now, not as they were when the pod was scheduled"
        )
    placed.details = [_state_text(pod), *_device_lines(cluster, pod)]
    return placed


def _state_text(pod: Object) -> str:
    """Returns the phase of a pod, and whether it is ready."""
    ready = next((one for one in pod["status"].get("conditions") or () if one["type"] == "Ready"), None)
    state = "" if ready is None else ", ready" if ready["status"] == "True" else ", not ready"
    return f"phase {pod['status'].get('phase', 'Pending')}{state}"


def _device_lines(cluster: ClusterObjects, pod: Object) -> list[str]:
    """Returns one line for each claim of a pod, with the devices that it has allocated."""
    lines = []
    for name in cluster.names_of_claims(pod):
        claim = cluster.get("resourceclaims", pod["metadata"]["namespace"], name)
        results = [] if claim is None else results_of(claim)
        devices = [device_of(one) for one in results]
        lines.append(f"claim {name}: {listed(devices, NAMES_SHOWN) or 'no devices'}")
    return lines


def explanation(
    cluster: ClusterObjects,
    obj: Object,
    verdict: str,
    summary: str,
    reasons: list[Reason] | None = None,
    scheduled: Scheduled | None = None,
    kind: str = "Pod",
) -> Explanation:
    """Returns an Explanation of an object. `scheduled`: the explained scheduling attempt, if any."""
    notes = [*cluster.notes, *(scheduled.notes if scheduled else ())]
    return Explanation(
        VERSION,
        cluster.rules.release.name,
        reference(kind, obj),
        verdict,
        summary,
        reasons or [],
        scheduled.nodes if scheduled else [],
        notes,
    )


def missing(cluster: ClusterObjects, target: Reference, resource: str) -> Explanation:
    """Returns the Explanation of an object that does not exist."""
    others = cluster.namespaces_with(resource, target.name)
    text = "it does not exist"
    if others:
        text += f"; this name exists in namespace {', '.join(others[:5])}"
    details = _hints_for_missing(cluster, target, resource, guesses=not others)
    details += [f"did you mean {other}/{target.name}?" for other in others[:1]]
    name = cluster.rules.release.name
    return Explanation(VERSION, name, target, "missing", text, notes=[*cluster.notes], details=details)


def _hints_for_missing(
    cluster: ClusterObjects, target: Reference, resource: str, *, guesses: bool
) -> list[str]:
    """Returns hints for an object that does not exist: which namespace, name or kind the user probably meant.

    `guesses`: whether to look for similar names in the namespace.
    """
    hints = []
    namespaces = cluster.namespaces
    if target.namespace and namespaces and target.namespace not in namespaces:
        near = nearest(target.namespace, namespaces)
        hints.append(
            f"namespace {target.namespace} does not exist{f'; did you mean {near}?' if near else ''}"
        )
    own = cluster.names_in(resource, target.namespace)
    near = nearest(target.name, own)
    longer = sorted(name for name in own if name.startswith((f"{target.name}-", f"{target.name}.")))
    if guesses and near:
        hints.append(f"did you mean {near}?")
    elif guesses and longer:
        hints.append(f"names that begin so: {listed(longer, 4)}")
    for other, (_, kind) in KINDS.items():
        namespace = target.namespace if other in NAMESPACED else ""
        if other != resource and cluster.get(other, namespace, target.name) is not None:
            hints.append(f"{Reference(kind, target.name, namespace)} exists")
    pod = cluster.get("pods", target.namespace, target.name) if target.kind == "ResourceClaim" else None
    if pod is not None and (names := cluster.names_of_claims(pod)):
        hints.append(f"claims of the pod: {', '.join(names[:4])}")
    return hints
