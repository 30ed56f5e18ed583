"""The config map with the date since which the server tracks uses of legacy service account tokens.

Follows k8s.io/kubernetes `pkg/controlplane/controller/legacytokentracking`. kube-controller-manager reads it
when it removes such tokens.
"""

from collections.abc import Iterator

from fakeapi.machinery.json_types import Object
from fakeapi.registry.bootstrap import BootstrapObject
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource

NAME = "kube-apiserver-legacy-service-account-token-tracking"
NAMESPACE = "kube-system"
_GATE = "LegacyServiceAccountTokenTracking"


def objects(resource: Resource, catalogue: Catalogue, now: str) -> Iterator[BootstrapObject]:
    """Yields the config map with the date of the cluster's start; none in releases without the gate."""
    if resource.release.gates.enabled(_GATE):
        data: Object = {"since": now.partition("T")[0]}
        yield BootstrapObject(NAME, {"data": data}, NAMESPACE)
