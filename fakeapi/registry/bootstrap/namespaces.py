"""The namespaces that every cluster begins with, as a create stores them.

A server has them from the start, and whoever tests with it starts it often: so they are written as they are
known to come out, without the tables, the rules and the field managers that a create needs.
"""

from fakeapi.machinery.json_types import Object
from fakeapi.registry import stored_form

INITIAL_NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
MANAGER = "kube-apiserver"


def stored_namespace(name: str, hub_api_version: str, uid: str, now: str) -> bytes:
    """The stored form of an initial namespace: what `fakeapi.registry.verbs.creating` makes of its name."""
    label = "kubernetes.io/metadata.name"
    managed = {
        "manager": MANAGER,
        "operation": "Update",
        "apiVersion": "v1",
        "time": now,
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:labels": {".": {}, f"f:{label}": {}}}},
    }
    namespace: Object = {
        "kind": "Namespace",
        "apiVersion": hub_api_version,
        "metadata": {
            "name": name,
            "uid": uid,
            "creationTimestamp": now,
            "labels": {label: name},
            "managedFields": [managed],
        },
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    }
    return stored_form.encode_value(namespace)
