"""The APIServices of the group versions that this server serves itself.

From k8s.io/kubernetes `pkg/controlplane/apiserver/aggregator.go`. The data tables of each release contain the
priorities. The module `fakeapi.registry.custom.registration` creates the APIServices of custom resources.
"""

from collections.abc import Iterator

from fakeapi.registry.bootstrap import BootstrapObject
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource

_LABELS = {"kube-aggregator.kubernetes.io/automanaged": "onstart"}


def objects(resource: Resource, catalogue: Catalogue, now: str) -> Iterator[BootstrapObject]:
    """Yields an APIService for each served group version, sorted by group and version.

    Omits group versions without priorities in the data tables of the release.
    """
    priorities = resource.release.all_kinds.tables.bootstrap(resource.kind.resource)
    served = {
        (served_resource.kind.group, served_resource.kind.version) for served_resource in catalogue.resources
    }
    for group, version in sorted(served):
        name = f"{version}.{group}"
        if name not in priorities:
            continue
        of_group, of_version = priorities[name]
        spec = {
            "group": group,
            "version": version,
            "groupPriorityMinimum": of_group,
            "versionPriority": of_version,
        }
        yield BootstrapObject(name, {"metadata": {"labels": _LABELS}, "spec": spec})
