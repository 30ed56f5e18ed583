"""Wire: the methods of a connection that the classes HTTP1 and HTTP2 call."""

from typing import Protocol

BODY_SECONDS = 60.0
"""Seconds that a client has to send the body of a request, as in the request timeout of kube-apiserver.

After that, the client gets 408 and is disconnected (HTTP/1.1), or its stream is reset (HTTP/2). The check can
be half a minute late.
"""


class Wire(Protocol):
    """Writes to a connection, closes it, and sets deadlines for its client."""

    async def write(self, data: bytes) -> None:
        """Writes bytes and waits while the client does not read.

        On a closing connection, it drops the bytes and only lets other tasks run.
        """
        ...

    def write_soon(self, data: bytes) -> None:
        """Writes bytes without waiting for the client. Use it only for few bytes."""
        ...

    @property
    def writes_at_once(self) -> bool:
        """Whether a write needs no waiting, because the client has read all earlier bytes."""
        ...

    def close(self) -> None:
        """Sends the remaining bytes and closes the connection."""
        ...

    def close_after_reading(self) -> None:
        """Closes the connection when the client has closed its side, or after LINGER_SECONDS.

        It drops all bytes that arrive until then. If the server closed with unread bytes, the kernel would
        send a reset, which can reach the client before the response.
        """
        ...

    def expect_request(self) -> None:
        """Sets the deadline for the next request to IDLE_SECONDS."""
        ...

    def expect_rest_of_head(self) -> None:
        """Sets the deadline for the rest of a request head to HEAD_SECONDS, unless one is set already."""
        ...

    def expect_body(self) -> None:
        """Sets the deadline for the body of the running request to BODY_SECONDS."""
        ...

    def expect_nothing(self) -> None:
        """Removes the deadline, because the server expects no bytes from the client."""
        ...

    @property
    def ending(self) -> bool:
        """Whether the server is stopping and accepts no further requests."""
        ...
