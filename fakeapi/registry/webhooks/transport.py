"""Transport: the interface for HTTP requests to webhooks."""

from dataclasses import dataclass
from typing import Protocol

ANSWER_BYTES = 8 * 1024 * 1024
"""Fixed part of the limit for an answer's body, in bytes; a call fails if the body exceeds the limit."""

ANSWER_RATIO = 4
"""Part of the limit for an answer's body that grows with the request: bytes per byte of the request."""

ANSWER_MAX = 64 * 1024 * 1024
"""Upper bound of the limit for an answer's body, in bytes."""

TOO_LATE = "context deadline exceeded"


def answer_limit(sent: int) -> int:
    """Returns the limit in bytes for the answer to a request of `sent` bytes.

    Kubernetes has no limit. The answer of a conversion webhook is about as long as the request. The answer of
    an admission webhook contains a patch, in base64, of an object that must fit into etcd.
    """
    return min(ANSWER_BYTES + ANSWER_RATIO * sent, ANSWER_MAX)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The endpoint of a webhook."""

    url: str
    """The URL in error messages, with scheme, host, port and path."""

    authority: bytes = b""
    """The CA certificates in PEM that must have signed the server's certificate; if empty, the system's."""

    dial: tuple[str, str, int] | None = None
    """Scheme, host and port to connect to; None to use the address in `url`."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response.

    `content_type` is empty if the header is missing. `problem` says why the body is incomplete; else it is
    empty.
    """

    status: int
    content_type: str
    body: bytes
    problem: str = ""


class Unreachable(Exception):
    """The webhook sent no response; the message comes from Go's net/http."""


class BadAuthority(Exception):
    """The CA certificates of an endpoint cannot be parsed; the message is client-go's."""


class Transport(Protocol):
    """Sends requests to webhooks. It follows no redirect and uses no proxy."""

    async def post(self, endpoint: Endpoint, target: str, body: bytes, seconds: float) -> Answer:
        """POSTs JSON to a target such as "/validate?timeout=10s" and returns the answer within `seconds`.

        An answer whose body is incomplete at that time has a `problem`. Raises Unreachable, also if no answer
        has arrived by then, and BadAuthority.
        """
        ...

    def close(self) -> None:
        """Closes idle connections."""
        ...
