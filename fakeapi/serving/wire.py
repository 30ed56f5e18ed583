"""Wire: the methods of a connection that the classes HTTP1 and HTTP2 call to write and to set deadlines."""

from typing import Protocol

BODY_SECONDS = 60.0
"""Maximum seconds in which a client must send the body of a request, as in kube-apiserver's request timeout.

After that, the server sends 408 and closes the connection (HTTP/1.1), or resets the stream (HTTP/2). The
check can be half a minute late.
"""


class Wire(Protocol):
    """Writes to a connection, closes it, and sets deadlines for its client."""

    async def write(self, data: bytes) -> None:
        """Writes bytes, and waits while the client does not read.

        If the connection is closing, drops the bytes and only lets other tasks run.
        """
        ...

    def write_soon(self, data: bytes) -> None:
        """Writes bytes without waiting for the client. Use it only for few bytes."""
        ...

    @property
    def writes_at_once(self) -> bool:
        """Whether a write needs no waiting, because the kernel has accepted all earlier bytes."""
        ...

    def close(self) -> None:
        """Sends the remaining bytes, then closes the connection."""
        ...

    def close_after_reading(self) -> None:
        """Closes the connection when the client has closed its side, or after LINGER_SECONDS.

        Until then, drops all received bytes. If the server closed a connection with unread received bytes,
        the kernel would send a TCP reset, which can reach the client before the response.
        """
        ...

    def expect_request(self) -> None:
        """Sets the deadline for the client's next request: IDLE_SECONDS from now."""
        ...

    def expect_rest_of_head(self) -> None:
        """Sets the deadline for the rest of a request head: HEAD_SECONDS from now, unless already set."""
        ...

    def expect_body(self) -> None:
        """Sets the deadline for the body of the running request: BODY_SECONDS from now."""
        ...

    def expect_nothing(self) -> None:
        """Removes the deadline, because the server expects no bytes from the client."""
        ...

    @property
    def ending(self) -> bool:
        """Whether the server is stopping, so that it accepts no more requests."""
        ...
