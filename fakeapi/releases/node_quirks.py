"""Differences between releases in the writes that the admission plugin NodeRestriction allows to nodes.

Sources are `plugin/pkg/admission/noderestriction` of k8s.io/kubernetes at each release's last patch.
"""

from functools import cache

from fakeapi.releases.history import ReleaseValues, since

_RESTRICTION = "plugin/pkg/admission/noderestriction"
_AUTHORIZER = "plugin/pkg/auth/authorizer/node"


class NodeQuirks(ReleaseValues):
    """The restrictions of one release on requests that nodes send."""

    creates_own_slices: bool = since({27: False, 30: True}, _RESTRICTION)
    """Whether nodes may only create their own ResourceSlices."""
    deletes_own_slices: bool = since({27: False, 31: True}, _RESTRICTION)
    """Whether nodes may only delete their own ResourceSlices."""
    requests_own_certificates: bool = since({27: False, 31: True}, _RESTRICTION)
    """Whether nodes may only request certificates for themselves."""
    keeps_owners_of_nodes: bool = since({27: False, 31: True}, _RESTRICTION)
    """Whether nodes must not change the ownerReferences of their Node."""
    pods_without_trust_bundles: bool = since({27: False, 29: True}, _RESTRICTION)
    """Whether pods that nodes create must not refer to ClusterTrustBundles."""
    pods_without_claims: bool = since({27: False, 32: True}, _RESTRICTION)
    """Whether pods that nodes create must not have resourceClaims."""
    pods_without_references: bool = since({27: False, 34: True}, _RESTRICTION)
    """Whether pods that nodes create must not refer to any object; the error names the object's kind."""
    quantity_of_claims: str = since({27: "status.capacity", 30: "status.quantity"}, _RESTRICTION)
    """Name of the field next to `status.conditions` in the error about a PersistentVolumeClaim's status."""
    audience_refusal: str = since(
        {
            27: "audience {audience} not found in pod spec volume",
            33: "audience {audience} not found in pod spec volume, {user} is not authorized to request "
            "tokens for this audience",
            37: "{user} is not authorized to request tokens for audience {audience}",
        },
        _RESTRICTION,
    )
    """Template of the error if a node requests a token for an audience that the pod's volumes do not have.

    If the template contains `{user}`, nodes with an RBAC permission may request other audiences.
    """
    holds_pod_certificate_requests: bool = since({27: False, 34: True}, _RESTRICTION)
    """Whether a node's PodCertificateRequest must match the pod, its service account and the node."""
    checks_signers: bool = since({27: False, 37: True}, _RESTRICTION)
    """Whether a pod must mount a certificate of the signer in its PodCertificateRequest.

    Nodes with an RBAC permission for the signer are exempt.
    """
    holds_status_of_csi_nodes: bool = since({27: False, 37: True}, _RESTRICTION)
    """Whether a node may write the status of its CSINode only if the gate CSIVolumeHealth is on."""
    account_read_refusal: str = since(
        {
            27: "can only create tokens for individual service accounts",
            33: "not allowed to get service accounts",
            34: "",
        },
        _AUTHORIZER,
    )
    """Reason why nodes may not read service accounts; empty if nodes may read the accounts of their pods.

    Assumes the release's default for the gate KubeletServiceAccountTokenForCredentialProviders.
    """


@cache
def node_quirks_of(minor: int) -> NodeQuirks:
    """Returns the restrictions of release 1.`minor` on requests that nodes send."""
    return NodeQuirks(minor)
