"""Controlled: the running server that the control API works on."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from fakeapi.asgi import ASGIApp
from fakeapi.cluster import Cluster


@dataclass(frozen=True, slots=True)
class Controlled:
    """`api` is the application of the cluster's API; `reset` makes the server a new cluster, controllers and
    what is installed at the start included. `token` and `host` are what the API accepts of its clients.
    """

    cluster: Cluster
    api: ASGIApp
    reset: Callable[[], Awaitable[None]]
    token: str | None
    host: str
