"""Updates claims so that opaque parameters of DRA drivers keep their exact bytes.

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
    api: InProcessClient, resource: Resource, claim: Object, change: Callable[[Object], None]
) -> Object:
    """Calls `change` to modify the metadata of a claim, and writes the claim. Returns the stored claim.

    `claim`: the claim in the API version of `resource`. A claim with opaque parameters is read and written in
    protobuf; other claims are only written, in JSON.

    Raises StatusError if a request fails. The reason is Conflict if `claim` is older than the stored claim.
    """
    path = served_as(resource).path_of(claim)
    if not _has_opaque_parameters(claim):
        copy = {**claim, "metadata": dict(claim["metadata"])}
        change(copy)
        return await api.update(path, copy)
    _, _, message = protobuf.unwrap(await api.read_protobuf(path))
    decoded = protobuf.decode(message, resource.schema)
    decoded["metadata"]["resourceVersion"] = claim["metadata"]["resourceVersion"]
    change(decoded)
    encoded = protobuf_encoding.encode(decoded, resource.schema)
    return await api.write_protobuf(
        path, protobuf_encoding.wrap(resource.kind.kind, resource.api_version, encoded)
    )


def _has_opaque_parameters(claim: Object) -> bool:
    configs = (claim["spec"].get("devices") or {}).get("config") or ()
    return any(config.get("opaque") is not None for config in configs)
