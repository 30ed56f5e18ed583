"""Checks a kubelet's writes to Nodes, Leases, CSINodes, ResourceSlices and CertificateSigningRequests.

Follows `admitNode`, `admitLease`, `admitCSINode`, `admitResourceSlice` and `admitCSR` upstream. A kubelet
with the user name `system:node:NAME` has the Node `NAME`.
"""

import base64
from collections.abc import Mapping
from typing import Any, Final

from fakeapi.admission.plugins.node_restriction.subject import Subject
from fakeapi.kinds.certificates.pem import common_name_of, request_problem
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Operation
from fakeapi.registry.model.semantic_equality import semantically_equal

LEASES: Final = "kube-node-lease"
SIGNERS: Final = ("kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet")
OWN_LABELS: Final = frozenset(
    {
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "beta.kubernetes.io/os",
        "failure-domain.beta.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "kubernetes.io/arch",
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "node.kubernetes.io/instance-type",
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/zone",
    }
)
"""Labels with kubernetes.io or k8s.io domains that a kubelet may set, in addition to labels with OWN_DOMAINS.
"""
OWN_DOMAINS: Final = ("kubelet.kubernetes.io", "node.kubernetes.io")
RESTRICTED: Final = "node-restriction.kubernetes.io"


def check(subject: Subject) -> None:
    """Raises ApiError 403 if a kubelet writes the Node of another kubelet.

    Also raises ApiError 403 if the kubelet sets a configSource, or changes forbidden labels. For an update,
    also raises ApiError 403 if the kubelet changes taints or, in newer releases, ownerReferences.
    """
    name = subject.attributes.name
    if name != subject.node:
        raise subject.forbidden(f'node {subject.quoted} is not allowed to modify node "{name}"')
    if subject.operation is Operation.CREATE:
        _check_new(subject)
    elif subject.operation is Operation.UPDATE:
        _check_changed(subject)


def _check_new(subject: Subject) -> None:
    node = subject.new
    if node["spec"].get("configSource") is not None:
        why = f"node {subject.quoted} is not allowed to create pods with a non-nil configSource"
        raise subject.forbidden(why)
    if labels := _forbidden_labels(_labels(node), {}):
        raise subject.forbidden(
            f"node {subject.quoted} is not allowed to set the following labels: {', '.join(labels)}"
        )


def _check_changed(subject: Subject) -> None:
    new, old, node = subject.new, subject.old, subject.quoted
    source = new["spec"].get("configSource")
    if source is not None and not semantically_equal(source, old["spec"].get("configSource")):
        raise subject.forbidden(
            f"node {node} is not allowed to update configSource to a new non-nil configSource"
        )
    if not semantically_equal(new["spec"].get("taints"), old["spec"].get("taints")):
        raise subject.forbidden(f"node {node} is not allowed to modify taints")
    owners = (obj["metadata"].get("ownerReferences") for obj in (new, old))
    if subject.quirks.keeps_owners_of_nodes and not semantically_equal(*owners):
        raise subject.forbidden(f"node {node} is not allowed to modify ownerReferences")
    if labels := _forbidden_labels(_labels(new), _labels(old)):
        raise subject.forbidden(f"is not allowed to modify labels: {', '.join(labels)}")


def _labels(obj: Object) -> Mapping[str, str]:
    return obj["metadata"].get("labels") or {}


def _forbidden_labels(new: Mapping[str, str], old: Mapping[str, str]) -> list[str]:
    """Returns the names of the changed labels that a kubelet must not change, sorted."""
    changed = [key for key in sorted({*new, *old}) if new.get(key) != old.get(key)]
    return [key for key in changed if not _is_own(key)]


def _is_own(key: str) -> bool:
    domain, slash, _ = key.partition("/")
    if not slash:
        return True
    if _is_in(domain, RESTRICTED):
        return False
    is_of_kubernetes = _is_in(domain, "kubernetes.io") or _is_in(domain, "k8s.io")
    return (
        not is_of_kubernetes
        or key in OWN_LABELS
        or any(_is_in(domain, own_domain) for own_domain in OWN_DOMAINS)
    )


def _is_in(domain: str, parent: str) -> bool:
    return domain == parent or domain.endswith(f".{parent}")


def check_lease(subject: Subject) -> None:
    """Raises ApiError 403 if a kubelet writes a Lease other than its own Lease in kube-node-lease."""
    if subject.attributes.namespace != LEASES:
        raise subject.forbidden(f'can only access leases in the "{LEASES}" system namespace')
    if _name(subject) != subject.node:
        raise subject.forbidden("can only access node lease with the same name as the requesting node")


def check_csi_node(subject: Subject) -> None:
    """Raises ApiError 403 if a kubelet writes the CSINode of another node.

    In releases with CSINode status, also raises ApiError 403 for a write to the status in these cases: the
    gate CSIVolumeHealth is off, the write is not an update, or the write changes the spec.
    """
    if _name(subject) != subject.node:
        raise subject.forbidden("can only access CSINode with the same name as the requesting node")
    if subject.subresource != "status" or not subject.quirks.holds_status_of_csi_nodes:
        return
    if not subject.has_gate("CSIVolumeHealth"):
        raise subject.forbidden("CSIVolumeHealth feature gate is disabled")
    if subject.operation is not Operation.UPDATE:
        raise subject.unexpected()
    if not semantically_equal(subject.new["spec"], subject.old["spec"]):
        raise subject.forbidden(f"node {subject.quoted} is not allowed to modify CSINode spec via status")


def _name(subject: Subject) -> str:
    """Returns the name of the written object; for a create, the name in the body."""
    if subject.operation is not Operation.CREATE:
        return subject.attributes.name
    name: str = subject.new["metadata"].get("name", "")
    return name


def check_slice(subject: Subject) -> None:
    """Raises ApiError 403 if a kubelet creates or deletes a ResourceSlice of another cluster node.

    Some releases check only creates. Some releases check neither creates nor deletes.
    """
    if subject.operation is Operation.CREATE and subject.quirks.creates_own_slices:
        verb, resource_slice = "create", subject.new
    elif subject.operation is Operation.DELETE and subject.quirks.deletes_own_slices:
        verb, resource_slice = "delete", subject.old
    else:
        return
    spec: Any = resource_slice.get("spec", resource_slice)  # slices of v1alpha2 have no spec
    if spec.get("nodeName") != subject.node:
        why = f"can only {verb} ResourceSlice with the same NodeName as the requesting node"
        raise subject.forbidden(why)


def check_signing_request(subject: Subject) -> None:
    """Raises ApiError 403 if a kubelet requests a kubelet certificate for another cluster node.

    Also raises ApiError 403 if the certificate request is malformed. Checks only the signers in SIGNERS.
    Checks nothing in older releases, or with the gate AllowInsecureKubeletCertificateSigningRequests.
    """
    if not subject.quirks.requests_own_certificates or subject.operation is not Operation.CREATE:
        return
    if subject.has_gate("AllowInsecureKubeletCertificateSigningRequests"):
        return
    spec = subject.new["spec"]
    if spec.get("signerName") not in SIGNERS:
        return
    request = base64.b64decode(spec.get("request") or "")
    if problem := request_problem(request, signed=False):
        raise subject.forbidden(f"unable to parse csr: {problem}")
    if common_name_of(request) != f"system:node:{subject.node}":
        raise subject.forbidden(f"can only create a node CSR with CN=system:node:{subject.node}")
