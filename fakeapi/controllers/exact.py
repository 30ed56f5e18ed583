"""Updates objects in protobuf, so that opaque parameters of DRA drivers keep their exact bytes.

An API server compacts opaque parameters in JSON responses. A client that writes the compacted parameters back
changes the object, and validation rejects changes of an immutable spec. Kubernetes' components use protobuf,
which keeps the bytes.
"""

from collections.abc import Callable

from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.served import served_as
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema import protobuf, protobuf_encoding
from fakeapi.registry.model.resource import Resource


async def update_exactly(
    api: InProcessClient, resource: Resource, obj: Object, change: Callable[[Object], None]
) -> Object:
    """Reads an object in protobuf, calls `change` to modify it, and writes it back.

    Returns the stored object.

    Raises StatusError if a request fails. The reason is Conflict if `obj` is older than the stored object.
    """
    path = served_as(resource).path_of(obj)
    _, _, message = protobuf.unwrap(await api.read_protobuf(path))
    decoded = protobuf.decode(message, resource.schema)
    decoded["metadata"]["resourceVersion"] = obj["metadata"]["resourceVersion"]
    change(decoded)
    encoded = protobuf_encoding.encode(decoded, resource.schema)
    return await api.write_protobuf(
        path, protobuf_encoding.wrap(resource.kind.kind, resource.api_version, encoded)
    )
