"""Builds the pod statuses that a kubelet writes."""

from collections.abc import Collection, Iterable

from fakeapi.machinery.json_types import Object

DEADLINE_EXCEEDED = "DeadlineExceeded"
DEADLINE_MESSAGE = "Pod was active on the node longer than the specified deadline"
CONDITIONS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
"""The types of the pod conditions that the kubelet writes, in the order in which it writes them."""


def running(pod: Object, node_ip: str, pod_ip: str, now: str) -> Object:
    """Returns the status of a pod whose containers are all running and ready. `now`: the time in RFC 3339."""
    init = [_exited(container, now) for container in pod["spec"].get("initContainers") or ()]
    containers = [_running(container, pod, now) for container in pod["spec"]["containers"]]
    status = {
        "phase": "Running",
        "conditions": running_conditions(pod, now),
        "containerStatuses": containers,
        **_addresses(pod, node_ip, pod_ip),
        "startTime": pod["status"].get("startTime") or now,
    }
    return {**status, "initContainerStatuses": init} if init else status


def running_conditions(pod: Object, now: str) -> list[Object]:
    """Returns the kubelet's conditions for a pod whose containers are all ready.

    If a readiness gate of the pod is not True, the condition Ready is False. `now`: the time in RFC 3339.
    """
    conditions = {condition["type"]: condition for condition in pod["status"].get("conditions") or ()}
    known = {kind: condition["status"] for kind, condition in conditions.items()}
    unready = []
    for gate in pod["spec"].get("readinessGates") or ():
        kind = gate["conditionType"]
        if kind not in known:
            unready.append(f'corresponding condition of pod readiness gate "{kind}" does not exist.')
        elif known[kind] != "True":
            unready.append(f'the status of pod readiness gate "{kind}" is not "True", but {known[kind]}')
    statuses = dict.fromkeys(CONDITIONS, "True") | ({"Ready": "False"} if unready else {})
    owned = _conditions(pod, statuses, now)
    for condition in owned:
        before = conditions.get(condition["type"], {})
        # A null value deletes the field in a patch.
        condition.update(dict.fromkeys({"reason", "message"} & before.keys()))
        if unready and condition["type"] == "Ready":
            condition.update(reason="ReadinessGatesNotReady", message=", ".join(unready))
    return owned


def late(pod: Object, now: str) -> Object:
    """Returns the status of a pod that has run longer than its activeDeadlineSeconds.

    The phase is Failed, and all containers are terminated. `now`: the time in RFC 3339.
    """
    unready = {"Ready": "False", "ContainersReady": "False"}
    over = {"PodReadyToStartContainers": "False", "Initialized": "True", **unready, "PodScheduled": "True"}
    conditions = _conditions(pod, over, now)
    for condition in conditions:
        if condition["type"] in unready:
            condition["reason"] = "PodFailed"
    killed = {
        "exitCode": 137,
        "reason": "Error",
        "startedAt": pod["status"].get("startTime"),
        "finishedAt": now,
    }
    containers = [
        {**_container(container), "ready": False, "started": False, "state": {"terminated": killed}}
        for container in pod["spec"]["containers"]
    ]
    return {
        "phase": "Failed",
        "reason": DEADLINE_EXCEEDED,
        "message": DEADLINE_MESSAGE,
        "conditions": conditions,
        "containerStatuses": containers,
    }


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


def waiting(pod: Object, node_ip: str, now: str) -> Object:
    """Returns the status of a pod that is bound to a node but cannot start its containers yet.

    `now`: the time in RFC 3339.
    """
    init = _names(pod["spec"].get("initContainers") or ())
    unready = {"PodReadyToStartContainers": "False", "Initialized": "False" if init else "True"}
    why = {"Ready": "False", "ContainersReady": "False"}
    names = _names(pod["spec"]["containers"])
    conditions = _conditions(pod, {**unready, **why, "PodScheduled": "True"}, now)
    for condition in conditions:
        if condition["type"] in why:
            condition["reason"] = "ContainersNotReady"
            condition["message"] = f"containers with unready status: [{names}]"
        elif condition["status"] == "False" and condition["type"] == "Initialized":
            condition["reason"] = "ContainersNotInitialized"
            condition["message"] = f"containers with incomplete status: [{init}]"
    return {
        "phase": "Pending",
        "conditions": conditions,
        "containerStatuses": [_creating(container) for container in pod["spec"]["containers"]],
        **_addresses(pod, node_ip, ""),
        "startTime": pod["status"].get("startTime") or now,
    }


def _names(containers: Iterable[Object]) -> str:
    return " ".join(container["name"] for container in containers)


def _conditions(pod: Object, wanted: dict[str, str], now: str) -> list[Object]:
    known = {condition["type"]: condition for condition in pod["status"].get("conditions") or ()}
    conditions = []
    for kind, status in wanted.items():
        before = known.get(kind)
        since = before["lastTransitionTime"] if before and before["status"] == status else now
        conditions.append(
            {"type": kind, "status": status, "lastProbeTime": None, "lastTransitionTime": since}
        )
    return conditions


def _addresses(pod: Object, node_ip: str, pod_ip: str) -> Object:
    addresses: Object = {"hostIP": node_ip, "hostIPs": [{"ip": node_ip}]}
    if pod["spec"].get("hostNetwork"):
        pod_ip = node_ip
    if pod_ip:
        addresses |= {"podIP": pod_ip, "podIPs": [{"ip": pod_ip}]}
    return addresses


def _running(container: Object, pod: Object, now: str) -> Object:
    return {
        **_container(container),
        "ready": True,
        "started": True,
        "containerID": f"fakeapi://{pod['metadata']['uid']}/{container['name']}",
        "state": {"running": {"startedAt": now}},
    }


def _exited(container: Object, now: str) -> Object:
    ended = {"exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now}
    return {**_container(container), "ready": True, "started": False, "state": {"terminated": ended}}


def _creating(container: Object) -> Object:
    reason = {"waiting": {"reason": "ContainerCreating"}}
    return {**_container(container), "ready": False, "started": False, "state": reason}


def _container(container: Object) -> Object:
    return {
        "name": container["name"],
        "image": container["image"],
        "imageID": "",
        "restartCount": 0,
        "lastState": {},
    }
