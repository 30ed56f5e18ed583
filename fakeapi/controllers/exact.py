"""Changes an object without touching what drivers put into it.

In JSON, an API server answers drivers' own values (opaque parameters) compact; sent back so, a spec that may
not change has changed. Kubernetes' components speak protobuf, which carries them to the byte.
"""

from collections.abc import Callable

from fakeapi.controllers.api import API
from fakeapi.controllers.paths import served_as
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema import protobuf, protobuf_encoding
from fakeapi.registry.resource import Resource


async def update_exactly(
    api: API, resource: Resource, obj: Object, change: Callable[[Object], None]
) -> Object:
    """Reads the object, calls `change` with it and writes it back, in protobuf; returns it as it is then.

    Raises Refused; a Conflict where `obj` is older than what is there.
    """
    path = served_as(resource).path_of(obj)
    _, _, message = protobuf.unwrap(await api.read_protobuf(path))
    found = protobuf.decode(message, resource.schema)
    found["metadata"]["resourceVersion"] = obj["metadata"]["resourceVersion"]
    change(found)
    encoded = protobuf_encoding.encode(found, resource.schema)
    return await api.write_protobuf(
        path, protobuf_encoding.wrap(resource.kind.kind, resource.api_version, encoded)
    )
