"""Encodes stored objects and lists of them in protobuf, and caches the message of each object.

Encoding an object takes a hundred times as long as copying its JSON. client-go reads the kinds of Kubernetes
in protobuf by default, and reads the same objects again and again.
"""

from collections.abc import Sequence

from fakeapi.machinery import codec
from fakeapi.machinery.schema.protobuf_encoding import encode, wrap
from fakeapi.machinery.schema.protobuf_wire import bytes_field
from fakeapi.machinery.schema.raw_extension import as_written
from fakeapi.registry.model.attached import Attached
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.offloading.turns import Turns
from fakeapi_storage import Entry

KEPT_BYTES_MAX = 16 * 1024 * 1024
"""Maximum size, in bytes, of the cached messages of one version of a resource, with their stored objects.

A full cache is cleared before a message is added.
"""


class Messages:
    """Caches the protobuf message of each stored object of one version of a resource.

    A stored entry never changes, so its message is never out of date.
    """

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Entry, bytes]] = {}
        self._bytes = 0

    def get(self, entry: Entry) -> bytes | None:
        kept = self._kept.get(entry.key)
        return kept[1] if kept is not None and kept[0] is entry else None

    def put(self, entry: Entry, message: bytes) -> None:
        """Adds a message. It replaces the message of an older entry with the same key."""
        older = self._kept.pop(entry.key, None)
        if older is not None:
            self._bytes -= _size(*older)
        size = _size(entry, message)
        if self._bytes + size > KEPT_BYTES_MAX:
            self._kept.clear()
            self._bytes = 0
        if size <= KEPT_BYTES_MAX:
            self._kept[entry.key] = entry, message
            self._bytes += size


def _size(entry: Entry, message: bytes) -> int:
    return len(entry.value) + len(message)


MESSAGES: Attached[Messages] = Attached(Messages)
"""The cached messages of each version of a resource."""


def object_body(resource: Resource, entry: Entry) -> bytes:
    """Returns the protobuf body of a stored object."""
    return wrap(resource.kind.kind, resource.api_version, _message(resource, entry))


async def list_body(resource: Resource, entries: Sequence[Entry], empty: bytes) -> bytes:
    """Returns the protobuf body of a list. Lets the event loop run other tasks meanwhile.

    `empty`: the JSON of the same list without items.
    """
    turns = Turns()
    schema = resource.release.all_kinds.type_of(resource.api_version, resource.kind.list_kind)
    assert schema is not None, "a kind with a protobuf message has a list kind with one"
    (number,) = schema.fields["items"].protobuf_path
    parts = [encode(codec.decode(empty), schema)]
    for entry in entries:
        parts.append(bytes_field(number, _message(resource, entry)))
        await turns.give_turn_if_over()
    return wrap(resource.kind.list_kind, resource.api_version, b"".join(parts))


def _message(resource: Resource, entry: Entry) -> bytes:
    kept = MESSAGES.of(resource.attachments)
    message = kept.get(entry)
    if message is None:
        body = resource.json_of(entry.value, entry.revision, exact=True)
        message = encode(as_written(codec.decode(body), body, resource.schema), resource.schema)
        kept.put(entry, message)
    return message
