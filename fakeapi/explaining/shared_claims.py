"""Makes the ClusterObjects after a change that frees a pod from the allocation of a shared claim.

Also finds out which program allocated a claim.
"""

from dataclasses import replace

from fakeapi.controllers.allocation.nodes import matches_selector
from fakeapi.explaining.cluster_objects import ClusterObjects, reference
from fakeapi.explaining.finalizers import managers_of
from fakeapi.explaining.model import Change, Reference
from fakeapi.explaining.trial import edited, steps_of
from fakeapi.machinery.json_types import Object

OWN_CLAIM = "create"
"""The action of the change that gives a pod a copy of a claim."""


def can_use(claim: Object, node: Object) -> bool:
    """Whether a node can use the devices of a claim. True for a claim without an allocation."""
    selector = (claim["status"].get("allocation") or {}).get("nodeSelector")
    return selector is None or matches_selector(selector, node)


def after_release(
    cluster: ClusterObjects, pod: Object, claim: Reference, change: Change
) -> tuple[ClusterObjects, Object]:
    """Returns the cluster and the pod after a change that releases a claim, or that replaces it by a copy.

    `change`: deletes the pods that use the claim; with the action OWN_CLAIM, it copies the claim for the pod.
    """
    if change.action == OWN_CLAIM:
        return _with_copy(cluster, pod, claim, change.path)
    pods = [one for one in cluster.of("pods") if reference("Pod", one) not in change.objects]
    claims = [
        released(one) if reference("ResourceClaim", one) == claim else one
        for one in cluster.of("resourceclaims")
    ]
    return replace(cluster, objects={**cluster.objects, "pods": pods, "resourceclaims": claims}), pod


def _with_copy(
    cluster: ClusterObjects, pod: Object, claim: Reference, path: str
) -> tuple[ClusterObjects, Object]:
    """Returns the cluster with a copy of a claim, and the pod that uses the copy."""
    original = cluster.get("resourceclaims", claim.namespace, claim.name)
    if original is None:
        return cluster, pod
    name = f"{claim.name}-of-{pod['metadata']['name']}"
    metadata = {"name": name, "namespace": claim.namespace, "uid": f"for-{name}"}
    copy = {**released(original), "metadata": metadata}
    claims = [*cluster.of("resourceclaims"), copy]
    changed = replace(cluster, objects={**cluster.objects, "resourceclaims": claims})
    return changed, edited(pod, steps_of(path), name)


def released(claim: Object) -> Object:
    """Returns a copy of a claim without its allocation and its users."""
    gone = {"allocation", "reservedFor"}
    return {**claim, "status": {name: value for name, value in claim["status"].items() if name not in gone}}


def is_allocated_by_scheduler(claim: Object, pod: Object) -> bool:
    """Whether the program that reserved a claim for a pod also allocated it. True if managedFields do not
    tell.
    """
    user = f'k:{{"uid":"{pod["metadata"]["uid"]}"}}'
    reserving = managers_of(claim, "f:status", "f:reservedFor", user)
    allocating = managers_of(claim, "f:status", "f:allocation", "f:devices")
    return not reserving or not allocating or not set(reserving).isdisjoint(allocating)
