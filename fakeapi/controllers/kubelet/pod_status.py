"""Statuses of pods, as a kubelet reports them."""

from collections.abc import Collection, Iterable

from fakeapi.machinery.json_types import Object

DEADLINE_EXCEEDED = "DeadlineExceeded"
DEADLINE_MESSAGE = "Pod was active on the node longer than the specified deadline"
CONDITIONS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
"""Types of the conditions that a kubelet owns, in the order in which it writes them."""


def running(pod: Object, node_ip: str, pod_ip: str, now: str) -> Object:
    """The status of a pod whose containers all run and are ready."""
    init = [_exited(each, now) for each in pod["spec"].get("initContainers") or ()]
    containers = [_running(each, pod, now) for each in pod["spec"]["containers"]]
    found = {
        "phase": "Running",
        "conditions": running_conditions(pod, now),
        "containerStatuses": containers,
        **_addresses(pod, node_ip, pod_ip),
        "startTime": pod["status"].get("startTime") or now,
    }
    return {**found, "initContainerStatuses": init} if init else found


def running_conditions(pod: Object, now: str) -> list[Object]:
    """The kubelet's conditions of a pod whose containers are ready; its gates may say no."""
    conditions = {each["type"]: each for each in pod["status"].get("conditions") or ()}
    known = {kind: each["status"] for kind, each in conditions.items()}
    unready = []
    for gate in pod["spec"].get("readinessGates") or ():
        kind = gate["conditionType"]
        if kind not in known:
            unready.append(f'corresponding condition of pod readiness gate "{kind}" does not exist.')
        elif known[kind] != "True":
            unready.append(f'the status of pod readiness gate "{kind}" is not "True", but {known[kind]}')
    wanted = dict.fromkeys(CONDITIONS, "True") | ({"Ready": "False"} if unready else {})
    found = _conditions(pod, wanted, now)
    for each in found:
        said = conditions.get(each["type"], {})
        each.update(dict.fromkeys({"reason", "message"} & said.keys()))  # a null takes away in a patch
        if unready and each["type"] == "Ready":
            each.update(reason="ReadinessGatesNotReady", message=", ".join(unready))
    return found


def late(pod: Object, now: str) -> Object:
    """The status of a pod that has run for longer than its activeDeadlineSeconds."""
    unready = {"Ready": "False", "ContainersReady": "False"}
    over = {"PodReadyToStartContainers": "False", "Initialized": "True", **unready, "PodScheduled": "True"}
    conditions = _conditions(pod, over, now)
    for each in conditions:
        if each["type"] in unready:
            each["reason"] = "PodFailed"
    killed = {
        "exitCode": 137,
        "reason": "Error",
        "startedAt": pod["status"].get("startTime"),
        "finishedAt": now,
    }
    containers = [
        {**_container(each), "ready": False, "started": False, "state": {"terminated": killed}}
        for each in pod["spec"]["containers"]
    ]
    return {
        "phase": "Failed",
        "reason": DEADLINE_EXCEEDED,
        "message": DEADLINE_MESSAGE,
        "conditions": conditions,
        "containerStatuses": containers,
    }


def ordered(pod: Object, status: Object, without: Collection[str] = ()) -> Object:
    """A patch for `status`, after which the kubelet's conditions come last, in its order.

    `without` are types of conditions that the release's kubelet does not have.
    """
    conditions = [each for each in status["conditions"] if each["type"] not in without]
    written = {each["type"] for each in conditions}
    known = [each["type"] for each in pod["status"].get("conditions") or ()]
    order = [kind for kind in known if kind not in CONDITIONS]
    order += [kind for kind in CONDITIONS if kind in written or kind in known]
    directive = {"$setElementOrder/conditions": [{"type": kind} for kind in order]}
    return {**status, **directive, "conditions": conditions}


def rejected(reason: str, message: str) -> Object:
    """The status of a pod that the kubelet does not admit."""
    return {"phase": "Failed", "reason": reason, "message": f"Pod was rejected: {message}"}


def waiting(pod: Object, node_ip: str, now: str) -> Object:
    """The status of a pod that is on its node and cannot start yet."""
    init = _names(pod["spec"].get("initContainers") or ())
    unready = {"PodReadyToStartContainers": "False", "Initialized": "False" if init else "True"}
    why = {"Ready": "False", "ContainersReady": "False"}
    names = _names(pod["spec"]["containers"])
    conditions = _conditions(pod, {**unready, **why, "PodScheduled": "True"}, now)
    for each in conditions:
        if each["type"] in why:
            each["reason"] = "ContainersNotReady"
            each["message"] = f"containers with unready status: [{names}]"
        elif each["status"] == "False" and each["type"] == "Initialized":
            each["reason"] = "ContainersNotInitialized"
            each["message"] = f"containers with incomplete status: [{init}]"
    return {
        "phase": "Pending",
        "conditions": conditions,
        "containerStatuses": [_creating(each) for each in pod["spec"]["containers"]],
        **_addresses(pod, node_ip, ""),
        "startTime": pod["status"].get("startTime") or now,
    }


def _names(containers: Iterable[Object]) -> str:
    return " ".join(each["name"] for each in containers)


def _conditions(pod: Object, wanted: dict[str, str], now: str) -> list[Object]:
    known = {each["type"]: each for each in pod["status"].get("conditions") or ()}
    found = []
    for kind, status in wanted.items():
        before = known.get(kind)
        since = before["lastTransitionTime"] if before and before["status"] == status else now
        found.append({"type": kind, "status": status, "lastProbeTime": None, "lastTransitionTime": since})
    return found


def _addresses(pod: Object, node_ip: str, pod_ip: str) -> Object:
    found: Object = {"hostIP": node_ip, "hostIPs": [{"ip": node_ip}]}
    if pod["spec"].get("hostNetwork"):
        pod_ip = node_ip
    if pod_ip:
        found |= {"podIP": pod_ip, "podIPs": [{"ip": pod_ip}]}
    return found


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
