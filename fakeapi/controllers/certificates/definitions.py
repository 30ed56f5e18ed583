"""The CustomResourceDefinitions of cert-manager.io for Helm charts, without their validation."""

from fakeapi.machinery.json_types import Object

GROUP = "cert-manager.io"
VERSION = "v1"
KINDS = {
    "certificates": ("Certificate", "Namespaced", ("cert", "certs")),
    "issuers": ("Issuer", "Namespaced", ()),
    "clusterissuers": ("ClusterIssuer", "Cluster", ()),
}
"""The kind, the scope and the short names of each resource."""


def definition(plural: str) -> Object:
    """Returns the CustomResourceDefinition of a resource of cert-manager.io. The definition accepts all
    fields.
    """
    kind, scope, short_names = KINDS[plural]
    names = {
        "plural": plural,
        "singular": kind.lower(),
        "kind": kind,
        "listKind": f"{kind}List",
        "shortNames": list(short_names),
        "categories": ["cert-manager"],
    }
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {"group": GROUP, "scope": scope, "names": names, "versions": [version]},
    }
