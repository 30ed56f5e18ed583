"""Connections to containers, as the subresources of pods use them: log, exec, attach and portforward.

The kubelets of the server implement `Kubelets`, `PodConnections` and `PortConnection`. The API server uses
the kubelets only through these protocols. `fakeapi.http.connections` implements `Streams`.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Literal, Protocol

import msgspec

from fakeapi.machinery.json_types import Object

StreamName = Literal["stdout", "stderr"]


class CommandError(Exception):
    """Raised if a command fails to run, or a container or port cannot be reached.

    The message is for the client.
    """


class Streams(Protocol):
    """The client's side of an exec or attach session."""

    @property
    def has_stdin(self) -> bool: ...

    @property
    def tty(self) -> bool: ...

    async def read_stdin(self) -> bytes:
        """Returns the next input of the client; b"" after the end of the input."""
        ...

    async def write(self, stream: StreamName, data: bytes) -> None:
        """Sends output to the client. Ignores a stream that the client did not request."""
        ...

    def sizes(self) -> AsyncIterator[tuple[int, int]]:
        """Yields (columns, rows) of the client's terminal, for each change of its size."""
        ...


class PortConnection(Protocol):
    """A connection to a port of a container. `read` returns b"" after the container has closed its side."""

    async def read(self) -> bytes: ...

    async def write(self, data: bytes) -> None: ...

    async def close(self) -> None: ...


class LogOptions(msgspec.Struct, frozen=True):
    """The part of a container's log that a client wants.

    - `follow`: whether to send new lines until the container exits.
    - `previous`: whether to read the log of the previous run.
    - `timestamps`: whether each line begins with its time.
    - `since`: the earliest time of a line, in seconds since the epoch; None for all lines.
    - `tail`: the number of lines from the end; None for all lines.
    - `limit`: the maximum number of bytes; None for all bytes.
    - `stream`: All, Stdout or Stderr.
    """

    follow: bool = False
    previous: bool = False
    timestamps: bool = False
    since: float | None = None
    tail: int | None = None
    limit: int | None = None
    stream: str = "All"


class PodConnections(Protocol):
    """The containers of one pod, as clients connect to them. `container`: the name of a container."""

    def log(self, container: str, options: LogOptions) -> AsyncGenerator[Sequence[bytes], None]:
        """Yields the log of a container. Raises ApiError 400 if the container has no log yet."""
        ...

    async def exec(self, container: str, command: list[str], streams: Streams) -> int:
        """Runs a command; returns the exit code.

        Raises CommandError if the container cannot run the command.
        """
        ...

    async def attach(self, container: str, streams: Streams) -> None:
        """Connects the client until the container exits.

        Raises CommandError if the container does not run.
        """
        ...

    async def connect(self, port: int) -> PortConnection:
        """Connects to a port of the pod. Raises CommandError if nothing listens there."""
        ...


class Kubelets(Protocol):
    """The kubelets that run in the server."""

    def connections(self, pod: Object) -> PodConnections | None:
        """Returns the containers of a pod; None if no kubelet of the server runs the pod."""
        ...

    def behaviours(self) -> list[Object]:
        """Returns the behaviours of simulated containers, oldest first."""
        ...

    def add_behaviours(self, values: list[Object]) -> None:
        """Adds behaviours of simulated containers: all, or none.

        Raises ValueError if a behaviour is invalid.
        """
        ...

    def clear_behaviours(self) -> None:
        """Removes all behaviours of simulated containers."""
        ...


class Connected(msgspec.Struct, frozen=True):
    """A request that passed the checks of a subresource such as exec, and is to be connected.

    `container`: the name of the container; "" for portforward.
    """

    pod: PodConnections
    container: str = ""


class ConnectedLog(msgspec.Struct, frozen=True):
    """A request for the log of a container that passed the checks."""

    pod: PodConnections
    container: str
    options: LogOptions
