"""Explains a ResourceClaim: why it waits, which pods use its devices, or why it is not deleted."""

from collections.abc import Iterable

from fakeapi.controllers.pod_claims import owning_pod
from fakeapi.explaining.cluster_objects import ClusterObjects, consumers_of, device_of, reference, results_of
from fakeapi.explaining.explanation import Explanation
from fakeapi.explaining.finalizers import finalizers_reason
from fakeapi.explaining.kubelet_facts import (
    check_change,
    gone_text,
    not_registered,
    prepare_failures,
    unpublished,
)
from fakeapi.explaining.model import NAMES_SHOWN, Reason, listed
from fakeapi.explaining.pods import explain_pod, explanation
from fakeapi.explaining.scheduling import PodScheduling
from fakeapi.machinery.json_types import Object
from fakeapi.registry.offloading.heavy_steps import HeavySteps


async def explain_claim(cluster: ClusterObjects, claim: Object, heavy: HeavySteps) -> Explanation:
    """Explains why a ResourceClaim waits, is allocated, or is not deleted.

    A waiting claim has the same reasons as its first waiting pod. If no pod waits for the claim, the reasons
    are for an assumed pod without other needs.
    """
    users = consumers_of(claim)
    if "deletionTimestamp" in claim["metadata"]:
        reason = finalizers_reason(cluster, "ResourceClaim", claim)
        reason.blame = users
        if users:
            verb = "uses" if len(users) == 1 else "use"
            reason.text = f"{', '.join(map(str, users[:3]))} still {verb} it"
        return explanation(cluster, claim, "deleting", reason.text, [reason], kind="ResourceClaim")
    if claim["status"].get("allocation"):
        return _allocated(cluster, claim)
    waiting = [*_waiting_pods(cluster, claim)]
    if not waiting:
        return await _unused(cluster, claim, heavy)
    pod = waiting[0]
    of_pod = await explain_pod(cluster, pod, heavy)
    name = reference("Pod", pod)
    summary = of_pod.summary
    if of_pod.verdict == "pending" and not of_pod.reasons:
        summary = f"{name} {of_pod.summary}"
    reasons = of_pod.reasons
    explained = explanation(cluster, claim, "pending", summary, reasons, kind="ResourceClaim")
    explained.nodes = of_pod.nodes
    note = f"{name} uses the claim; this is why that pod waits"
    first = reasons[0].object if reasons and reasons[0].claim is None else None
    if first is not None and first.kind in {"Pod", "Node"}:
        note = f"the claim is not the cause: {name} uses it, and waits for another reason"
    explained.notes = [note, *of_pod.notes]
    return explained


def _allocated(cluster: ClusterObjects, claim: Object) -> Explanation:
    own = reference("ResourceClaim", claim)
    devices = [str(device_of(one)) for one in results_of(claim)]
    users = consumers_of(claim)
    used = f"reserved for {', '.join(map(str, users[:3]))}" if users else "no pod uses it"
    text = f"{listed(devices, 3) or 'no devices'}; {used}"
    pods = [cluster.get("pods", user.namespace, user.name) for user in users]
    nodes = list(
        dict.fromkeys(str(pod["spec"]["nodeName"]) for pod in pods if pod and pod["spec"].get("nodeName"))
    )
    reasons = []
    gone = unpublished(cluster, claim)
    if gone:
        text = gone_text(gone)
        drivers = dict.fromkeys(one.driver for one in gone)
        changes = [check_change(driver, nodes[0] if nodes else "") for driver in drivers]
        details = [used]
        reasons.append(Reason("DeviceGone", text, details, own, "status.allocation", changes=changes))
    for pod in pods:
        if pod is not None and pod["spec"].get("nodeName") and pod["status"].get("phase") == "Pending":
            reasons += [one for one in prepare_failures(cluster, pod) if one.claim in {None, own}]
    if reasons and not gone:
        text = reasons[0].text
    for driver in dict.fromkeys(one["driver"] for one in results_of(claim) if not gone):
        reasons += [
            not_registered(cluster, driver, node, claim)
            for node in nodes
            if driver not in cluster.drivers.get(node, {driver})
        ]
    explained = explanation(cluster, claim, "allocated", text, reasons, kind="ResourceClaim")
    explained.details = [
        f"request {one['request']} has device {name} (driver/pool/device)"
        for one, name in zip(results_of(claim)[:NAMES_SHOWN], devices, strict=False)
    ]
    if nodes:
        explained.details.append(f"used on node {', '.join(nodes[:NAMES_SHOWN])}")
    return explained


def _waiting_pods(cluster: ClusterObjects, claim: Object) -> Iterable[Object]:
    namespace, name = claim["metadata"]["namespace"], claim["metadata"]["name"]
    owner = owning_pod(claim)[1]
    for pod in cluster.of("pods"):
        if pod["metadata"]["namespace"] != namespace or pod["spec"].get("nodeName"):
            continue
        if pod["metadata"]["uid"] == owner or name in cluster.names_of_claims(pod):
            yield pod


async def _unused(cluster: ClusterObjects, claim: Object, heavy: HeavySteps) -> Explanation:
    """Explains a claim that no pod uses. The scheduler allocates such a claim when it schedules the first
    pod.
    """
    namespace, name = claim["metadata"]["namespace"], claim["metadata"]["name"]
    pod: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": f"for-{name}"},
        "spec": {
            "containers": [{"name": "any"}],
            "resourceClaims": [{"name": "claim", "resourceClaimName": name}],
            "tolerations": [{"operator": "Exists"}],
        },
        "status": {},
    }
    scheduled = await PodScheduling(cluster, pod, heavy).explain()
    unused = "no pod uses it, and a claim is allocated only when a pod that uses it is scheduled"
    own = reference("ResourceClaim", claim)
    reason = Reason("NoPodUsesClaim", unused, object=own)
    for node in scheduled.nodes:
        node.chosen = False
    if scheduled.node or not scheduled.reasons:
        explained = explanation(cluster, claim, "pending", unused, [reason], scheduled, kind="ResourceClaim")
    else:
        reasons = [*scheduled.reasons, reason]
        summary = scheduled.reasons[0].text
        explained = explanation(cluster, claim, "pending", summary, reasons, scheduled, kind="ResourceClaim")
        explained.notes.append("a pod that uses the claim would wait for the first of these reasons")
    return explained
