"""Transport: the interface for HTTP requests to webhooks."""

from typing import Protocol

import msgspec

ANSWER_BYTES = 8 * 1024 * 1024
"""Size limit in bytes for the response to an empty request. Longer requests increase the limit."""

ANSWER_RATIO = 4
"""Number of bytes that the size limit for a response increases for each byte of the request."""

ANSWER_MAX = 64 * 1024 * 1024
"""Maximum, in bytes, of the size limit for a response, even if the request is very long."""

TOO_LATE = "context deadline exceeded"


def answer_limit(sent: int) -> int:
    """Returns the size limit in bytes for the response to a request of `sent` bytes.

    Kubernetes has no limit. This limit leaves enough room: the response of a conversion webhook is about as
    long as the request. The response of an admission webhook contains a base64 patch, and the patched object
    must fit into etcd.
    """
    return min(ANSWER_BYTES + ANSWER_RATIO * sent, ANSWER_MAX)


class Endpoint(msgspec.Struct, frozen=True):
    """The endpoint of a webhook or of an aggregated API server."""

    url: str
    """The URL with scheme, host, port and path, as error messages print it."""

    authority: bytes = b""
    """The CA certificates in PEM that the server's certificate must chain to; b"" for the system's CAs."""

    dial: tuple[str, str, int] | None = None
    """(scheme, host, port) to connect to; None to connect to the address in `url`."""


class Answer(msgspec.Struct, frozen=True):
    """The HTTP response of a webhook.

    `content_type`: the header Content-Type; "" if the header is missing. `problem`: why the body is
    incomplete; "" if the body is complete.
    """

    status: int
    content_type: str
    body: bytes
    problem: str = ""


class Unreachable(Exception):
    """Raised if a webhook sent no response. The error message equals the message of Go's net/http."""


class BadAuthority(Exception):
    """Raised if an endpoint's CA certificates cannot be parsed.

    The error message equals client-go's message.
    """


class Transport(Protocol):
    """Sends HTTP requests to webhooks. Does not follow redirects and does not use proxies."""

    async def post(self, endpoint: Endpoint, target: str, body: bytes, seconds: float) -> Answer:
        """Sends a POST with a JSON body and returns the response within `seconds`.

        `target`: the path and query of the URL, such as "/validate?timeout=10s".

        If only a part of the response body arrives in time, the result has a `problem`. Raises Unreachable if
        no response arrives in time or the connection fails. Raises BadAuthority if the CA certificates are
        invalid.
        """
        ...

    def close(self) -> None:
        """Closes idle HTTP connections."""
        ...
