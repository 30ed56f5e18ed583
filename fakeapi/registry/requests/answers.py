"""Runs validating admission on new objects, and creates the responses for objects that are never stored."""

from typing import TYPE_CHECKING

from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.admission.steps import run
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.options import WriteResult

if TYPE_CHECKING:
    from fakeapi.registry.server_write import ServerWrite


async def admit(request: "ServerWrite", obj: Object) -> None:
    """Runs validating admission on a new object that passed validation.

    Raises ApiError if an admission plugin rejects the object.
    """
    steps = request.server.admission.steps(request.resource, request.target.subresource, Operation.CREATE)
    if steps.validating:
        await run(steps.validating, Attributes.of(request, Operation.CREATE, obj, None))


def answered(resource: Resource, obj: Object) -> WriteResult:
    """Returns the response to a create: `obj` with the kind and apiVersion of the resource.

    `obj`: a canonical object in the API version of the request.
    """
    fields = {"kind": resource.kind.kind, "apiVersion": resource.api_version}
    return WriteResult(codec.encode({**fields, **obj}), created=True)
