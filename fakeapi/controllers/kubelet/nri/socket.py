"""NriSocket: the socket of a node's container runtime, where NRI plugins register.

A plugin registers, and gets its configuration and an empty list of containers. The kubelet never calls the
plugin about a container.
"""

import asyncio
import logging
import os
from pathlib import Path

from fakeapi.controllers.kubelet.driver_texts import shortened
from fakeapi.controllers.kubelet.nri import calls, frames
from fakeapi.controllers.kubelet.nri.frames import Message
from fakeapi.machinery.printable import printable_line
from fakeapi.machinery.schema.protobuf_wire import WireError, fields_of

log = logging.getLogger("fakeapi.controllers")

SOCKET = "host/run/nri/nri.sock"
"""The path of the socket in the directory of a node. Containers see it as /var/run/nri/nri.sock."""
PLUGINS_MAX = 32
"""Maximum number of plugins that are connected to one node; further plugins are disconnected."""


class NriSocket:
    """The socket of one node."""

    def __init__(self, directory: Path, node: str) -> None:
        """Prepares the socket; `start` creates it. `directory`: the directory of the node."""
        self.path = directory / SOCKET
        self._node = node
        self._plugins: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Creates the socket, and replaces the socket of an earlier server.

        Raises OSError if the socket cannot be created.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.unlink(missing_ok=True)
        try:
            self._server = await asyncio.start_unix_server(self._serve, path=self.path)
        except OSError as error:
            size = len(os.fsencode(self.path))
            raise OSError(f"the socket {self.path} ({size} bytes) cannot be created: {error}") from None

    def stop(self) -> None:
        """Removes the socket and disconnects all plugins."""
        if self._server is None:
            return
        self._server.close()
        for writer in list(self._plugins):
            writer.close()
        self.path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._plugins) >= PLUGINS_MAX:
            log.warning("node %s has %d NRI plugins already: one more is refused", self._node, PLUGINS_MAX)
            writer.close()
            return
        self._plugins.add(writer)
        plugin = _Plugin(writer, self._node)
        try:
            async for message in frames.messages(reader):
                plugin.receive(message)
                await writer.drain()
        except (frames.FrameError, WireError, OSError) as error:
            log.warning("NRI plugin %s on node %s: %s", plugin.name, self._node, printable_line(error))
        finally:
            self._plugins.discard(writer)
            writer.close()


class _Plugin:
    """A connected plugin. `name`: the index and the name of the plugin after its registration."""

    def __init__(self, writer: asyncio.StreamWriter, node: str) -> None:
        self.name = "without a name"
        self._writer = writer
        self._node = node
        self._calls = [calls.configure("v0"), calls.synchronize()]
        self._stream = 1

    def receive(self, message: Message) -> None:
        """Answers a request, or continues after a response. Raises WireError for a malformed message."""
        if (message.connection, message.kind) == (frames.RUNTIME, frames.REQUEST):
            self._answer(message)
        elif (message.connection, message.kind) == (frames.PLUGIN, frames.RESPONSE):
            self._continue(message)

    def _answer(self, message: Message) -> None:
        call = calls.call_of(message.content)
        if call.service != calls.RUNTIME_SERVICE or call.method not in {"RegisterPlugin", "UpdateContainers"}:
            response = calls.refusal(calls.UNIMPLEMENTED, f"method {shortened(call.method)} is not supported")
            self._send(Message(frames.RUNTIME, message.stream, frames.RESPONSE, response))
            return
        registers = call.method == "RegisterPlugin"
        if registers:
            fields = fields_of(call.payload)
            name = f"{calls.text_of(fields, 2)}-{calls.text_of(fields, 1)}"
            self.name = printable_line(shortened(name))
        self._send(Message(frames.RUNTIME, message.stream, frames.RESPONSE, b""))
        if registers:
            log.info("NRI plugin %s registers on node %s", self.name, self._node)
            self._call_next()

    def _continue(self, message: Message) -> None:
        problem = calls.error_of(message.content)
        if problem:
            log.warning(
                "NRI plugin %s on node %s: %s", self.name, self._node, printable_line(shortened(problem))
            )
            self._writer.close()
            return
        self._call_next()

    def _call_next(self) -> None:
        if self._calls:
            content = calls.encoded_call(self._calls.pop(0))
            self._send(Message(frames.PLUGIN, self._stream, frames.REQUEST, content))
            self._stream += 2

    def _send(self, message: Message) -> None:
        self._writer.write(frames.encoded(message))
