"""Messages between a container runtime and an NRI plugin: ttrpc requests and responses over one socket.

Follows github.com/containerd/nri `pkg/net/multiplex` and github.com/containerd/ttrpc. Two connections share
the socket. Each frame on the socket has the number of its connection, and a part of a ttrpc message.
"""

import asyncio
import struct
from collections.abc import AsyncIterator

import msgspec

PLUGIN, RUNTIME = 1, 2
"""Numbers of connections: for calls from the runtime to the plugin, and from the plugin to the runtime."""
REQUEST, RESPONSE = 1, 2
"""Types of messages."""
MESSAGE_BYTES_MAX = 4 * 1024 * 1024
"""Maximum number of bytes in a message, as in ttrpc."""

_FRAME = struct.Struct(">II")
_MESSAGE = struct.Struct(">IIBB")
_PART_BYTES = 4096
"""Size of the frames of a long message: plugins read frames into buffers of this size."""


class FrameError(ValueError):
    """Raised if a plugin sends more bytes than a message may have."""


class Message(msgspec.Struct, frozen=True):
    """A ttrpc message.

    - `connection`: PLUGIN or RUNTIME.
    - `stream`: the number of the call; a response has the number of its request.
    - `kind`: REQUEST or RESPONSE.
    """

    connection: int
    stream: int
    kind: int
    content: bytes


def encoded(message: Message) -> bytes:
    """Returns the frames of a message."""
    content = _MESSAGE.pack(len(message.content), message.stream, message.kind, 0) + message.content
    parts = [content[at : at + _PART_BYTES] for at in range(0, len(content), _PART_BYTES)]
    return b"".join(_FRAME.pack(message.connection, len(part)) + part for part in parts)


async def messages(reader: asyncio.StreamReader) -> AsyncIterator[Message]:
    """Yields the messages that arrive, until the socket is closed.

    Raises FrameError for a frame or message that is too long, and OSError if the socket breaks.
    """
    unread = {PLUGIN: bytearray(), RUNTIME: bytearray()}
    while True:
        try:
            connection, size = _FRAME.unpack(await reader.readexactly(_FRAME.size))
            _check(size, _MESSAGE.size + MESSAGE_BYTES_MAX)
            part = await reader.readexactly(size)
        except asyncio.IncompleteReadError:
            return
        if connection not in unread:
            continue
        content = unread[connection]
        content += part
        while len(content) >= _MESSAGE.size:
            length, stream, kind, _ = _MESSAGE.unpack_from(content)
            _check(length, MESSAGE_BYTES_MAX)
            end = _MESSAGE.size + length
            if len(content) < end:
                break
            yield Message(connection, stream, kind, bytes(content[_MESSAGE.size : end]))
            del content[:end]


def _check(size: int, most: int) -> None:
    if size > most:
        raise FrameError(f"a message of {size} bytes is longer than {most}")
