"""The ResourceClaim of a pod claim, and its reservations.

Follows k8s.io/dynamic-resource-allocation `resourceclaim`.
"""

from fakeapi.machinery.json_types import Object


class ClaimNameUnknown(Exception):
    """The claim of a template is not made yet."""


def claim_source(pod_claim: Object) -> Object:
    """The object with resourceClaimName: `source` of the pod claim up to 1.30, then the pod claim."""
    source = pod_claim.get("source")
    return source if source is not None else pod_claim


def claim_of_pod(pod: Object, pod_claim: Object, *, by_pod: bool = False) -> str | None:
    """The name of the ResourceClaim; None where it was found that none is needed.

    `by_pod` for 1.27, where the name of a generated claim follows from that of the pod. Raises
    ClaimNameUnknown.
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
    """Name and uid of the pod that controls an object; empty where there is none."""
    for owner in obj["metadata"].get("ownerReferences") or ():
        if owner.get("controller") and owner["apiVersion"] == "v1" and owner["kind"] == "Pod":
            return owner["name"], owner["uid"]
    return "", ""


def owner_reference_to_pod(pod: Object) -> Object:
    """The pod as the controller of an object that is made for it."""
    metadata = pod["metadata"]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
    }


def is_for_pod(pod: Object, claim: Object) -> bool:
    """Whether a generated claim is the pod's: of the same namespace, controlled by it."""
    metadata, own = pod["metadata"], claim["metadata"]
    return bool(own["namespace"] == metadata["namespace"] and owning_pod(claim)[1] == metadata["uid"])


def reserved_for(pod: Object, claim: Object) -> bool:
    """Whether the pod is among those that may use the claim."""
    uid = pod["metadata"]["uid"]
    return any(each["uid"] == uid for each in claim["status"].get("reservedFor") or ())


def reference_to_pod(pod: Object) -> Object:
    """The pod as a consumer of a claim."""
    return {"resource": "pods", "name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]}


def is_done(pod: Object) -> bool:
    """Whether a pod will not run (any more): terminated, or deleted before it got a node."""
    if pod["status"].get("phase") in {"Succeeded", "Failed"}:
        return True
    return "deletionTimestamp" in pod["metadata"] and not pod["spec"].get("nodeName")
