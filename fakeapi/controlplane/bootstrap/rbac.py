"""The default RBAC roles and bindings for the components of a cluster.

From k8s.io/kubernetes `plugin/pkg/auth/authorizer/rbac/bootstrappolicy`. The data tables of each release
contain the objects.
"""

from collections.abc import Iterator

from fakeapi.registry.bootstrap import BootstrapObject
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource


def objects(resource: Resource, catalogue: Catalogue, now: str) -> Iterator[BootstrapObject]:
    """Yields the RBAC roles or bindings that the release creates with its default feature gates."""
    for key, body in resource.release.all_kinds.tables.bootstrap(resource.kind.resource).items():
        namespace, _, name = key.rpartition("/")
        yield BootstrapObject(name, body, namespace)
