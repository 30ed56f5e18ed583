"""Finds the ResourceClaim for an entry of a pod's `spec.resourceClaims`, and handles reservations of claims.

Follows k8s.io/dynamic-resource-allocation `resourceclaim`.
"""

from fakeapi.controllers.informer import Informer
from fakeapi.controllers.workloads.pods import has_ended
from fakeapi.machinery.json_types import Object

GROUP = "resource.k8s.io"
SCHEDULING = "scheduling.k8s.io"
"""The API group of PodGroups."""

FINALIZER = "resource.kubernetes.io/delete-protection"
"""Finalizer of allocated ResourceClaims."""

WAITS = "WaitForFirstConsumer"
"""The default allocationMode of v1alpha2 claims: allocate a claim when a pod first needs it."""


class ClaimNameUnknown(Exception):
    """Raised if the status of a pod does not contain the name of a generated ResourceClaim yet."""


def claim_source(pod_claim: Object) -> Object:
    """Returns the object that contains the claim name or the template name of a pod claim.

    Up to 1.30, this is the field `source`. Since 1.31, it is the pod claim itself.
    """
    source = pod_claim.get("source")
    return source if source is not None else pod_claim


def claim_of_pod(pod: Object, pod_claim: Object, *, by_pod: bool = False) -> str | None:
    """Returns the name of the ResourceClaim; None if the pod's status states that the pod needs no claim.

    - `pod_claim`: the entry of `spec.resourceClaims`.
    - `by_pod`: whether a generated claim is named after the pod and the pod claim, as in 1.27.

    Raises ClaimNameUnknown if the pod's status does not contain the name of a generated claim yet.
    """
    source = claim_source(pod_claim)
    if source.get("resourceClaimName"):
        return str(source["resourceClaimName"])
    for status in pod["status"].get("resourceClaimStatuses") or ():
        if status["name"] == pod_claim["name"]:
            name = status.get("resourceClaimName")
            return str(name) if name else None
    if by_pod:
        return f"{pod['metadata']['name']}-{pod_claim['name']}"
    raise ClaimNameUnknown(pod_claim["name"])


def owning_pod(obj: Object) -> tuple[str, str]:
    """Returns the name and uid of the pod that controls an object; ("", "") if no pod controls the object."""
    for owner in obj["metadata"].get("ownerReferences") or ():
        if owner.get("controller") and owner["apiVersion"] == "v1" and owner["kind"] == "Pod":
            return owner["name"], owner["uid"]
    return "", ""


def owner_reference_to_pod(pod: Object) -> Object:
    """Returns an owner reference that makes the pod the controller of an object."""
    metadata = pod["metadata"]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
    }


def is_for_pod(pod: Object, claim: Object) -> bool:
    """Whether a pod or its PodGroup is the controller of a ResourceClaim in the pod's namespace."""
    metadata, own = pod["metadata"], claim["metadata"]
    if own["namespace"] != metadata["namespace"]:
        return False
    group = group_of(pod)
    return owning_pod(claim)[1] == metadata["uid"] or (bool(group) and owning_group(claim)[0] == group)


def group_of(pod: Object) -> str:
    """Returns the name of a pod's PodGroup; "" if the pod has no PodGroup."""
    return str((pod["spec"].get("schedulingGroup") or {}).get("podGroupName") or "")


def find_group(pod: Object, groups: Informer | None) -> Object | None:
    """Returns the PodGroup of a pod; None if the pod has no PodGroup, or the PodGroup does not exist.

    `groups`: the informer of PodGroups; None if the server does not support PodGroups.
    """
    name = group_of(pod)
    return groups.get(pod["metadata"]["namespace"], name) if name and groups is not None else None


def owning_group(claim: Object) -> tuple[str, str]:
    """Returns the name and uid of the PodGroup that controls a claim; ("", "") without such a PodGroup."""
    for owner in claim["metadata"].get("ownerReferences") or ():
        is_group = owner["kind"] == "PodGroup" and owner["apiVersion"].startswith(f"{SCHEDULING}/")
        if owner.get("controller") and is_group:
            return owner["name"], owner["uid"]
    return "", ""


def is_reserved_for_group(pod: Object, claim: Object) -> bool:
    """Whether a ResourceClaim is reserved for the PodGroup of a pod."""
    group = group_of(pod)
    consumers = claim["status"].get("reservedFor") or () if group else ()
    return any(is_group_consumer(consumer) and consumer["name"] == group for consumer in consumers)


def is_group_consumer(consumer: Object) -> bool:
    """Whether an entry of `status.reservedFor` names a PodGroup."""
    return consumer.get("apiGroup") == SCHEDULING and consumer["resource"] == "podgroups"


def reserved_for(pod: Object, claim: Object) -> bool:
    """Whether the ResourceClaim is reserved for the pod or for its PodGroup (`status.reservedFor`)."""
    return is_reserved_for_pod(pod, claim) or is_reserved_for_group(pod, claim)


def is_reserved_for_pod(pod: Object, claim: Object) -> bool:
    """Whether the ResourceClaim is reserved for the pod itself."""
    uid = pod["metadata"]["uid"]
    return any(consumer["uid"] == uid for consumer in claim["status"].get("reservedFor") or ())


def shares_with_group(pod_claim: Object, group: Object) -> bool:
    """Whether a claim of a pod belongs to the pod's PodGroup.

    The PodGroup then has a claim of the same name, with the same ResourceClaim or ResourceClaimTemplate.
    `pod_claim`: the entry of the pod's `spec.resourceClaims`.
    """
    fields = ("name", "resourceClaimName", "resourceClaimTemplateName")
    own = [claim_source(pod_claim).get(field) or pod_claim.get(field) for field in fields]
    claims = group["spec"].get("resourceClaims") or ()
    return any([claim.get(field) for field in fields] == own for claim in claims)


def reference_to_group(group: Object) -> Object:
    """Returns the entry for a PodGroup in `status.reservedFor` of a ResourceClaim."""
    metadata = group["metadata"]
    return {
        "apiGroup": SCHEDULING,
        "resource": "podgroups",
        "name": metadata["name"],
        "uid": metadata["uid"],
    }


def reference_to_pod(pod: Object) -> Object:
    """Returns the entry for a pod in `status.reservedFor` of a ResourceClaim."""
    return {"resource": "pods", "name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]}


def is_done(pod: Object) -> bool:
    """Whether a pod has ended, or was deleted before it had a node. Such a pod will not run again."""
    if has_ended(pod):
        return True
    return "deletionTimestamp" in pod["metadata"] and not pod["spec"].get("nodeName")


def drop_finalizer(claim: Object) -> None:
    """Removes the finalizer of allocated claims from a ResourceClaim. Changes the claim."""
    finalizers = claim["metadata"].get("finalizers") or []
    claim["metadata"]["finalizers"] = [name for name in finalizers if name != FINALIZER]
