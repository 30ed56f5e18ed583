"""Names in requests: the name and namespace of a body must be those of the path.

Follows k8s.io/apiserver `pkg/endpoints/handlers` (checkName) and `pkg/registry/rest`
(EnsureObjectNamespaceMatchesRequestNamespace).
"""

from fakeapi.machinery import errors
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import name_is_path_segment
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.options import ObjectReference


def check_path_name(name: str) -> None:
    """A name must fit into a path of the storage. Raises ApiError 400."""
    found = name_is_path_segment(name, False)
    if found:
        raise errors.bad_request(f"Name parameter invalid: {quote(name)}: {';'.join(found)}")


def check_name(resource: Resource, target: ObjectReference, obj: Object) -> None:
    """The name and namespace of a body must be those of the path. Raises ApiError 400."""
    meta = obj["metadata"]
    match_namespace(resource, target, meta)
    name = meta.get("name", "")
    if not name:
        raise errors.bad_request(
            f"the name of the object ({target.name} based on URL) was undeterminable: name must be provided"
        )
    if name != target.name:
        raise errors.bad_request(
            f"the name of the object ({name}) does not match the name on the URL ({target.name})"
        )


def match_namespace(resource: Resource, target: ObjectReference, meta: Object) -> None:
    """A body's namespace is the path's, or absent and then filled in. Raises ApiError 400."""
    expected = target.namespace if resource.kind.namespaced else ""
    given = meta.get("namespace", "")
    if not given and expected:
        meta["namespace"] = expected
    elif given != expected:
        if not expected:
            meta.pop("namespace", None)
            return
        raise errors.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
