"""Reads the labels of namespaces, and checks whether a namespace accepts new objects.

Follows the admission plugin k8s.io/apiserver `pkg/admission/plugin/namespace/lifecycle`.
"""

from fakeapi.kinds.core.namespace.definition import NAMESPACE
from fakeapi.kinds.core.namespace.deletion import TERMINATING
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Cause, Qualified
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import name_is_path_segment
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.options import ObjectReference
from fakeapi.registry.stored import form as stored_form
from fakeapi_storage import Entry, Storage

_ACCESS_REVIEW = Qualified("authorization.k8s.io", "localsubjectaccessreviews")
"""The namespaced resource for which `check_creation` does not check the namespace.

Otherwise a response would reveal whether the namespace exists.
"""


class Namespaces:
    """Reads namespaces from the storage."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._read_last: tuple[Entry, Object] | None = None

    def labels(self, name: str) -> dict[str, str] | None:
        """Returns the labels of a namespace; None if the namespace does not exist."""
        namespace = self._read(name)
        return None if namespace is None else {**namespace["metadata"].get("labels", {})}

    def check_creation(self, resource: Resource, target: ObjectReference, meta: Object) -> None:
        """Raises ApiError if the namespace of a new object does not accept the object.

        - 403: the namespace is Terminating
        - 404: the namespace does not exist
        - 500: the name of the namespace is invalid

        `target`: the namespace and name of the new object
        `meta`: the metadata of the new object
        """
        if not resource.kind.namespaced or not target.namespace or resource.qualified == _ACCESS_REVIEW:
            return
        problems = name_is_path_segment(target.namespace, False)
        if problems:
            raise errors.internal(f"invalid resource name {quote(target.namespace)}: [{' '.join(problems)}]")
        namespace = self._read(target.namespace)
        if namespace is None:
            raise errors.not_found(Qualified("", NAMESPACE.resource), target.namespace)
        if namespace["status"].get("phase") == TERMINATING:
            raise _terminating(resource, target.namespace, meta)

    def _read(self, name: str) -> Object | None:
        """Returns a namespace; None if the namespace does not exist. Callers must not change the object.

        Caches the last namespace, because successive writes are often in one namespace.
        """
        entry = self._storage.newest(f"{NAMESPACE.prefix}{name}")
        if entry is None:
            return None
        if self._read_last is None or self._read_last[0] is not entry:
            self._read_last = entry, stored_form.decode(entry)
        return self._read_last[1]


def _terminating(resource: Resource, namespace: str, meta: Object) -> ApiError:
    return errors.forbidden(
        resource.qualified,
        meta.get("name") or meta.get("generateName") or "Unknown",
        f"unable to create new content in namespace {namespace} because it is being terminated",
        Cause("NamespaceTerminating", f"namespace {namespace} is being terminated", "metadata.namespace"),
    )
