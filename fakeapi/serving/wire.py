"""Wire: the methods of a connection that the HTTP protocols use to write, close and set deadlines."""

from typing import Protocol

BODY_SECONDS = 60.0
"""Seconds for the body of a request, after its head; kube-apiserver's request timeout is the same.

A client that exceeds it gets 408 and is disconnected (HTTP/1.1), or its stream is reset (HTTP/2). The check
may come half a minute late.
"""


class Wire(Protocol):
    """The bytes of one connection, and the deadlines for its client."""

    async def write(self, data: bytes) -> None:
        """Waits while the client does not read; after the connection's end it only yields to other tasks."""
        ...

    def write_soon(self, data: bytes) -> None:
        """Writes without waiting; only for few bytes before a `write`."""
        ...

    @property
    def writes_at_once(self) -> bool:
        """Whether the client has read everything so far, so that a write does not wait."""
        ...

    def close(self) -> None:
        """Sends the remaining bytes, then closes the connection."""
        ...

    def close_after_reading(self) -> None:
        """Closes once the client has closed too, or after a moment; bytes that arrive meanwhile are dropped.

        Closing with unread bytes makes the kernel send a reset, which can overtake the response.
        """
        ...

    def expect_request(self) -> None:
        """Waits for the next request: the client may be idle for IDLE_SECONDS."""
        ...

    def expect_rest_of_head(self) -> None:
        """Waits for the rest of a head: the client has HEAD_SECONDS."""
        ...

    def expect_body(self) -> None:
        """Waits for the body of the running request: the client has BODY_SECONDS."""
        ...

    def expect_nothing(self) -> None:
        """Sets no deadline, because the running request has its whole body."""
        ...

    @property
    def ending(self) -> bool:
        """Whether the server is stopping and accepts no further requests."""
        ...
