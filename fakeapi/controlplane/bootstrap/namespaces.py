"""The initial namespaces of every cluster, in their stored form.

Every server needs these namespaces at its start, and tests start many servers. To save time, this module
builds their stored bytes directly, without validation and without the code of a create request.
"""

from fakeapi.machinery.json_types import Object
from fakeapi.registry.stored import form as stored_form

INITIAL_NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
MANAGER = "kube-apiserver"


def stored_namespace(name: str, hub_api_version: str, uid: str, now: str) -> bytes:
    """Returns an initial namespace in its stored form, with the same bytes as after a create request.

    - `hub_api_version`: the apiVersion of stored namespaces.
    - `now`: the creation time in RFC 3339.
    """
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
