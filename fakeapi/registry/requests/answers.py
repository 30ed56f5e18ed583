"""Answers with objects that are never stored, such as reviews, and what they share with those that are."""

from typing import TYPE_CHECKING

from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.admission.steps import run
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.options import ObjectReference, Warnings, WriteOptions, WriteResult

if TYPE_CHECKING:
    from fakeapi.registry.server import Server


async def admit(
    server: "Server",
    resource: Resource,
    target: ObjectReference,
    obj: Object,
    options: WriteOptions,
    warnings: Warnings,
) -> None:
    """Runs validating admission on a valid new object, stored or only answered. Raises ApiError."""
    steps = server.admission.steps(resource, target.subresource, Operation.CREATE).validating
    if steps:
        await run(steps, Attributes(Operation.CREATE, resource, target, obj, None, options, warnings))


def answered(resource: Resource, obj: Object) -> WriteResult:
    """The answer of a create with a canonical object in the version of the request."""
    fields = {"kind": resource.kind.kind, "apiVersion": resource.api_version}
    return WriteResult(codec.encode({**fields, **obj}), created=True)
