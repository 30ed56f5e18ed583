"""Error messages contain the same etcd keys as in Kubernetes."""

import pytest

from fakeapi.registry.requests.options import ObjectReference
from fakeapi.registry.stored.etcd_keys import etcd_key
from fakeapi.releases import load_release


@pytest.mark.parametrize(
    ("group", "resource", "namespace", "key"),
    [
        ("", "pods", "default", "pods/default/a"),
        ("", "nodes", "", "minions/a"),
        ("", "services", "default", "services/specs/default/a"),
        ("", "endpoints", "default", "services/endpoints/default/a"),
        ("", "replicationcontrollers", "default", "controllers/default/a"),
        ("apps", "deployments", "default", "deployments/default/a"),
        ("networking.k8s.io", "ingresses", "default", "ingress/default/a"),
        (
            "apiextensions.k8s.io",
            "customresourcedefinitions",
            "",
            "apiextensions.k8s.io/customresourcedefinitions/a",
        ),
    ],
)
def test_a_key_names_an_object_as_etcd_has_it(group: str, resource: str, namespace: str, key: str) -> None:
    kinds = load_release("1.33").all_kinds.of_groups([group])
    kind = next(each for each in kinds if each.resource == resource)
    target = ObjectReference(namespace, "a")
    assert etcd_key(kind, target, dry_run=False) == f"/registry/{key}"
    assert etcd_key(kind, target, dry_run=True) == f"/{key}"
