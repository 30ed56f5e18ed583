"""Makes the ClusterObjects after a change in which a pod or claim names another object."""

from dataclasses import replace

from fakeapi.explaining.cluster_objects import ClusterObjects
from fakeapi.explaining.model import Change
from fakeapi.explaining.trial import edited, steps_of
from fakeapi.machinery.json_types import Object

NAMESPACE = "metadata.namespace"
"""The path of a change that creates the pod again in another namespace."""

_TEMPLATE = "resourceClaimTemplateName"


def after_rename(cluster: ClusterObjects, pod: Object, change: Change) -> tuple[ClusterObjects, Object]:
    """Returns the cluster and the pod after `change` has set the field `path` to `value`.

    `change.objects`: the pod, or one of its claims.
    """
    (target,) = change.objects
    if target.kind == "ResourceClaim":
        claims = [
            edited(claim, steps_of(change.path), change.value)
            if (claim["metadata"]["namespace"], claim["metadata"]["name"]) == (target.namespace, target.name)
            else claim
            for claim in cluster.of("resourceclaims")
        ]
        return replace(cluster, objects={**cluster.objects, "resourceclaims": claims}), pod
    if change.path == NAMESPACE:
        return cluster, {**pod, "metadata": {**pod["metadata"], "namespace": change.value}}
    if not change.path.endswith(_TEMPLATE):
        return cluster, edited(pod, steps_of(change.path), change.value)
    return _with_claim_of_template(cluster, pod, change)


def _with_claim_of_template(
    cluster: ClusterObjects, pod: Object, change: Change
) -> tuple[ClusterObjects, Object]:
    """Returns the cluster with the claim of a template, and the pod that names this claim.

    The resourceclaim controller would create the same claim under another name.
    """
    namespace = pod["metadata"]["namespace"]
    template = cluster.get("resourceclaimtemplates", namespace, change.value)
    name = f"{pod['metadata']['name']}-of-{change.value}"
    spec = {} if template is None else template["spec"].get("spec") or {}
    claim: Object = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": namespace, "uid": f"for-{name}"},
        "spec": spec,
        "status": {},
    }
    steps = steps_of(change.path)
    renamed = edited(pod, steps, None)
    renamed = edited(renamed, [*steps[:-1], "resourceClaimName"], name)
    objects = {**cluster.objects, "resourceclaims": [*cluster.of("resourceclaims"), claim]}
    return replace(cluster, objects=objects), renamed
