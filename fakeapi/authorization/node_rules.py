"""Node authorization rules that only read the request, and the reasons for denied requests.

Follows k8s.io/kubernetes `plugin/pkg/auth/authorizer/node` (node_authorizer.go). In all functions, `node` is
the name of a kubelet's cluster node, and `wanted` is the kubelet's request.
"""

from fakeapi.machinery.golang.strconv import quote
from fakeapi.registry.authorization.attributes import AccessAttributes
from fakeapi.registry.authorization.authorizer import Decision
from fakeapi.releases import Release
from fakeapi.releases.node_quirks import node_quirks_of

LEASES = "kube-node-lease"
_OWN_VERBS = ("get", "create", "update", "patch", "delete")
_CSI_STATUS = "CSIVolumeHealth"
ALLOWED = Decision(allowed=True)


def decide_lease(node: str, wanted: AccessAttributes) -> Decision:
    if wanted.verb not in _OWN_VERBS:
        return refused("can only get, create, update, patch, or delete a node lease")
    if wanted.namespace != LEASES:
        return refused(f"can only access leases in the {quote(LEASES)} system namespace")
    if wanted.verb != "create" and wanted.name != node:
        return refused("can only access node lease with the same name as the requesting node")
    return ALLOWED


def decide_csi_node(node: str, wanted: AccessAttributes, release: Release) -> Decision:
    has_status = node_quirks_of(release.minor).holds_status_of_csi_nodes
    if wanted.subresource == "status" and has_status:
        if not release.gates.enabled(_CSI_STATUS):
            return refused(f"CSINode status access requires {_CSI_STATUS} feature")
        if wanted.verb not in {"get", "update", "patch"}:
            return refused("can only get, update, or patch CSINode status")
    elif wanted.subresource and has_status:
        return refused("cannot authorize CSINode subresources")
    elif wanted.verb not in _OWN_VERBS:
        return refused("can only get, create, update, patch, or delete a CSINode")
    elif wanted.subresource:
        return refused("cannot authorize CSINode subresources")
    if wanted.verb != "create" and wanted.name != node:
        return refused("can only access CSINode with the same name as the requesting node")
    return ALLOWED


def refuse_unless_get(wanted: AccessAttributes) -> Decision | None:
    if wanted.verb != "get":
        return refused("can only get individual resources of this type")
    return refused("cannot get subresource") if wanted.subresource else None


def refuse_unless_read(wanted: AccessAttributes) -> Decision | None:
    if wanted.verb not in {"get", "list", "watch"}:
        return refused("can only read resources of this type")
    if wanted.subresource:
        return refused("cannot read subresource")
    return None if wanted.namespace else refused("can only read namespaced object of this type")


def refuse_unless_status_change(wanted: AccessAttributes) -> Decision | None:
    if wanted.verb not in {"update", "patch"}:
        return refused("can only get/update/patch this type")
    return None


def decide_node(node: str, wanted: AccessAttributes) -> Decision:
    action = wanted.subresource, wanted.verb
    changes = {("", "create"), ("", "update"), ("", "patch"), ("status", "update"), ("status", "patch")}
    if action in changes:
        return ALLOWED
    if action not in {("", "get"), ("", "list"), ("", "watch")}:
        return refused("")
    if wanted.name == node:
        return ALLOWED
    wish = quote(wanted.name).replace('"', "'") if wanted.name else "all nodes"
    return refused(f"node '{node}' cannot read {wish}, only its own Node object")


def related(node: str, is_related: bool) -> Decision:  # noqa: FBT001 - the only argument besides the node
    if is_related:
        return ALLOWED
    return refused(f"no relationship found between node '{node}' and this object")


def refused(reason: str) -> Decision:
    return Decision(allowed=False, reason=reason)


def refuse_account(wanted: AccessAttributes, release: Release) -> Decision | None:
    """Denies a kubelet's request for a service account, unless the decision depends on pods.

    Returns None for creating a token and, in newer releases, for reading a service account. The kubelet may
    create the token or read the service account only if a pod on its cluster node uses the service account.

    `wanted`: the request.
    """
    if wanted.verb == "get" and not wanted.subresource:
        why = node_quirks_of(release.minor).account_read_refusal
        return refused(why) if why else refuse_unless_read(wanted)
    if wanted.verb != "create" or not wanted.name:
        return refused("can only create tokens for individual service accounts")
    if wanted.subresource != "token":
        return refused("can only create token subresource of serviceaccount")
    return None


def decide_pod_certificate(node: str, wanted: AccessAttributes) -> Decision | None:
    """Decides whether a kubelet may access PodCertificateRequests.

    Returns None for a get, because the decision depends on the requested object.

    - `node`: the name of the kubelet's cluster node.
    - `wanted`: the request.
    """
    if wanted.subresource:
        return refused("nodes may not access the status subresource of PodCertificateRequests")
    match wanted.verb:
        case "get":
            return None
        case "create":
            return ALLOWED
        case "list" | "watch":
            if ("spec.nodeName", node) in wanted.fields:
                return ALLOWED
            return refused("can only list/watch podcertificaterequests with nodeName field selector")
    return refused(f"nodes may not {wanted.verb} podcertificaterequests")
