"""NodeAccess: the permissions of kubelets.

Follows k8s.io/kubernetes `plugin/pkg/auth/authorizer/node`. A kubelet has the permissions of the ClusterRole
system:node. A kubelet may also access its own Lease, CSINode, ResourceSlices, Node and pods. A kubelet may
read the secrets, configmaps, claims, volumes and service accounts that its pods reference. Upstream maintains
a graph of these references. fakeapi searches the pods at each request of a kubelet. fakeapi does not follow
references from volumes to the secrets of volume drivers.
"""

from fakeapi.authorization import pod_references
from fakeapi.authorization.node_rules import (
    ALLOWED,
    decide_csi_node,
    decide_lease,
    decide_node,
    decide_pod_certificate,
    refuse_account,
    refuse_unless_get,
    refuse_unless_read,
    refuse_unless_status_change,
    refused,
    related,
)
from fakeapi.authorization.roles import Roles
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.authorization.attributes import AccessAttributes
from fakeapi.registry.authorization.authorizer import Decision
from fakeapi.registry.authorization.rules import rule_allows
from fakeapi.registry.identity.users import User
from fakeapi.registry.objects import ClusterObjects
from fakeapi.releases import Release

NODES = "system:nodes"
PREFIX = "system:node:"
_ROLE = {"kind": "ClusterRole", "name": "system:node"}
_BY_SELECTOR = "AuthorizeNodeWithSelectors"
_CERTIFICATES = "PodCertificateRequest"


def node_of(user: User) -> str | None:
    """Returns the node name in a kubelet's user name, system:node:NAME; None for other users.

    Kubelets are in the group system:nodes. The node name may be "".
    """
    if not user.name.startswith(PREFIX) or NODES not in user.groups:
        return None
    return user.name.removeprefix(PREFIX)


class NodeAccess:
    """Decides whether kubelets may send their requests."""

    def __init__(self, objects: ClusterObjects, release: Release, roles: Roles) -> None:
        self._objects = objects
        self._release = release
        self._gates = release.gates
        self._roles = roles

    def decide(self, node: str, wanted: AccessAttributes) -> Decision:
        """Decides whether a kubelet may send a request. The reason of a denial may be empty.

        - `node`: the name of the kubelet's cluster node.
        - `wanted`: the request.
        """
        if not node:
            return refused(f"unknown node for user {quote(wanted.user.name)}")
        if wanted.is_resource:
            match wanted.group, wanted.resource:
                case "coordination.k8s.io", "leases":
                    return decide_lease(node, wanted)
                case "storage.k8s.io", "csinodes":
                    return decide_csi_node(node, wanted, self._release)
                case "resource.k8s.io", "resourceslices":
                    return self._slice(node, wanted)
                case "", "secrets" | "configmaps":
                    return refuse_unless_read(wanted) or self._led_to(node, wanted)
                case ("", "persistentvolumeclaims") if wanted.subresource == "status":
                    return refuse_unless_status_change(wanted) or self._led_to(node, wanted)
                case ("", "persistentvolumeclaims") | ("resource.k8s.io", "resourceclaims"):
                    return refuse_unless_get(wanted) or self._led_to(node, wanted)
                case "", "persistentvolumes":
                    return refuse_unless_get(wanted) or self._volume(node, wanted)
                case "storage.k8s.io", "volumeattachments":
                    return refuse_unless_get(wanted) or self._of_node(node, wanted)
                case "", "serviceaccounts":
                    return refuse_account(wanted, self._release) or self._led_to(node, wanted)
                case "certificates.k8s.io", "podcertificaterequests" if self._gates.enabled(_CERTIFICATES):
                    return decide_pod_certificate(node, wanted) or self._of_node(node, wanted)
                case "", "nodes" if self._gates.enabled(_BY_SELECTOR):
                    return decide_node(node, wanted)
                case "", "pods" if self._gates.enabled(_BY_SELECTOR):
                    return self._pod(node, wanted)
        return Decision(allowed=any(rule_allows(rule, wanted) for rule in self._rules()))

    def _rules(self) -> list[Object]:
        try:
            return self._roles.rules_of(_ROLE, "")
        except ApiError:
            return []

    def _led_to(self, node: str, wanted: AccessAttributes) -> Decision:
        if not wanted.name:
            return refused("No Object name found")
        return related(node, self._leads(node, wanted.namespace, wanted.resource, wanted.name))

    def _leads(self, node: str, namespace: str, resource: str, name: str) -> bool:
        return any(
            pod["spec"].get("nodeName") == node and name in pod_references.names(pod, resource)
            for pod in self._objects.list("", "pods", namespace)
        )

    def _volume(self, node: str, wanted: AccessAttributes) -> Decision:
        if not wanted.name:
            return refused("No Object name found")
        volume = self._objects.get("", "persistentvolumes", "", wanted.name)
        claim = volume["spec"].get("claimRef") if volume is not None else None
        if not claim:
            return related(node, False)
        return related(
            node,
            self._leads(node, claim.get("namespace", ""), "persistentvolumeclaims", claim.get("name", "")),
        )

    def _of_node(self, node: str, wanted: AccessAttributes) -> Decision:
        """Allows access to an object only if its `spec.nodeName` is the cluster node of the kubelet."""
        if not wanted.name:
            return refused("No Object name found")
        obj = self._objects.get(wanted.group, wanted.resource, wanted.namespace, wanted.name)
        return related(node, obj is not None and obj["spec"].get("nodeName") == node)

    def _slice(self, node: str, wanted: AccessAttributes) -> Decision:
        if wanted.subresource:
            return refused("cannot authorize ResourceSlice subresources")
        if wanted.verb == "create":
            return ALLOWED
        if wanted.verb in ("get", "update", "patch", "delete"):
            return self._of_node(node, wanted)
        if wanted.verb not in ("watch", "list", "deletecollection"):
            return refused(
                "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, "
                "patch, delete, deletecollection"
            )
        if not self._gates.enabled(_BY_SELECTOR) or ("spec.nodeName", node) in wanted.fields:
            return ALLOWED
        return refused("can only list/watch/deletecollection resourceslices with nodeName field selector")

    def _pod(self, node: str, wanted: AccessAttributes) -> Decision:
        action = wanted.subresource, wanted.verb
        own = {("", "create"), ("", "delete"), ("status", "update"), ("status", "patch")}
        if action in own | {("eviction", "create")}:
            return ALLOWED
        if action in {("", "list"), ("", "watch")}:
            if ("spec.nodeName", node) in wanted.fields:
                return ALLOWED
            if not wanted.name:
                return refused("can only list/watch pods with spec.nodeName field selector")
        elif action != ("", "get"):
            return refused("")
        return self._of_node(node, wanted)
