"""The config map that says since when uses of legacy service account tokens are tracked.

Follows k8s.io/kubernetes `pkg/controlplane/controller/legacytokentracking`. kube-controller-manager asks for
it when it removes such tokens.
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
    """The config map, with the day of the cluster's start; releases without the gate always track."""
    if resource.release.gates.enabled(_GATE):
        data: Object = {"since": now.partition("T")[0]}
        yield BootstrapObject(NAME, {"data": data}, NAMESPACE)
