"""The two PriorityClasses for system pods.

From k8s.io/kubernetes `pkg/apis/scheduling/v1/helpers.go`.
"""

from collections.abc import Iterator

from fakeapi.registry.bootstrap import BootstrapObject
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource

_CLASSES = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}
_DESCRIPTIONS = {
    "system-node-critical": "Used for system critical pods that must not be moved from their current node.",
    "system-cluster-critical": (
        "Used for system critical pods that must run in the cluster, but can be moved to another node if "
        "necessary."
    ),
}


def objects(resource: Resource, catalogue: Catalogue, now: str) -> Iterator[BootstrapObject]:
    """Yields system-node-critical and system-cluster-critical. They are the same in every release."""
    for name, value in _CLASSES.items():
        yield BootstrapObject(name, {"value": value, "description": _DESCRIPTIONS[name]})
