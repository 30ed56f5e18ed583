"""Controlled: the interface of a running server for the handlers of the control API."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from fakeapi.asgi import ASGIApp
from fakeapi.cluster import Cluster
from fakeapi.control.explanation_queue import ExplanationQueue
from fakeapi.controllers.controller_runner import ControllerRunner
from fakeapi.devices.model import DriverSpec
from fakeapi.devices.node_views import NodeSummary, NodeView


class Simulation(Protocol):
    """The interface to the simulated nodes and drivers of a server. The controller kubelet runs them."""

    async def add_driver(self, spec: DriverSpec) -> None:
        """Adds a simulated driver; returns when its slices are published.

        Raises DeviceError if the driver cannot run, and RuntimeError if controllers run without the kubelet.
        """

    def node_summaries(self) -> list[NodeSummary]:
        """Returns a summary of each node; an empty list if the controller kubelet does not run."""

    async def set_node_running(self, name: str, *, is_running: bool) -> None:
        """Stops or starts the kubelet of a node. Raises KeyError for an unknown node."""

    def node_view(self, name: str) -> NodeView:
        """Returns the description of a node. Raises KeyError for an unknown node."""


def _no_controllers() -> None:
    """Returns None, for a server without controllers."""


@dataclass(frozen=True, slots=True)
class Controlled:
    """A running server with the functions that the handlers of the control API call.

    - `api`: the ASGI application of the Kubernetes API.
    - `reset`: resets the server to a new cluster, restarts the controllers and installs the manifests again.
    - `simulation`: the nodes and simulated drivers of the server.
    - `token` and `host`: the bearer token and the Host header for requests to `api`.
    - `controllers`: returns the controllers of the server; None if no controllers run.
    - `explanations`: the queue of the requests for explanations.
    """

    cluster: Cluster
    api: ASGIApp
    reset: Callable[[], Awaitable[None]]
    simulation: Simulation
    token: str | None
    host: str
    controllers: Callable[[], ControllerRunner | None] = _no_controllers
    explanations: ExplanationQueue = field(default_factory=ExplanationQueue)
