"""Builds the pod statuses that a kubelet writes."""

from collections.abc import Collection

from fakeapi.controllers.kubelet.lifecycle.conditions import Condition, conditions_of
from fakeapi.controllers.kubelet.lifecycle.container_statuses import container_statuses, phase_of
from fakeapi.controllers.kubelet.lifecycle.state import PodState
from fakeapi.machinery.json_types import Object

DEADLINE_EXCEEDED = "DeadlineExceeded"
DEADLINE_MESSAGE = "Pod was active on the node longer than the specified deadline"
CONDITIONS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
"""The types of the pod conditions that the kubelet writes, in the order in which it writes them."""


def status_of(state: PodState, node_ip: str, pod_ip: str, now: str, *, is_terminal: bool) -> Object:
    """Returns the status of a pod.

    - `pod_ip`: the IP address of the pod; "" if the pod has no address yet.
    - `now`: the time in RFC 3339.
    - `is_terminal`: whether the containers of the pod will not start again.
    """
    pod = state.pod
    statuses = container_statuses(state)
    phase = phase_of(state, is_terminal=is_terminal)
    reason = message = ""
    if state.verdict is not None:
        phase, reason, message = state.verdict
    conditions = [_condition(pod, each, now) for each in conditions_of(state, statuses, phase)]
    status = {
        "phase": phase,
        "conditions": conditions,
        **statuses,
        **_addresses(pod, node_ip, pod_ip),
        "startTime": pod["status"].get("startTime") or now,
    }
    return {**status, **{key: text for key, text in (("reason", reason), ("message", message)) if text}}


def without_times(status: Object) -> Object:
    """Returns a status without lastTransitionTime in its conditions, for comparing statuses."""
    conditions = [
        {name: value for name, value in condition.items() if name != "lastTransitionTime"}
        for condition in status["conditions"]
    ]
    return {**status, "conditions": conditions}


def known_conditions(pod: Object) -> Object:
    """Returns the kubelet's conditions as the API stores them.

    A patch with these conditions keeps the changes of other clients.
    """
    known = {condition["type"]: condition for condition in pod["status"].get("conditions") or ()}
    return {"conditions": [known[kind] for kind in CONDITIONS if kind in known]}


def ordered(pod: Object, status: Object, without: Collection[str] = ()) -> Object:
    """Returns a strategic merge patch for `status` that also sets the order of the pod's conditions.

    The kubelet's conditions come last, in the order of CONDITIONS. `without`: the types of conditions that
    the release's kubelet does not write.
    """
    conditions = [condition for condition in status["conditions"] if condition["type"] not in without]
    written = {condition["type"] for condition in conditions}
    known = [condition["type"] for condition in pod["status"].get("conditions") or ()]
    order = [kind for kind in known if kind not in CONDITIONS]
    order += [kind for kind in CONDITIONS if kind in written or kind in known]
    directive = {"$setElementOrder/conditions": [{"type": kind} for kind in order]}
    return {**status, **directive, "conditions": conditions}


def rejected(reason: str, message: str) -> Object:
    """Returns the status of a pod that the kubelet rejected. `reason` and `message`: from `Refusal`."""
    return {"phase": "Failed", "reason": reason, "message": f"Pod was rejected: {message}"}


def _condition(pod: Object, condition: Condition, now: str) -> Object:
    known = {each["type"]: each for each in pod["status"].get("conditions") or ()}
    before = known.get(condition.type, {})
    status = str(condition.is_true)
    texts = {"reason": condition.reason, "message": condition.message}
    return {
        "type": condition.type,
        "status": status,
        "lastProbeTime": None,
        "lastTransitionTime": before["lastTransitionTime"] if before.get("status") == status else now,
        # A null value deletes the field in a patch.
        **{key: text or None for key, text in texts.items() if text or key in before},
    }


def _addresses(pod: Object, node_ip: str, pod_ip: str) -> Object:
    addresses: Object = {"hostIP": node_ip, "hostIPs": [{"ip": node_ip}]}
    if pod["spec"].get("hostNetwork"):
        pod_ip = node_ip
    if pod_ip:
        addresses |= {"podIP": pod_ip, "podIPs": [{"ip": pod_ip}]}
    return addresses
