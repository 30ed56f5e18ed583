"""The keys of objects in etcd. Error messages about failed preconditions contain these keys.

Follows `SpecialDefaultResourcePrefixes` of k8s.io/kubernetes `pkg/kubeapiserver`, and SimpleStorageFactory of
k8s.io/apiserver `pkg/server/options`.
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
"""API groups whose etcd keys contain the group name, like the keys of custom resources."""


def etcd_key(kind: Kind, target: ObjectReference, *, dry_run: bool) -> str:
    """Returns the key that an object would have in etcd.

    For a dry run, the key lacks the prefix `/registry`, because a dry run never reaches etcd.
    """
    resource = _PREFIXES.get((kind.group, kind.resource), kind.resource)
    if kind.unstructured or kind.group in _GROUPS_WITH_THEIR_NAME:
        resource = f"{kind.group}/{kind.resource}"
    place = f"{target.namespace}/{target.name}" if target.namespace else target.name
    return f"{'' if dry_run else '/registry'}/{resource}/{place}"


def failed_precondition(
    kind: Kind, target: ObjectReference, field: str, expected: str, actual: str, *, dry_run: bool
) -> str:
    """Returns the error message for an object whose uid or resourceVersion is not the expected one.

    `field`: "UID" or "ResourceVersion".
    """
    return (
        f"StorageError: invalid object, Code: 4, Key: {etcd_key(kind, target, dry_run=dry_run)}, "
        f"ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: {field} in precondition: {expected}, "
        f"{field} in object meta: {actual}"
    )
