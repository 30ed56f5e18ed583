"""The ConfigMap with the date on which the server began to track legacy service account tokens.

Follows k8s.io/kubernetes `pkg/controlplane/controller/legacytokentracking`. kube-controller-manager reads the
ConfigMap before it removes unused legacy tokens.
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
    """Yields the ConfigMap for legacy tokens, with the day of `now`.

    Yields nothing in releases where the feature gate LegacyServiceAccountTokenTracking is disabled or
    missing.
    """
    if resource.release.gates.enabled(_GATE):
        data: Object = {"since": now.partition("T")[0]}
        yield BootstrapObject(NAME, {"data": data}, NAMESPACE)
