"""The keys under which Kubernetes has objects in etcd, as messages about failed preconditions show them.

Follows `SpecialDefaultResourcePrefixes` of k8s.io/kubernetes `pkg/kubeapiserver`, and
SimpleStorageFactory of k8s.io/apiserver `pkg/server/options`.
"""

from fakeapi.registry.requests.options import ObjectReference
from fakeapi.releases import Kind

_PREFIXES = {
    ("", "replicationcontrollers"): "controllers",
    ("", "endpoints"): "services/endpoints",
    ("", "nodes"): "minions",
    ("", "services"): "services/specs",
    ("networking.k8s.io", "ingresses"): "ingress",
}
_GROUPS_WITH_THEIR_NAME = ("apiextensions.k8s.io", "apiregistration.k8s.io")
"""Groups whose keys name the group, as the keys of custom resources do."""


def etcd_key(kind: Kind, target: ObjectReference, *, dry_run: bool) -> str:
    """The key of an object. A dry run is checked above etcd, where keys lack `/registry`."""
    resource = _PREFIXES.get((kind.group, kind.resource), kind.resource)
    if kind.unstructured or kind.group in _GROUPS_WITH_THEIR_NAME:
        resource = f"{kind.group}/{kind.resource}"
    place = f"{target.namespace}/{target.name}" if target.namespace else target.name
    return f"{'' if dry_run else '/registry'}/{resource}/{place}"
