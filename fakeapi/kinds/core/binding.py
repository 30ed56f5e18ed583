"""core/v1 Binding: a POST binds the pod named in the metadata. The Binding is not stored.

Follows LegacyBindingREST of k8s.io/kubernetes `pkg/registry/core/pod/storage/storage.go`.
"""

from fakeapi.kinds.core.pod.binding import bind
from fakeapi.machinery import errors
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.definition import KindDefinition
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.model.strategy import Strategy
from fakeapi.registry.requests.answers import admit
from fakeapi.registry.requests.options import ObjectReference, Warnings, WriteOptions, WriteResult
from fakeapi.registry.server import Server


async def bind_named(
    server: Server,
    resource: Resource,
    target: ObjectReference,
    body: Object,
    options: WriteOptions,
    warnings: Warnings,
) -> WriteResult:
    """Binds the pod that a Binding names; raises the errors of pods/binding.

    Unlike in pods/binding, a uid in the metadata is not a precondition.
    """
    pods = server.find("", "v1", "pods")
    if pods is None:
        raise errors.not_found(resource.qualified, body["metadata"].get("name", ""))
    await admit(server, resource, target, body, options, warnings)
    metadata = {name: value for name, value in body["metadata"].items() if name != "uid"}
    named = ObjectReference(target.namespace, metadata.get("name", ""))
    return await bind(server, pods, named, {**body, "metadata": metadata}, options, warnings)


BINDING = KindDefinition(
    group="",
    resource="bindings",
    strategies=lambda kind, rules, context: {"": Strategy()},
    answer=bind_named,
)
