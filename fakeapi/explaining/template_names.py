"""Names the ResourceClaimTemplate and the pod in changes of claims that were created from a template."""

from collections.abc import Iterable

import msgspec

from fakeapi.controllers.claim_generator import ANNOTATION
from fakeapi.controllers.pod_claims import claim_source, owning_pod
from fakeapi.explaining.cluster_objects import ClusterObjects
from fakeapi.explaining.device_changes import TEMPLATE_AND_POD
from fakeapi.explaining.model import Change, Reason, Reference


def name_templates(cluster: ClusterObjects, reasons: Iterable[Reason]) -> None:
    """Names the template and the pod in each change that creates both again; adds the template to the
    objects.
    """
    for reason in reasons:
        reason.changes = [_named(cluster, change) for change in reason.changes]


def _named(cluster: ClusterObjects, change: Change) -> Change:
    """Returns a change with the names of the template and the pod of its first generated claim."""
    if TEMPLATE_AND_POD not in change.text:
        return change
    for claim in (one for one in change.objects if one.kind == "ResourceClaim"):
        template, pod = _sources(cluster, claim)
        if template is not None:
            text = change.text.replace(TEMPLATE_AND_POD, f"{template} and {pod}")
            steps = [_named(cluster, step) for step in change.steps]
            return msgspec.structs.replace(
                change, text=text, objects=[*change.objects, template], steps=steps
            )
    return change


def _sources(cluster: ClusterObjects, own: Reference) -> tuple[Reference | None, Reference | None]:
    """Returns the template and the pod of a generated claim; (None, None) if the pod does not exist."""
    claim = cluster.get("resourceclaims", own.namespace, own.name)
    if claim is None:
        return None, None
    pod = cluster.get("pods", own.namespace, owning_pod(claim)[0])
    entry = (claim["metadata"].get("annotations") or {}).get(ANNOTATION)
    for pod_claim in () if pod is None else pod["spec"].get("resourceClaims") or ():
        name = claim_source(pod_claim).get("resourceClaimTemplateName")
        if name and pod_claim["name"] == entry and pod is not None:
            return (
                Reference("ResourceClaimTemplate", name, own.namespace),
                Reference("Pod", pod["metadata"]["name"], own.namespace),
            )
    return None, None
