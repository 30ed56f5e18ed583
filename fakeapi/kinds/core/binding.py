"""core/v1 Binding: a POST binds the pod named in the metadata. The server does not store the Binding.

Follows LegacyBindingREST of k8s.io/kubernetes `pkg/registry/core/pod/storage/storage.go`.
"""

from msgspec.structs import replace

from fakeapi.kinds.core.pod.binding import bind
from fakeapi.machinery import errors
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.definition import KindDefinition
from fakeapi.registry.model.strategy import Strategy
from fakeapi.registry.requests.answers import admit
from fakeapi.registry.requests.options import ObjectReference, WriteResult
from fakeapi.registry.server_write import ServerWrite


async def bind_named(request: ServerWrite, body: Object) -> WriteResult:
    """Binds the pod that a Binding names to a node. Ignores the uid in the Binding.

    Raises ApiError:

    - 404: the pod does not exist
    - 409: the pod cannot be bound, or has another resourceVersion than the Binding
    - 500: the Binding is invalid
    """
    pods = request.server.find("", "v1", "pods")
    if pods is None:
        raise errors.not_found(request.resource.qualified, body["metadata"].get("name", ""))
    await admit(request, body)
    metadata = {name: value for name, value in body["metadata"].items() if name != "uid"}
    named = ObjectReference(request.target.namespace, metadata.get("name", ""))
    return await bind(replace(request, resource=pods, target=named), {**body, "metadata": metadata})


BINDING = KindDefinition(
    group="",
    resource="bindings",
    strategies=lambda kind, rules, context: {"": Strategy()},
    answer=bind_named,
)
