"""Controlled: the running server, as the handlers of the control API use it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from fakeapi.asgi import ASGIApp
from fakeapi.cluster import Cluster
from fakeapi.controllers.controller_runner import ControllerRunner


def _no_controllers() -> None:
    """Returns None: the server runs no controllers."""


@dataclass(frozen=True, slots=True)
class Controlled:
    """A running server, as the handlers of the control API use it.

    - `api`: the ASGI application of the Kubernetes API.
    - `reset`: resets the server to a new cluster, restarts the controllers and installs the manifests again.
    - `token` and `host`: the bearer token and the Host header for requests to `api`.
    - `controllers`: returns the controllers of the server; None if it runs none.
    """

    cluster: Cluster
    api: ASGIApp
    reset: Callable[[], Awaitable[None]]
    token: str | None
    host: str
    controllers: Callable[[], ControllerRunner | None] = _no_controllers
