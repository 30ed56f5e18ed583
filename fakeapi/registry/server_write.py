"""ServerWrite: the type of the write requests that a server's registry handles."""

from typing import TypeAlias

from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.server import Server

ServerWrite: TypeAlias = WriteRequest[Server, Resource]
