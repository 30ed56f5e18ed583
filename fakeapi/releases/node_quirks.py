"""Differences between releases in what nodes may write, which the admission plugin NodeRestriction says.

Known from `plugin/pkg/admission/noderestriction` of k8s.io/kubernetes at each release's last patch.
"""

from dataclasses import dataclass
from functools import cache

from fakeapi.releases.history import History, values_at


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeQuirks:
    """What a release asks of nodes."""

    creates_own_slices: bool
    """A node creates ResourceSlices of its own alone."""
    deletes_own_slices: bool
    """A node deletes ResourceSlices of its own alone."""
    requests_own_certificates: bool
    """A node requests certificates for itself alone."""
    keeps_owners_of_nodes: bool
    """A node does not change the owners of its Node."""
    pods_without_trust_bundles: bool
    pods_without_claims: bool
    """What a pod that a node creates does not refer to."""
    pods_without_references: bool
    """Such a pod refers to no object at all, and the refusal names the kind."""
    quantity_of_claims: str
    """The field that the refusal of a claim's status calls by name."""
    audience_refusal: str
    """The refusal of an audience that the pod's volumes do not have; it takes `audience` and `user`."""
    holds_pod_certificate_requests: bool
    """What a PodCertificateRequest says has to be true of the pod, its account and the node."""
    checks_signers: bool
    """The pod mounts certificates of the signer, or the node may ask for them all the same."""
    holds_status_of_csi_nodes: bool
    account_read_refusal: str
    """Why the node authorizer lets nobody read a service account; empty where the accounts of the node's pods
    can be read. The gate KubeletServiceAccountTokenForCredentialProviders is as the release has it."""


_HISTORY: History = {
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
    """The quirks of release 1.`minor` that are about nodes."""
    return NodeQuirks(**values_at(_HISTORY, minor))
