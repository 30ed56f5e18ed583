"""Objects and lists in the representation that the client asked for."""

import json
from collections.abc import Iterable
from typing import Any

from fakeapi.machinery import codec, yamltext
from fakeapi.registry import objects
from fakeapi.registry.listing import Listed
from fakeapi.registry.resource import Resource
from fakeapi.transport.accept import YAML, Representation


def render(body: bytes, shape: Representation) -> bytes:
    """JSON bytes in the shape that is wanted."""
    if shape.media_type == YAML:
        return yamltext.dump(codec.decode(body))
    if shape.pretty:
        return indented(codec.decode(body))
    return body + b"\n"


def indented(value: Any) -> bytes:
    """JSON for people, as Go indents it."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def list_body(resource: Resource, listed: Listed) -> bytes:
    """JSON of a list, joined from the bytes of its items."""
    prefix = resource.type_prefix
    return collection(resource, listed, (objects.list_item(entry, prefix) for entry in listed.entries))


def collection(resource: Resource, listed: Listed, items: Iterable[bytes]) -> bytes:
    """JSON of a list with these items."""
    metadata: dict[str, Any] = {"resourceVersion": str(listed.revision)}
    if listed.continue_token:
        metadata["continue"] = listed.continue_token
    if listed.remaining is not None:
        metadata["remainingItemCount"] = listed.remaining
    start = codec.encode(
        {"kind": resource.kind.list_kind, "apiVersion": resource.api_version, "metadata": metadata}
    )
    return b'%b,"items":[%b]}' % (start[:-1], b",".join(items))
