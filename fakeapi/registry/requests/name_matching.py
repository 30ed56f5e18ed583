"""Names in requests: checks that the name and namespace of a body match the path.

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
    """Raises ApiError 400 if a name cannot be a segment of a storage key, for example because it contains
    "/".
    """
    problems = name_is_path_segment(name, False)
    if problems:
        raise errors.bad_request(f"Name parameter invalid: {quote(name)}: {';'.join(problems)}")


def check_name(resource: Resource, target: ObjectReference, obj: Object) -> None:
    """Raises ApiError 400 if a body has no name, or if its name or namespace differs from the path.

    Sets a missing namespace from the path, and removes the namespace of cluster-scoped objects.
    """
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
    """Sets a missing namespace from the path, and removes the namespace of cluster-scoped objects.

    Raises ApiError 400 if the namespace differs from the path.
    """
    expected = target.namespace if resource.kind.namespaced else ""
    namespace = meta.get("namespace", "")
    if not namespace and expected:
        meta["namespace"] = expected
    elif namespace != expected:
        if not expected:
            meta.pop("namespace", None)
            return
        raise errors.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
