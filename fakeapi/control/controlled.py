"""Controlled: the running server, as the handlers of the control API use it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from fakeapi.asgi import ASGIApp
from fakeapi.cluster import Cluster


@dataclass(frozen=True, slots=True)
class Controlled:
    """A running server, as the handlers of the control API use it.

    - `api`: the ASGI application of the Kubernetes API.
    - `reset`: resets the server to a new cluster, restarts the controllers and installs the manifests again.
    - `token` and `host`: the bearer token and the Host header for requests to `api`.
    """

    cluster: Cluster
    api: ASGIApp
    reset: Callable[[], Awaitable[None]]
    token: str | None
    host: str
