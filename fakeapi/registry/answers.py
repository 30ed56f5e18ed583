"""Answers with objects that are never stored, such as reviews."""

from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object
from fakeapi.registry.options import WriteResult
from fakeapi.registry.resource import Resource


def answered(resource: Resource, obj: Object) -> WriteResult:
    """The answer of a create with a canonical object in the version of the request."""
    fields = {"kind": resource.kind.kind, "apiVersion": resource.api_version}
    return WriteResult(codec.encode({**fields, **obj}), created=True)
