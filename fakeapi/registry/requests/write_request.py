"""WriteRequest: the data that a create, update, patch or apply passes through the registry."""

from typing import Generic, TypeVar

import msgspec

from fakeapi.registry.identity.users import User
from fakeapi.registry.requests.options import ObjectReference, Warnings, WriteOptions
from fakeapi.registry.requests.sent_document import SentDocument

ServerT_co = TypeVar("ServerT_co", covariant=True)
ResourceT_co = TypeVar("ResourceT_co", covariant=True)


class WriteRequest(msgspec.Struct, Generic[ServerT_co, ResourceT_co], frozen=True):
    """A create, update, patch or apply of one object.

    - `server`: the services of the server that the write may use.
    - `resource`, `target`: the resource and the object that the path of the request names.
    - `warnings`: collects the texts of Warning headers for the response.
    - `sent`: the empty lists and the texts of quantities in the document that the client sent.
    - `created_name`: the name in the body of a create before admission; "" for other writes, and for a create
      with generateName.

    The types of `server` and `resource` are type parameters, so that modules about kinds need not import
    Server and Resource. `registry.server_write.ServerWrite` is the type with both filled in.
    """

    server: ServerT_co
    resource: ResourceT_co
    target: ObjectReference
    options: WriteOptions
    warnings: Warnings = msgspec.field(default_factory=Warnings)
    sent: SentDocument = msgspec.field(default_factory=SentDocument)
    created_name: str = ""

    @property
    def dry_run(self) -> bool:
        """Whether the server validates the write and sends a response, but does not store the object."""
        return self.options.dry_run

    @property
    def user(self) -> User:
        return self.options.user
