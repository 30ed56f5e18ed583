"""Checks a kubelet's writes to pods, their status and eviction, and to PersistentVolumeClaim status.

Follows `admitPod`, `admitPodStatus`, `admitPodEviction` and `admitPVCStatus` upstream.
"""

from typing import Any, Final

from fakeapi.admission.plugins.node_restriction.references import reference_of, refused_reference
from fakeapi.admission.plugins.node_restriction.subject import Subject
from fakeapi.kinds.common.printing.differences import printed_difference
from fakeapi.kinds.core.pod.mirror_pods import MIRROR, is_mirror
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Operation
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.releases.rules import rules_of

_KEPT: Final = (
    ("resourceClaimStatuses", "resource claim statues"),
    ("extendedResourceClaimStatus", "extended resource claim status"),
    ("nodeAllocatableResourceClaimStatuses", "node allocatable resource claim statuses"),
)
"""Fields of a pod's status that kubelets must not change, with their names in upstream's error messages."""


def check(subject: Subject) -> None:
    """Checks a kubelet's write to a pod.

    A kubelet may create mirror pods. It may delete and evict pods on its own cluster node, and update their
    status. A status update must not change labels or the fields in `_KEPT`. Raises ApiError 403 for all other
    writes, and 404 if the pod to evict or the Node does not exist.
    """
    match subject.subresource:
        case "":
            _check_pod(subject)
        case "status":
            _check_status(subject)
        case "eviction":
            _check_eviction(subject)
        case other:
            raise subject.forbidden(
                f"unexpected pod subresource \"{other}\", only 'status' and 'eviction' are allowed"
            )


def _check_pod(subject: Subject) -> None:
    match subject.operation:
        case Operation.CREATE:
            _check_mirror(subject)
        case Operation.DELETE:
            if subject.old["spec"].get("nodeName", "") != subject.node:
                why = f"node {subject.quoted} can only delete pods with spec.nodeName set to itself"
                raise subject.forbidden(why)
        case other:
            raise subject.forbidden(
                f'unexpected operation "{other.value}", node {subject.quoted} can only create and delete '
                "mirror pods"
            )


def _check_mirror(subject: Subject) -> None:
    pod, node = subject.new, subject.quoted
    if not is_mirror(pod):
        raise subject.forbidden(
            f'pod does not have "{MIRROR}" annotation, node {node} can only create mirror pods'
        )
    only = f"node {node} can only create pods with"
    if pod["spec"].get("nodeName", "") != subject.node:
        raise subject.forbidden(f"{only} spec.nodeName set to itself")
    owners = pod["metadata"].get("ownerReferences") or ()
    if len(owners) > 1:
        raise subject.forbidden(f"{only} a single owner reference set to itself")
    expected = {"apiVersion": "v1", "kind": "Node", "name": subject.node}
    if not owners or any(owners[0].get(name) != value for name, value in expected.items()):
        raise subject.forbidden(f"{only} an owner reference set to itself")
    if not owners[0].get("controller"):
        raise subject.forbidden(f"{only} a controller owner reference set to itself")
    if owners[0].get("blockOwnerDeletion"):
        raise subject.forbidden(f"node {node} must not set blockOwnerDeletion on an owner reference")
    uid = subject.get("nodes", subject.node)["metadata"]["uid"]
    if owners[0]["uid"] != uid:
        raise subject.forbidden(f"node {subject.node} UID mismatch: expected {owners[0]['uid']} got {uid}")
    _check_references(subject)


def _check_references(subject: Subject) -> None:
    spec = subject.new["spec"]
    if not subject.quirks.pods_without_references:
        named, problem = refused_reference(spec, subject.quirks), ""
    else:
        named, problem = reference_of(spec)
    if problem:
        raise subject.forbidden(f"error checking mirror pod for API references: {problem}")
    if named:
        raise subject.forbidden(f"node {subject.quoted} can not create pods that reference {named}")


def _check_status(subject: Subject) -> None:
    if subject.operation is not Operation.UPDATE:
        raise subject.unexpected()
    old, new = subject.old, subject.new
    if old["spec"].get("nodeName", "") != subject.node:
        why = "can only update pod status for pods with spec.nodeName set to itself"
        raise subject.forbidden(f"node {subject.quoted} {why}")
    if (old["metadata"].get("labels") or {}) != (new["metadata"].get("labels") or {}):
        raise subject.forbidden(f"node {subject.quoted} cannot update labels through pod status")
    before, after = old.get("status") or {}, new.get("status") or {}
    for field, called in _KEPT:
        if not semantically_equal(before.get(field), after.get(field)):
            raise subject.forbidden(f"node {subject.quoted} cannot update {called}")


def _check_eviction(subject: Subject) -> None:
    if subject.operation is not Operation.CREATE:
        raise subject.forbidden(f"unexpected operation {subject.operation.value}")
    name = subject.attributes.target.name or subject.new["metadata"].get("name", "")
    pod = subject.get("pods", name, namespace=subject.attributes.namespace)
    if pod["spec"].get("nodeName", "") != subject.node:
        why = f"node {subject.node} can only evict pods with spec.nodeName set to itself"
        raise subject.forbidden(why)


def check_claim(subject: Subject) -> None:
    """Checks a kubelet's write to a PersistentVolumeClaim.

    A kubelet may update only the capacity and the conditions in the claim's status. With the gate
    RecoverVolumeExpansionFailure, a kubelet may also update the fields for resizes. Raises ApiError 403 for
    all other writes.
    """
    if subject.subresource != "status":
        raise subject.forbidden("may only update PVC status")
    if subject.operation is not Operation.UPDATE:
        raise subject.unexpected()
    settable = ["capacity", "conditions"]
    if subject.has_gate("RecoverVolumeExpansionFailure"):
        settable += ["allocatedResourceStatuses", "allocatedResources", "resizeStatus"]
    old, new = (_without(claim, settable) for claim in (subject.old, subject.new))
    if semantically_equal(old, new):
        return
    rules = rules_of(subject.attributes.resource.release)
    difference = printed_difference(old, new, rules.schemas.struct("core/v1.PersistentVolumeClaim"), rules)
    raise subject.forbidden(
        f"node {subject.quoted} is not allowed to update fields other than "
        f"{subject.quirks.quantity_of_claims} and status.conditions: {difference}"
    )


def _without(claim: Object, settable: list[str]) -> Object:
    """Returns a PersistentVolumeClaim without some fields.

    Drops resourceVersion, managedFields and the status fields in `settable`.
    """
    metadata: dict[str, Any] = {
        name: value
        for name, value in claim["metadata"].items()
        if name not in ("resourceVersion", "managedFields")
    }
    status = {name: value for name, value in claim["status"].items() if name not in settable}
    return {"metadata": metadata, "spec": claim["spec"], "status": status}
