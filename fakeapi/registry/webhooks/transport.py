"""Transport: how a request reaches a webhook's server."""

from dataclasses import dataclass
from typing import Protocol

ANSWER_BYTES = 8 * 1024 * 1024
"""Bytes of an answer's body beside those that stand for what was sent; a longer one is a failed call."""

ANSWER_RATIO = 4
"""Bytes of an answer's body for each byte of the request, up to ANSWER_MAX in all."""

ANSWER_MAX = 64 * 1024 * 1024
"""Most bytes of an answer's body, whatever was sent."""

TOO_LATE = "context deadline exceeded"


def answer_limit(sent: int) -> int:
    """Returns how many bytes the answer to a request may have.

    Kubernetes has no limit. A conversion webhook answers about as much as it is sent; an admission webhook
    answers a patch, in base64, of an object that must fit into etcd.
    """
    return min(ANSWER_BYTES + ANSWER_RATIO * sent, ANSWER_MAX)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The endpoint of a webhook.

    `url` is what errors name, with scheme, host, port and path. `authority` holds the PEM certificates that
    its certificate must be signed by; the system's where it is empty. `dial` is the scheme, host and port to
    connect to, where they are not the URL's.
    """

    url: str
    authority: bytes = b""
    dial: tuple[str, str, int] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response. `content_type` is empty where it has none. `problem` is why its body ended early."""

    status: int
    content_type: str
    body: bytes
    problem: str = ""


class Unreachable(Exception):
    """There is no response, for a reason in the words of Go's net/http."""


class BadAuthority(Exception):
    """The certificates of an endpoint cannot be read, for a reason in the words of client-go."""


class Transport(Protocol):
    """Sends requests to webhooks. It follows no redirect and uses no proxy."""

    async def post(self, endpoint: Endpoint, target: str, body: bytes, seconds: float) -> Answer:
        """POSTs JSON to a target such as "/validate?timeout=10s".

        The answer is there within so many seconds, or Unreachable is raised, or its body has a problem.
        Raises BadAuthority.
        """
        ...

    def close(self) -> None:
        """Closes what is kept for the next request."""
        ...
