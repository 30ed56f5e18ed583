"""ServerWrite: the type WriteRequest with the types of the server and the resource filled in."""

from typing import TypeAlias

from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.server import Server

ServerWrite: TypeAlias = WriteRequest[Server, Resource]
