"""The connection as the HTTP protocols use it: writing, closing, and deadlines for the client."""

from typing import Protocol

BODY_SECONDS = 60.0
"""For the body of a request, from its head on; as the limit of every request in kube-apiserver. Then, and
half a minute later at the latest, an HTTP/1.1 client is answered 408 and dropped, an HTTP/2 stream reset."""


class Wire(Protocol):
    """The bytes of one connection, and how long it may wait for its client."""

    async def write(self, data: bytes) -> None:
        """Waits while the client does not read; after the connection's end it only yields."""
        ...

    def write_soon(self, data: bytes) -> None:
        """Writes without waiting; for the little that goes before a waited-for write."""
        ...

    @property
    def writes_at_once(self) -> bool:
        """Whether the client has read all that was written, so that more need not wait."""
        ...

    def close(self) -> None:
        """Sends what is still to be sent, then closes."""
        ...

    def close_after_reading(self) -> None:
        """Closes once the client has closed too, or after a moment; what it still sends is dropped.

        Closing with unread bytes makes the kernel send a reset, which can overtake the answer.
        """
        ...

    def expect_request(self) -> None:
        """No request is at work: the client may be idle for long."""
        ...

    def expect_rest_of_head(self) -> None:
        """A request has begun: its head has to be there soon."""
        ...

    def expect_body(self) -> None:
        """A request is at work whose body is still to come: it has to be complete soon."""
        ...

    def expect_nothing(self) -> None:
        """A request is at work: the client may wait as long as it likes."""
        ...

    @property
    def ending(self) -> bool:
        """Whether the server stops: no further request is taken."""
        ...
