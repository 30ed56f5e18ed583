"""Maintains an APIService for each group version that CustomResourceDefinitions serve.

Follows k8s.io/kubernetes `pkg/controlplane/controller/crdregistration` and k8s.io/kube-aggregator
`pkg/controllers/autoregister`. The server creates these APIServices at the first request for APIServices.
When no CRD serves a group version any more, the server deletes the APIService of this group version.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from fakeapi.machinery.json_types import Object
from fakeapi.registry.bootstrap import Bootstrap, BootstrapObject
from fakeapi.registry.model.resource import Resource
from fakeapi_storage import Entry, KeyExists, KeyNotFound, RevisionConflict

if TYPE_CHECKING:
    from fakeapi.registry.server import Server

GROUP, VERSION, RESOURCE = "apiregistration.k8s.io", "v1", "apiservices"
MANAGER = "kube-apiserver"
LABEL, ALWAYS = "kube-aggregator.kubernetes.io/automanaged", "true"
"""Label (name, value) of the APIServices that the server manages.

The server never changes other APIServices.
"""

GROUP_PRIORITY, VERSION_PRIORITY = 1000, 100
"""Priorities of all custom groups and versions. Built-in groups and versions have higher priorities.

Groups or versions with equal priorities are sorted by name.
"""


class Registration:
    """Manages an APIService for each group version with custom resources.

    `served_versions`: a function that returns the (group, version) pairs of an API group; "" stands for all
    groups.
    """

    def __init__(
        self,
        server: "Server",
        bootstrap: Bootstrap,
        served_versions: Callable[[str], Iterable[tuple[str, str]]],
    ) -> None:
        self._server = server
        self._bootstrap = bootstrap
        self._served_versions = served_versions
        bootstrap.followers[GROUP, RESOURCE] = self.follow_all

    async def follow(self, group: str) -> None:
        """Creates, restores and deletes the APIServices of an API group to match its CRDs.

        Before the first request for APIServices, only deletes APIServices. Raises ApiError if the storage
        fails.
        """
        resource = self._server.find(GROUP, VERSION, RESOURCE)
        if resource is None:
            return
        expected = self._expected(group)
        is_used = (GROUP, RESOURCE) not in self._bootstrap.pending
        for name, (_, version) in sorted(expected.items()) if is_used else ():
            await self._keep(resource, name, group, version)
        for entry in list(self._server.store.storage.list(resource.prefix).entries):
            name = entry.key.removeprefix(resource.prefix)
            if name.partition(".")[2] == group and name not in expected:
                await self._delete(resource, entry)

    async def follow_all(self) -> None:
        """Creates the APIServices of all CRDs. Called at the first request for APIServices."""
        resource = self._server.find(GROUP, VERSION, RESOURCE)
        assert resource is not None, "it was asked for"
        for name, (group, version) in sorted(self._expected("").items()):
            await self._keep(resource, name, group, version)

    def _expected(self, group: str) -> dict[str, tuple[str, str]]:
        """Returns (group, version) of each expected APIService, by its name.

        `group`: the API group of the CRDs; "" stands for all groups.
        """
        return {
            f"{version}.{of_group}": (of_group, version) for of_group, version in self._served_versions(group)
        }

    async def _keep(self, resource: Resource, name: str, group: str, version: str) -> None:
        """Creates an APIService, or restores its spec after a client has changed the spec."""
        spec = {
            "group": group,
            "version": version,
            "groupPriorityMinimum": GROUP_PRIORITY,
            "versionPriority": VERSION_PRIORITY,
        }
        entry = self._server.store.storage.newest(resource.key("", name))
        try:
            if entry is None:
                service = BootstrapObject(name, {"metadata": {"labels": {LABEL: ALWAYS}}, "spec": spec})
                write = self._bootstrap.write(resource, service)
                if write is not None:
                    await self._server.store.commit(resource, write)
            else:
                await self._restore(resource, entry, spec)
        except (KeyExists, KeyNotFound, RevisionConflict):
            return  # another write came first; the server handles the effects of that write separately

    async def _restore(self, resource: Resource, entry: Entry, spec: Object) -> None:
        """Reverts a client's changes to the spec of an APIService. Only changes APIServices with the label
        LABEL.
        """
        old = resource.decode(entry)
        if (
            not _is_managed(old)
            or old["spec"] == resource.to_hub(resource.from_hub({**old, "spec": spec}))["spec"]
        ):
            return
        manager, now = resource.manager(""), self._server.store.now()
        new = manager.update(resource.from_hub(old), resource.from_hub({**old, "spec": spec}), MANAGER, now)
        value = resource.encode(resource.to_hub(new))
        await self._server.store.commit(
            resource, self._server.store.storage.update(entry.key, value, entry.revision)
        )

    async def _delete(self, resource: Resource, entry: Entry) -> None:
        if not _is_managed(resource.decode(entry)):
            return
        try:
            await self._server.store.commit(
                resource, self._server.store.storage.delete(entry.key, entry.revision)
            )
        except (KeyNotFound, RevisionConflict):
            return


def _is_managed(service: Object) -> bool:
    return bool((service["metadata"].get("labels") or {}).get(LABEL) == ALWAYS)
