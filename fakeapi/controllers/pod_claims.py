"""Finds the ResourceClaim for an entry of a pod's `spec.resourceClaims`, and handles reservations of claims.

Follows k8s.io/dynamic-resource-allocation `resourceclaim`.
"""

from fakeapi.machinery.json_types import Object


class ClaimNameUnknown(Exception):
    """Raised if the ResourceClaim for a pod's claim template does not exist yet."""


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

    Raises ClaimNameUnknown if the claim of a template does not exist yet.
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
    """Whether a pod is the controller of a ResourceClaim, and both are in the same namespace."""
    metadata, own = pod["metadata"], claim["metadata"]
    return bool(own["namespace"] == metadata["namespace"] and owning_pod(claim)[1] == metadata["uid"])


def reserved_for(pod: Object, claim: Object) -> bool:
    """Whether the ResourceClaim is reserved for the pod (`status.reservedFor`)."""
    uid = pod["metadata"]["uid"]
    return any(consumer["uid"] == uid for consumer in claim["status"].get("reservedFor") or ())


def reference_to_pod(pod: Object) -> Object:
    """Returns the entry for a pod in `status.reservedFor` of a ResourceClaim."""
    return {"resource": "pods", "name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]}


def is_done(pod: Object) -> bool:
    """Whether a pod will not run any more: it has terminated, or it was deleted before it had a node."""
    if pod["status"].get("phase") in {"Succeeded", "Failed"}:
        return True
    return "deletionTimestamp" in pod["metadata"] and not pod["spec"].get("nodeName")
