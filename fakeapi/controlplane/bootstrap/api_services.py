"""The APIServices of the group versions that the server answers itself.

From k8s.io/kubernetes `pkg/controlplane/apiserver/aggregator.go`, by the tables of the release. Those of
custom resources are kept by `fakeapi.registry.custom.registration`.
"""

from collections.abc import Iterator

from fakeapi.registry.bootstrap import BootstrapObject
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource

_LABELS = {"kube-aggregator.kubernetes.io/automanaged": "onstart"}


def objects(resource: Resource, catalogue: Catalogue, now: str) -> Iterator[BootstrapObject]:
    """One for each served group version that the release knows the priorities of, by name."""
    priorities = resource.release.all_kinds.tables.bootstrap(resource.kind.resource)
    served = {(each.kind.group, each.kind.version) for each in catalogue.resources}
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
