"""The objects that a pod references. The kubelet that runs the pod may read these objects.

Follows the edges of pods in k8s.io/kubernetes `plugin/pkg/auth/authorizer/node/graph.go`.
"""

from collections.abc import Iterator
from typing import Any

from fakeapi.kinds.core.pod.mirror_pods import is_mirror
from fakeapi.machinery.json_types import Object

_BY_NAME = {
    "secrets": frozenset({"secretRef", "secretKeyRef", "nodePublishSecretRef", "secret", "secretName"}),
    "configmaps": frozenset({"configMapRef", "configMapKeyRef", "configMap"}),
}
"""Fields of a pod spec that reference an object, by resource.

The value of a field is a name, or an object with the field `name`.
"""


def names(pod: Object, resource: str) -> set[str]:
    """Returns the names of all objects of a resource, such as secrets, that a pod references.

    Returns an empty set for a mirror pod.
    """
    if is_mirror(pod):
        return set()
    spec = pod["spec"]
    match resource:
        case "persistentvolumeclaims":
            return set(_volume_claims(pod))
        case "resourceclaims":
            return set(_resource_claims(pod))
        case "serviceaccounts":
            return {spec["serviceAccountName"]} if spec.get("serviceAccountName") else set()
        case "secrets":
            pulled = {reference.get("name", "") for reference in spec.get("imagePullSecrets") or ()}
            return pulled | set(_named(spec, _BY_NAME[resource]))
    return set(_named(spec, _BY_NAME[resource]))


def _named(value: Any, fields: frozenset[str]) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _named(item, fields)
    elif isinstance(value, dict):
        for field, inner in value.items():
            if field in fields:
                yield inner if isinstance(inner, str) else inner.get("name", "")
            yield from _named(inner, fields)


def _volume_claims(pod: Object) -> Iterator[str]:
    for volume in pod["spec"].get("volumes") or ():
        if "persistentVolumeClaim" in volume:
            yield volume["persistentVolumeClaim"]["claimName"]
        elif "ephemeral" in volume:
            yield f"{pod['metadata']['name']}-{volume['name']}"


def _resource_claims(pod: Object) -> Iterator[str]:
    status = pod.get("status") or {}
    for pod_claim in (
        *(pod["spec"].get("resourceClaims") or ()),
        *(status.get("resourceClaimStatuses") or ()),
    ):
        name = pod_claim.get("resourceClaimName") or (pod_claim.get("source") or {}).get("resourceClaimName")
        if name:
            yield name
    extended = status.get("extendedResourceClaimStatus")
    if extended is not None:
        yield extended["resourceClaimName"]
