"""RemoteCommandResponse: exec and attach over WebSocket.

Follows k8s.io/kubelet `pkg/cri/streaming/remotecommand` and the subprotocols v4 and v5 of
k8s.io/apimachinery `pkg/util/remotecommand`.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Self

import msgspec

from fakeapi.http.connections.session import INPUTS_MAX, SessionResponse
from fakeapi.http.connections.sockets import ChannelSocket, chosen_protocol, upgrade_of
from fakeapi.http.context import RequestContext
from fakeapi.machinery import codec, errors
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.node_connections import CommandError, Connected, StreamName

STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255
V5 = "v5.channel.k8s.io"
PROTOCOLS = (
    V5,
    "v4.channel.k8s.io",
    "v4.base64.channel.k8s.io",
    "channel.k8s.io",
    "base64.channel.k8s.io",
)
_WITH_STATUS = (V5, "v4.channel.k8s.io", "v4.base64.channel.k8s.io")

SIZES_MAX = 16
"""Maximum number of unread changes of the terminal's size. The server drops further changes."""


class TerminalSize(msgspec.Struct):
    """The size of a terminal, as clients send it."""

    width: int = msgspec.field(name="Width", default=0)
    height: int = msgspec.field(name="Height", default=0)


@dataclass(slots=True, kw_only=True)
class RemoteCommandResponse(SessionResponse):
    """A WebSocket session of exec or attach. Also provides the Streams for the container.

    - `command`: the command of exec; None for attach.
    - `outputs`: the streams that the client requested.
    """

    command: list[str] | None
    outputs: frozenset[StreamName]
    has_stdin: bool
    tty: bool
    _inputs: "asyncio.Queue[bytes]" = field(default_factory=lambda: asyncio.Queue(INPUTS_MAX))
    _sizes: "asyncio.Queue[tuple[int, int]]" = field(default_factory=lambda: asyncio.Queue(SIZES_MAX))
    _socket: ChannelSocket | None = None
    _is_at_end: bool = False

    @classmethod
    def of(cls, ctx: RequestContext, connected: Connected) -> Self:
        """Returns the exec or attach session of a request.

        Raises ApiError 400 or 501 if the request does not open a WebSocket, and 400 if the options are
        invalid or all offered subprotocols are unsupported.
        """
        query = ctx.request.query
        names: tuple[StreamName, ...] = ("stdout", "stderr")
        outputs = frozenset(name for name in names if query.flag(name))
        if not outputs and not query.flag("stdin"):
            raise errors.bad_request("you must specify at least 1 of stdin, stdout, stderr")
        command = None
        if ctx.object.subresource == "exec":
            command = query.all("command")
            if not command:
                raise errors.bad_request("you must specify at least one command for the container")
        upgrade = upgrade_of(ctx)
        return cls(
            warnings=ctx.warnings.texts,
            upgrade=upgrade,
            protocol=chosen_protocol(upgrade, PROTOCOLS),
            connected=connected,
            command=command,
            outputs=outputs,
            has_stdin=query.flag("stdin"),
            tty=query.flag("tty"),
        )

    async def run(self, socket: ChannelSocket) -> None:
        self._socket = socket
        await socket.send(next((n for n, name in _OUTPUTS if name in self.outputs), ERROR), b"")
        try:
            if self.command is None:
                await self.connected.pod.attach(self.connected.container, self)
                code = 0
            else:
                code = await self.connected.pod.exec(self.connected.container, self.command, self)
            status = _status(code)
        except CommandError as problem:
            status = _failure(f"Internal error occurred: {problem}")
        except ApiError as problem:
            status = _failure(problem.message)
        if self.protocol in _WITH_STATUS:
            await socket.send(ERROR, codec.encode(status))
        elif status["status"] != "Success":
            await socket.send(ERROR, status["message"].encode())

    async def receive(self, channel: int, data: bytes) -> None:
        if channel == STDIN and data:
            await self._inputs.put(data)
        elif channel == CLOSE and self.protocol == V5 and data[:1] == bytes((STDIN,)):
            await self._inputs.put(b"")
        elif channel == RESIZE and not self._sizes.full():
            try:
                size = msgspec.json.decode(data, type=TerminalSize)
            except (msgspec.DecodeError, UnicodeDecodeError):
                return
            self._sizes.put_nowait((size.width, size.height))

    # methods of the protocol Streams ----------------------------------------------------------------

    async def read_stdin(self) -> bytes:
        if self._is_at_end:
            return b""
        data = await self._inputs.get()
        self._is_at_end = not data
        return data

    async def write(self, stream: StreamName, data: bytes) -> None:
        if self.tty:
            stream = "stdout"
        if data and stream in self.outputs and self._socket is not None:
            await self._socket.send(STDOUT if stream == "stdout" else STDERR, data)

    async def sizes(self) -> AsyncIterator[tuple[int, int]]:
        while True:
            yield await self._sizes.get()


_OUTPUTS: tuple[tuple[int, StreamName], ...] = ((STDOUT, "stdout"), (STDERR, "stderr"))


def _status(code: int) -> Object:
    if code == 0:
        return {"metadata": {}, "status": "Success"}
    causes = [{"reason": "ExitCode", "message": str(code)}]
    return {
        "metadata": {},
        "status": "Failure",
        "message": f"command terminated with non-zero exit code: exit status {code}",
        "reason": "NonZeroExitCode",
        "details": {"causes": causes},
    }


def _failure(message: str) -> Object:
    return {
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": "InternalError",
        "details": {"causes": [{"message": message}]},
        "code": 500,
    }
