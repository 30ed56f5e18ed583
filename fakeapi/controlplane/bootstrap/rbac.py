"""The roles and bindings by which the parts of a cluster work with it.

From k8s.io/kubernetes `plugin/pkg/auth/authorizer/rbac/bootstrappolicy`, by the tables of the release.
"""

from collections.abc import Iterator

from fakeapi.registry.bootstrap import BootstrapObject
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource


def objects(resource: Resource, catalogue: Catalogue, now: str) -> Iterator[BootstrapObject]:
    """Those of the release's default feature gates."""
    for key, body in resource.release.all_kinds.tables.bootstrap(resource.kind.resource).items():
        namespace, _, name = key.rpartition("/")
        yield BootstrapObject(name, body, namespace)
