"""What a server serves: its resources by group, version and name."""

from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Cause, Qualified
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import name_is_path_segment
from fakeapi.registry import stored_form
from fakeapi.registry.groups.core.namespace import TERMINATING
from fakeapi.registry.options import ObjectReference
from fakeapi.registry.resource import Resource
from fakeapi.releases import Release
from fakeapi.releases.version_order import version_rank
from fakeapi_storage import Storage

NAMESPACES = "namespaces"
INITIAL_NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
IMMORTAL_NAMESPACES = frozenset(("default", "kube-public", "kube-system"))


class Catalogue:
    """The served resources. `primary` is the release that answers for the server as a whole."""

    def __init__(self, resources: list[Resource], primary: Release) -> None:
        self.primary = primary
        self.resources = resources
        self._by_name = {
            (resource.kind.group, resource.kind.version, resource.kind.resource): resource
            for resource in resources
        }
        self._groups = {resource.kind.group for resource in resources}

    def find(self, group: str, version: str, name: str) -> Resource | None:
        return self._by_name.get((group, version, name))

    def has_group(self, group: str) -> bool:
        return group in self._groups

    def versions(self, group: str) -> list[str]:
        """The served versions of a group, the preferred one first."""
        found = dict.fromkeys(r.kind.version for r in self.resources if r.kind.group == group)
        return sorted(found, key=version_rank, reverse=True)

    def of_version(self, group: str, version: str) -> list[Resource]:
        """The resources of one version by name."""
        found = [r for r in self.resources if r.kind.group == group and r.kind.version == version]
        return sorted(found, key=lambda resource: resource.kind.resource)

    @property
    def namespaces(self) -> Resource:
        return self._by_name["", "v1", NAMESPACES]

    def check_namespace(
        self, storage: Storage, resource: Resource, target: ObjectReference, meta: Object
    ) -> None:
        """A namespaced object, with this metadata, is only created in a namespace that exists and stays.

        Follows k8s.io/apiserver `pkg/admission/plugin/namespace/lifecycle`. Raises ApiError 403, 404, 500.
        """
        if not resource.kind.namespaced or not target.namespace:
            return
        found = name_is_path_segment(target.namespace, False)
        if found:
            raise errors.internal(f"invalid resource name {quote(target.namespace)}: [{' '.join(found)}]")
        entry = storage.newest(self.namespaces.key("", target.namespace))
        if entry is None:
            raise errors.not_found(Qualified("", NAMESPACES), target.namespace)
        if stored_form.decode(entry)["status"].get("phase") == TERMINATING:
            raise _terminating(resource, target.namespace, meta)

    def check_deletion(self, resource: Resource, target: ObjectReference) -> None:
        """Some namespaces cannot be deleted. Raises ApiError 403."""
        if resource is self.namespaces and target.name in IMMORTAL_NAMESPACES:
            raise errors.forbidden(resource.qualified, target.name, "this namespace may not be deleted")

    def namespace_labels(self, storage: Storage, namespace: str) -> dict[str, str] | None:
        """The labels of a namespace; None where there is no such namespace."""
        entry = storage.newest(self.namespaces.key("", namespace))
        if entry is None:
            return None
        found: Object = stored_form.decode(entry)
        labels: dict[str, str] = found["metadata"].get("labels", {})
        return labels


def _terminating(resource: Resource, namespace: str, meta: Object) -> ApiError:
    return errors.forbidden(
        resource.qualified,
        meta.get("name") or meta.get("generateName") or "Unknown",
        f"unable to create new content in namespace {namespace} because it is being terminated",
        Cause("NamespaceTerminating", f"namespace {namespace} is being terminated", "metadata.namespace"),
    )
