"""Controlled: the running server that the control API controls."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from fakeapi.asgi import ASGIApp
from fakeapi.cluster import Cluster


@dataclass(frozen=True, slots=True)
class Controlled:
    """A running server for the control API.

    - `api` is the application of the cluster's API.
    - `reset` makes the server a new cluster, restarts its controllers and installs its manifests again.
    - `token` and `host` are the credentials for requests to `api`.
    """

    cluster: Cluster
    api: ASGIApp
    reset: Callable[[], Awaitable[None]]
    token: str | None
    host: str
