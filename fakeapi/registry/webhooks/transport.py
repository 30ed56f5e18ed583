"""Transport: the interface for HTTP requests to webhooks."""

from dataclasses import dataclass
from typing import Protocol

ANSWER_BYTES = 8 * 1024 * 1024
"""Fixed part of the size limit for a response body, in bytes. A call fails if the body is larger."""

ANSWER_RATIO = 4
"""Part of the size limit for a response body that grows with the request: bytes per byte of the request."""

ANSWER_MAX = 64 * 1024 * 1024
"""Upper bound of the size limit for a response body, in bytes."""

TOO_LATE = "context deadline exceeded"


def answer_limit(sent: int) -> int:
    """Returns the size limit in bytes for the response to a request of `sent` bytes.

    Kubernetes has no limit. The response of a conversion webhook is about as long as the request. The
    response of an admission webhook contains a base64 patch of an object that must fit into etcd.
    """
    return min(ANSWER_BYTES + ANSWER_RATIO * sent, ANSWER_MAX)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The endpoint of a webhook."""

    url: str
    """The URL with scheme, host, port and path, as error messages print it."""

    authority: bytes = b""
    """The CA certificates in PEM that must have signed the server's certificate; b"" for those of the system.
    """

    dial: tuple[str, str, int] | None = None
    """Scheme, host and port to connect to; None to use the address in `url`."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The HTTP response of a webhook.

    `content_type`: the header Content-Type; "" if it is missing.
    `problem`: why the body is incomplete; "" if it is complete.
    """

    status: int
    content_type: str
    body: bytes
    problem: str = ""


class Unreachable(Exception):
    """Raised if a webhook sent no response. The message equals that of Go's net/http."""


class BadAuthority(Exception):
    """Raised if the CA certificates of an endpoint cannot be parsed. The message equals that of client-go."""


class Transport(Protocol):
    """Sends requests to webhooks. Does not follow redirects or use proxies."""

    async def post(self, endpoint: Endpoint, target: str, body: bytes, seconds: float) -> Answer:
        """Sends a POST with a JSON body and returns the response within `seconds`.

        `target`: the path and query, such as "/validate?timeout=10s".

        If the body of the response is incomplete after this time, the result has a `problem`. Raises
        Unreachable, for example if no response arrives in time, and BadAuthority.
        """
        ...

    def close(self) -> None:
        """Closes idle connections."""
        ...
