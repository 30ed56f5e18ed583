"""NodeAccess: what kubelets may do.

Follows k8s.io/kubernetes `plugin/pkg/auth/authorizer/node`. A node may do what the ClusterRole system:node
says, and of leases, CSINodes, ResourceSlices, nodes and pods what concerns itself. It reads the secrets,
configmaps, claims and volumes that its pods lead to. Upstream keeps a graph of these; here the pods are
looked through at each request of a node. Secrets that a volume's driver needs are not followed.
"""

from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.objects import ClusterObjects
from fakeapi.registry.authorization import pod_references
from fakeapi.registry.authorization.attributes import AccessAttributes
from fakeapi.registry.authorization.authorizer import Decision
from fakeapi.registry.authorization.roles import Roles
from fakeapi.registry.authorization.rules import rule_allows
from fakeapi.registry.users import User
from fakeapi.releases import Gates

NODES = "system:nodes"
PREFIX = "system:node:"
LEASES = "kube-node-lease"
_ROLE = {"kind": "ClusterRole", "name": "system:node"}
_BY_SELECTOR = "AuthorizeNodeWithSelectors"
_OWN_VERBS = ("get", "create", "update", "patch", "delete")
_ALLOWED = Decision(allowed=True)


def node_of(user: User) -> str | None:
    """The name of the node that a user is, which may be empty; None for somebody else."""
    if not user.name.startswith(PREFIX) or NODES not in user.groups:
        return None
    return user.name.removeprefix(PREFIX)


class NodeAccess:
    """Decides for the users of nodes."""

    def __init__(self, objects: ClusterObjects, gates: Gates, roles: Roles) -> None:
        self._objects = objects
        self._gates = gates
        self._roles = roles

    def decide(self, node: str, wanted: AccessAttributes) -> Decision:
        """A refusal says why, unless it is only that no rule allows it."""
        if not node:
            return _refused(f"unknown node for user {quote(wanted.user.name)}")
        if wanted.is_resource:
            match wanted.group, wanted.resource:
                case "coordination.k8s.io", "leases":
                    return _lease(node, wanted)
                case "storage.k8s.io", "csinodes":
                    return _csi_node(node, wanted)
                case "resource.k8s.io", "resourceslices":
                    return self._slice(node, wanted)
                case "", "secrets" | "configmaps":
                    return _readable(wanted) or self._led_to(node, wanted)
                case ("", "persistentvolumeclaims") if wanted.subresource == "status":
                    return _status_change(wanted) or self._led_to(node, wanted)
                case ("", "persistentvolumeclaims") | ("resource.k8s.io", "resourceclaims"):
                    return _individual(wanted) or self._led_to(node, wanted)
                case "", "persistentvolumes":
                    return _individual(wanted) or self._volume(node, wanted)
                case "storage.k8s.io", "volumeattachments":
                    return _individual(wanted) or self._attachment(node, wanted)
                case "", "nodes" if self._gates.enabled(_BY_SELECTOR):
                    return _node(node, wanted)
                case "", "pods" if self._gates.enabled(_BY_SELECTOR):
                    return self._pod(node, wanted)
        return Decision(allowed=any(rule_allows(each, wanted) for each in self._rules()))

    def _rules(self) -> list[Object]:
        try:
            return self._roles.rules_of(_ROLE, "")
        except ApiError:
            return []

    def _led_to(self, node: str, wanted: AccessAttributes) -> Decision:
        if not wanted.name:
            return _refused("No Object name found")
        return _related(node, self._leads(node, wanted.namespace, wanted.resource, wanted.name))

    def _leads(self, node: str, namespace: str, resource: str, name: str) -> bool:
        return any(
            pod["spec"].get("nodeName") == node and name in pod_references.names(pod, resource)
            for pod in self._objects.list("", "pods", namespace)
        )

    def _volume(self, node: str, wanted: AccessAttributes) -> Decision:
        if not wanted.name:
            return _refused("No Object name found")
        found = self._objects.get("", "persistentvolumes", "", wanted.name)
        claim = found["spec"].get("claimRef") if found is not None else None
        if not claim:
            return _related(node, False)
        return _related(
            node,
            self._leads(node, claim.get("namespace", ""), "persistentvolumeclaims", claim.get("name", "")),
        )

    def _attachment(self, node: str, wanted: AccessAttributes) -> Decision:
        if not wanted.name:
            return _refused("No Object name found")
        found = self._objects.get(wanted.group, wanted.resource, "", wanted.name)
        return _related(node, found is not None and found["spec"].get("nodeName") == node)

    def _slice(self, node: str, wanted: AccessAttributes) -> Decision:
        if wanted.subresource:
            return _refused("cannot authorize ResourceSlice subresources")
        if wanted.verb == "create":
            return _ALLOWED
        if wanted.verb in ("get", "update", "patch", "delete"):
            found = self._objects.get(wanted.group, wanted.resource, "", wanted.name)
            return _related(node, found is not None and found["spec"].get("nodeName") == node)
        if wanted.verb not in ("watch", "list", "deletecollection"):
            return _refused(
                "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, "
                "patch, delete, deletecollection"
            )
        if not self._gates.enabled(_BY_SELECTOR) or ("spec.nodeName", node) in wanted.fields:
            return _ALLOWED
        return _refused("can only list/watch/deletecollection resourceslices with nodeName field selector")

    def _pod(self, node: str, wanted: AccessAttributes) -> Decision:
        what = wanted.subresource, wanted.verb
        own = {("", "create"), ("", "delete"), ("status", "update"), ("status", "patch")}
        if what in own | {("eviction", "create")}:
            return _ALLOWED
        if what in {("", "list"), ("", "watch")} and not wanted.name:
            if ("spec.nodeName", node) in wanted.fields:
                return _ALLOWED
            return _refused("can only list/watch pods with spec.nodeName field selector")
        if what not in {("", "get"), ("", "list"), ("", "watch")}:
            return _refused("")
        found = self._objects.get("", "pods", wanted.namespace, wanted.name)
        return _related(node, found is not None and found["spec"].get("nodeName") == node)


def _lease(node: str, wanted: AccessAttributes) -> Decision:
    if wanted.verb not in _OWN_VERBS:
        return _refused("can only get, create, update, patch, or delete a node lease")
    if wanted.namespace != LEASES:
        return _refused(f"can only access leases in the {quote(LEASES)} system namespace")
    if wanted.verb != "create" and wanted.name != node:
        return _refused("can only access node lease with the same name as the requesting node")
    return _ALLOWED


def _csi_node(node: str, wanted: AccessAttributes) -> Decision:
    if wanted.verb not in _OWN_VERBS:
        return _refused("can only get, create, update, patch, or delete a CSINode")
    if wanted.subresource:
        return _refused("cannot authorize CSINode subresources")
    if wanted.verb != "create" and wanted.name != node:
        return _refused("can only access CSINode with the same name as the requesting node")
    return _ALLOWED


def _individual(wanted: AccessAttributes) -> Decision | None:
    if wanted.verb != "get":
        return _refused("can only get individual resources of this type")
    return _refused("cannot get subresource") if wanted.subresource else None


def _readable(wanted: AccessAttributes) -> Decision | None:
    if wanted.verb not in {"get", "list", "watch"}:
        return _refused("can only read resources of this type")
    if wanted.subresource:
        return _refused("cannot read subresource")
    return None if wanted.namespace else _refused("can only read namespaced object of this type")


def _status_change(wanted: AccessAttributes) -> Decision | None:
    if wanted.verb not in {"update", "patch"}:
        return _refused("can only get/update/patch this type")
    return None


def _node(node: str, wanted: AccessAttributes) -> Decision:
    what = wanted.subresource, wanted.verb
    changes = {("", "create"), ("", "update"), ("", "patch"), ("status", "update"), ("status", "patch")}
    if what in changes:
        return _ALLOWED
    if what not in {("", "get"), ("", "list"), ("", "watch")}:
        return _refused("")
    if wanted.name == node:
        return _ALLOWED
    wish = quote(wanted.name).replace('"', "'") if wanted.name else "all nodes"
    return _refused(f"node '{node}' cannot read {wish}, only its own Node object")


def _related(node: str, is_related: bool) -> Decision:  # noqa: FBT001 - the one thing to say
    if is_related:
        return _ALLOWED
    return _refused(f"no relationship found between node '{node}' and this object")


def _refused(reason: str) -> Decision:
    return Decision(allowed=False, reason=reason)
