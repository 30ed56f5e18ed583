"""Differences between releases in the writes that the admission plugin NodeRestriction allows to nodes.

Sources are `plugin/pkg/admission/noderestriction` of k8s.io/kubernetes at each release's last patch.
"""

from dataclasses import dataclass
from functools import cache

from fakeapi.releases.history import History, values_at


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeQuirks:
    """The restrictions of one release on requests that nodes send."""

    creates_own_slices: bool
    """Whether nodes may only create their own ResourceSlices."""
    deletes_own_slices: bool
    """Whether nodes may only delete their own ResourceSlices."""
    requests_own_certificates: bool
    """Whether nodes may only request certificates for themselves."""
    keeps_owners_of_nodes: bool
    """Whether nodes must not change the ownerReferences of their Node."""
    pods_without_trust_bundles: bool
    """Whether pods that nodes create must not refer to ClusterTrustBundles."""
    pods_without_claims: bool
    """Whether pods that nodes create must not have resourceClaims."""
    pods_without_references: bool
    """Whether pods that nodes create must not refer to any object; the error names the object's kind."""
    quantity_of_claims: str
    """Name of the field next to `status.conditions` in the error about a PersistentVolumeClaim's status."""
    audience_refusal: str
    """Template of the error if a node requests a token for an audience that the pod's volumes do not have.

    If the template contains `{user}`, nodes with an RBAC permission may request other audiences.
    """
    holds_pod_certificate_requests: bool
    """Whether a node's PodCertificateRequest must match the pod, its service account and the node."""
    checks_signers: bool
    """Whether a pod must mount a certificate of the signer in its PodCertificateRequest.

    Nodes with an RBAC permission for the signer are exempt.
    """
    holds_status_of_csi_nodes: bool
    """Whether a node may write the status of its CSINode only if the gate CSIVolumeHealth is on."""
    account_read_refusal: str
    """Reason why nodes may not read service accounts; empty if nodes may read the accounts of their pods.

    Assumes the release's default for the gate KubeletServiceAccountTokenForCredentialProviders.
    """


HISTORY: History = {
    "creates_own_slices": {27: False, 30: True},
    "deletes_own_slices": {27: False, 31: True},
    "requests_own_certificates": {27: False, 31: True},
    "keeps_owners_of_nodes": {27: False, 31: True},
    "pods_without_trust_bundles": {27: False, 29: True},
    "pods_without_claims": {27: False, 32: True},
    "pods_without_references": {27: False, 34: True},
    "quantity_of_claims": {27: "status.capacity", 30: "status.quantity"},
    "audience_refusal": {
        27: "audience {audience} not found in pod spec volume",
        33: "audience {audience} not found in pod spec volume, {user} is not authorized to request tokens "
        "for this audience",
        37: "{user} is not authorized to request tokens for audience {audience}",
    },
    "holds_pod_certificate_requests": {27: False, 34: True},
    "checks_signers": {27: False, 37: True},
    "holds_status_of_csi_nodes": {27: False, 37: True},
    "account_read_refusal": {
        27: "can only create tokens for individual service accounts",
        33: "not allowed to get service accounts",
        34: "",
    },
}


@cache
def node_quirks_of(minor: int) -> NodeQuirks:
    """Returns the restrictions of release 1.`minor` on requests that nodes send."""
    return NodeQuirks(**values_at(HISTORY, minor))
