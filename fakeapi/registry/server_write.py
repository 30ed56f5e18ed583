"""ServerWrite: a WriteRequest whose type parameters are Server and Resource."""

from typing import TypeAlias

from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.server import Server

ServerWrite: TypeAlias = WriteRequest[Server, Resource]
