"""Explains why a scheduled pod does not start or end: its node's kubelet, DRA drivers, and errors."""

import re
from collections.abc import Iterable, Sequence

from fakeapi.controllers.allocation.model import DeviceID, PoolID
from fakeapi.explaining.cluster_objects import ClusterObjects, device_of, is_about, reference, results_of
from fakeapi.explaining.model import NAMES_SHOWN, Change, Reason, Reference, listed
from fakeapi.explaining.selector_text import SUMMARY_LENGTH, shortened
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern

PREPARE_FAILED = "FailedPrepareDynamicResources"
_NOT_REGISTERED = lazy_pattern(
    r"DRA (?:driver|plugin name) (?P<name>\S+) is not registered|DRA driver (?P<other>\S+) "
)
_FAILED = lazy_pattern(
    r"NodePrepareResources failed for (?:ResourceClaim|claim) (?P<claim>\S+): (?P<why>.*)", re.DOTALL
)
_PREFIX = "Failed to prepare dynamic resources: "


def starting_reasons(cluster: ClusterObjects, pod: Object, *, ending: bool = False) -> list[Reason]:
    """Returns the reasons why the kubelet has not started a pod; the most specific reason first.

    `ending`: whether the pod is being deleted. Then returns only the reasons that delay its end.
    """
    node_name = pod["spec"]["nodeName"]
    reasons = [*_drivers(cluster, pod, node_name)]
    reasons = reasons or [*prepare_failures(cluster, pod)]
    if ending:
        return [*reasons, *_ending_node(cluster, pod, node_name)]
    reasons += [
        *_claims(cluster, pod),
        *volume_reasons(cluster, pod),
        *_containers(pod),
        *_node(cluster, node_name),
    ]
    if not reasons:
        text = f"the kubelet of node {node_name} has not reported the pod as started"
        reasons.append(Reason("NotStarted", text, object=reference("Pod", pod), path="status.phase"))
    for reason in reasons:
        reason.nodes, reason.node_count = [node_name], 1
    return reasons


def _is_reserved(claim: Object, pod: Object) -> bool:
    """Whether the status.reservedFor of a claim contains a pod."""
    uid = pod["metadata"]["uid"]
    return any(user.get("uid") == uid for user in claim["status"].get("reservedFor") or ())


def _drivers(cluster: ClusterObjects, pod: Object, node: str) -> Iterable[Reason]:
    registered = cluster.drivers.get(node)
    if registered is None:
        return
    for claim in (one for one in cluster.of("resourceclaims") if _is_reserved(one, pod)):
        for driver in dict.fromkeys(result["driver"] for result in results_of(claim)):
            if driver not in registered:
                yield not_registered(cluster, driver, node, claim)


def not_registered(cluster: ClusterObjects, driver: str, node: str, claim: Object) -> Reason:
    """Returns the reason that a kubelet cannot prepare a claim because a driver is not registered."""
    own = reference("ResourceClaim", claim)
    text = f"the kubelet of node {node} cannot prepare claim {own.name}: driver {driver} is not registered"
    if len(text) > SUMMARY_LENGTH:
        text = f"driver {driver} is not registered with the kubelet of node {node}"
    names = ", ".join(sorted(cluster.drivers.get(node, ()))) or "none"
    gone = unpublished(cluster, claim)
    details = [f"the pod is scheduled to node {node}; the kubelet there cannot prepare {own}"]
    if gone:
        details.append(gone_text(gone))
    details.append(f"registered drivers: {names}")
    return Reason(
        "DriverNotRegistered",
        text,
        details,
        reference("ResourceClaim", claim),
        "status.allocation.devices.results",
        claim=reference("ResourceClaim", claim),
        changes=[check_change(driver, node)],
    )


def gone_text(devices: Sequence[DeviceID]) -> str:
    """Returns the sentence that no ResourceSlice publishes these devices any more."""
    noun, be = ("device", "is") if len(devices) == 1 else ("devices", "are")
    return f"{noun} {', '.join(map(str, devices[:3]))} {be} not published any more"


def check_change(driver: str, node: str = "") -> Change:
    """Returns the advice to check that the pod of a driver runs. `node`: the node of the driver; "" if
    unknown.
    """
    where = f" on node {node}" if node else ""
    return Change(f"check that the pod of driver {driver} runs{where}", "create", node=node)


def unpublished(cluster: ClusterObjects, claim: Object) -> list[DeviceID]:
    """Returns the allocated devices of a claim that no slice publishes."""
    devices = [*map(device_of, results_of(claim))]
    published = {
        DeviceID(*pool, device["name"])
        for pool in {PoolID(one.driver, one.pool) for one in devices}
        for one in cluster.slices_by_pool.get(pool, ())
        for device in one["spec"].get("devices") or ()
    }
    return [device for device in devices if device not in published]


def prepare_failures(cluster: ClusterObjects, pod: Object) -> Iterable[Reason]:
    """Yields the reason why drivers could not prepare the claims of a pod, from the last event about the
    failure.
    """
    own = reference("Pod", pod)
    messages = [
        str(event.get("message", ""))
        for event in cluster.events
        if event.get("reason") in {PREPARE_FAILED, "FailedPrepareDynamicResource"} and is_about(event, own)
    ]
    if not messages:
        return
    message = messages[-1].removeprefix(_PREFIX)
    match = _NOT_REGISTERED.search(message)
    if match and "not registered" in message:
        driver = match["name"] or match["other"]
        text = f"the kubelet could not prepare the claims: driver {driver} was not registered"
        yield Reason("DriverNotRegistered", text, [message])
        return
    failed = _FAILED.search(message)
    name = failed["claim"].rpartition("/")[2] if failed else ""
    claim = cluster.get("resourceclaims", own.namespace, name) if name else None
    why = failed["why"] if failed else message
    yield _prepare_failed(cluster, pod, claim, f"claim {name}" if name else "the claims", why)


def _prepare_failed(
    cluster: ClusterObjects, pod: Object, claim: Object | None, what: str, why: str
) -> Reason:
    """Returns the reason why a driver could not prepare a claim. `what`: the claim, as text."""
    node = pod["spec"]["nodeName"]
    results = [] if claim is None else results_of(claim)
    drivers = dict.fromkeys(str(one["driver"]) for one in results)
    driver = f"driver {next(iter(drivers))}" if len(drivers) == 1 else "a driver"
    options = [
        f"{driver} on node {node} could not prepare {what}: {why}",
        f"{driver} on node {node} could not prepare it: {why}",
        f"{driver} on {node} cannot prepare it: {why}",
    ]
    text = next((one for one in options if len(one) <= SUMMARY_LENGTH), options[-1])
    text = fitting_error(text, why)
    details = [] if text.endswith(why) else [why]
    details += [f"request {one['request']} has device {device_of(one)}" for one in results[:NAMES_SHOWN]]
    details += _free_lines(cluster, results)
    own = None if claim is None else reference("ResourceClaim", claim)
    path = "" if claim is None else "status.allocation.devices.results"
    changes = _repairs(cluster, [*drivers], node)
    reason = Reason("PrepareFailed", text, details, own, path, claim=own, changes=changes)
    reason.nodes, reason.node_count = [node], 1
    return reason


def _repairs(cluster: ClusterObjects, drivers: Sequence[str], node: str) -> list[Change]:
    """Returns the changes that let drivers prepare claims again: one for each simulated driver that is set
    to fail, or else the advice to fix the error.
    """
    changes = [
        Change(
            f"let driver {name} work again: `fakeapi drivers prepare {name}`; the kubelet tries again",
            "edit",
            node=node,
            driver=name,
        )
        for name in drivers
        if name in cluster.misbehaving
    ]
    named = ", ".join(drivers) or "of the claim"
    fix = f"fix this error of driver {named} on node {node}; the kubelet tries again"
    return changes or [Change(fix, "edit", node=node)]


def fitting_error(text: str, why: str) -> str:
    """Returns a summary of at most SUMMARY_LENGTH characters that keeps the end of the error `why`.

    The cause is usually at the end of an error. Details have the whole error.
    """
    if len(text) <= SUMMARY_LENGTH:
        return text
    lead = text.removesuffix(why)
    short = f"the driver cannot prepare it: {why}"
    if len(short) <= SUMMARY_LENGTH:
        return short
    end = why.rpartition(": ")[2]
    if end == why:
        return shortened(short, SUMMARY_LENGTH)
    if len(lead) + len(end) > SUMMARY_LENGTH - 2:
        lead = "the driver cannot prepare it: "
    rest = SUMMARY_LENGTH - len(lead) - len(end) - 2
    start = why[: max(rest, 0)].rstrip(": ")
    return shortened(f"{lead}{f'{start}… ' if start else ''}{end}", SUMMARY_LENGTH)


def _free_lines(cluster: ClusterObjects, results: list[Object]) -> Iterable[str]:
    """Yields one line for each pool of the allocated devices, with the free devices of the pool."""
    for pool in dict.fromkeys(PoolID(one["driver"], one["pool"]) for one in results):
        free = [
            str(device["name"])
            for one in cluster.slices_by_pool.get(pool, ())
            for device in one["spec"].get("devices") or ()
            if DeviceID(*pool, device["name"]) not in cluster.users
        ]
        if free:
            more = f"free in pool {pool}: {listed(free, 4)}"
            yield f"{more}; the error may also concern these, and only a new claim gets another device"


def _claims(cluster: ClusterObjects, pod: Object) -> Iterable[Reason]:
    """Yields a reason for each claim of a scheduled pod that is not allocated or not reserved for the pod."""
    for name in cluster.names_of_claims(pod):
        claim = cluster.get("resourceclaims", pod["metadata"]["namespace"], name)
        own = Reference("ResourceClaim", name, pod["metadata"]["namespace"])
        if claim is None:
            yield Reason("ClaimMissing", f"{own} does not exist", object=own)
        elif not claim["status"].get("allocation"):
            text = f"{own} is not allocated; the scheduler did not place the pod"
            yield Reason("ClaimNotAllocated", text, object=own, path="status.allocation", claim=own)
        elif not _is_reserved(claim, pod):
            text = f"{own} is allocated, but not reserved for the pod"
            yield Reason("ClaimNotReserved", text, object=own, path="status.reservedFor", claim=own)


VOLUME_MISSING = "VolumeClaimMissing"
"""The code of a missing PersistentVolumeClaim. Until the claim exists, kube-scheduler does not place the pod.
"""


def volume_reasons(cluster: ClusterObjects, pod: Object) -> Iterable[Reason]:
    """Yields a reason for each PersistentVolumeClaim of a pod that is missing or not Bound."""
    for index, volume in enumerate(pod["spec"].get("volumes") or ()):
        name = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if not name:
            continue
        own = Reference("PersistentVolumeClaim", name, pod["metadata"]["namespace"])
        claim = cluster.get("persistentvolumeclaims", own.namespace, name)
        path = f"spec.volumes[{index}].persistentVolumeClaim"
        if claim is None:
            yield Reason(VOLUME_MISSING, f"{own} does not exist", object=own, path=path)
        elif claim["status"].get("phase") != "Bound":
            phase = claim["status"].get("phase", "Pending")
            text = f"{own} is {phase}, not Bound"
            storage = claim["spec"].get("storageClassName")
            lines = [f"storage class {storage}" if storage else "it names no storage class"]
            yield Reason("VolumeNotBound", text, lines, own, "status.phase")


def _containers(pod: Object) -> Iterable[Reason]:
    for status in pod["status"].get("containerStatuses") or ():
        waiting = (status.get("state") or {}).get("waiting") or {}
        if waiting.get("reason") and waiting["reason"] != "ContainerCreating":
            message = waiting.get("message", "")
            text = f"container {status['name']}: {waiting['reason']}{f': {message}' if message else ''}"
            yield Reason(waiting["reason"], shortened(text, 200), object=reference("Pod", pod))


def _ending_node(cluster: ClusterObjects, pod: Object, name: str) -> Iterable[Reason]:
    """Yields the reason why the node does not end a pod, with a change that deletes the pod without the
    kubelet.
    """
    for reason in _node(cluster, name):
        own = reference("Pod", pod)
        text = f"delete {own} with gracePeriodSeconds 0 (kubectl delete --force); no kubelet confirms its end"
        reason.changes.append(
            Change(text, "delete", [own], sufficient=True, harm="its containers may still run on the node")
        )
        yield reason


def _node(cluster: ClusterObjects, name: str) -> Iterable[Reason]:
    node = cluster.get("nodes", "", name)
    if node is None:
        yield Reason("NodeMissing", f"node {name} does not exist", object=Reference("Node", name))
        return
    for condition in node["status"].get("conditions") or ():
        if condition["type"] == "Ready" and condition["status"] != "True":
            why = condition.get("message") or condition.get("reason") or condition["status"]
            yield Reason("NodeNotReady", f"node {name} is not ready: {why}", object=Reference("Node", name))
            return
    if cluster.controllers is not None and name not in cluster.drivers:
        text = f"no kubelet runs for node {name}, so nothing starts the pod"
        command = f"fakeapi serve --controllers all --nodes {name}"
        change = Change(f"start the server with a kubelet for the node: `{command}`", "create")
        yield Reason("KubeletNotRunning", text, object=Reference("Node", name), changes=[change])
