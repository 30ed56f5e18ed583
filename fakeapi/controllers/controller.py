"""Controller: the base class of all controllers, and the context through which they use the server."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Any, ClassVar, Protocol

from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.clock.clocks import ClockAndNames
from fakeapi.cluster import Cluster
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.served import find_resource, served_as
from fakeapi.machinery.golang import times
from fakeapi.machinery.schema.nodes import Node, Struct
from fakeapi.releases.rules import ReleaseRules, rules_of


class Work(Protocol):
    """The methods of the controller manager that a ControllerContext uses."""

    def api(self, agent: str) -> InProcessClient: ...

    def informer(self, resource: ServedResource) -> Informer: ...

    def add(self, controller: str, key: Hashable) -> None: ...

    def add_after(self, controller: str, key: Hashable, seconds: float) -> None: ...

    def spawn(self, controller: str, work: Coroutine[Any, Any, None]) -> Awaitable[None]: ...

    def run(self, controller: str, work: Coroutine[Any, Any, None]) -> None: ...

    async def wait(self, event: "asyncio.Future[None]", seconds: float) -> bool: ...

    def count_failure(self, controller: str, key: Hashable, problem: object) -> None: ...


class ControllerContext:
    """Gives one controller access to the server: API client, caches, clock and work queue."""

    def __init__(self, name: str, cluster: Cluster, work: Work) -> None:
        self.name = name
        self.clock: ClockAndNames = cluster.clock
        self.cluster = cluster
        self._work = work

    @property
    def rules(self) -> ReleaseRules:
        """The feature gates, limits and quirks of the server's primary Kubernetes release."""
        return rules_of(self.cluster.catalogue.primary)

    @property
    def version(self) -> str:
        """The git version of the Kubernetes release, such as v1.33.13."""
        return self.cluster.catalogue.primary.version

    def api(self, component: str, client: str = "") -> InProcessClient:
        """Returns an API client with the User-Agent of a Kubernetes component, such as kube-scheduler.

        `client`: the last part of the User-Agent, such as the name of a controller; "" for none.
        """
        end = f"/{client}" if client else ""
        return self._work.api(f"{component}/{self.version} (linux/amd64) kubernetes/fakeapi{end}")

    def resource(self, group: str, plural: str, *versions: str) -> ServedResource | None:
        """Returns a resource in the first of `versions` that is served; None if no version is served.

        Without `versions`, returns the resource in its preferred version.
        """
        resource = find_resource(self.cluster.catalogue, group, plural, *versions)
        return None if resource is None else served_as(resource)

    def served(self, group: str, plural: str) -> ServedResource:
        """Returns a resource in its preferred version.

        Every release must serve the resource, such as pods.
        """
        resource = self.resource(group, plural)
        assert resource is not None, f"{plural} are served by every release"
        return resource

    def has_field(self, group: str, plural: str, *path: str) -> bool:
        """Whether the schema of a resource, in its preferred version, has the field at this path."""
        resource = find_resource(self.cluster.catalogue, group, plural)
        node: Node | None = None if resource is None else resource.schema
        for name in path:
            node = node.fields[name].node if isinstance(node, Struct) and name in node.fields else None
        return node is not None

    def informer(self, resource: ServedResource) -> Informer:
        """Returns the informer (cache) of a resource. All controllers share one informer per resource."""
        return self._work.informer(resource)

    def add(self, key: Hashable) -> None:
        """Adds a key, such as NAMESPACE/NAME of an object, to this controller's work queue."""
        self._work.add(self.name, key)

    def add_after(self, key: Hashable, seconds: float) -> None:
        """Adds a key to this controller's work queue after a delay, in `seconds` of the server's clock."""
        self._work.add_after(self.name, key, seconds)

    def count_failure(self, key: Hashable, problem: object) -> None:
        """Counts a failure that `reconcile` does not raise, because this controller retries the key itself.

        `problem`: the error, which becomes the last error in the report of this controller.
        """
        self._work.count_failure(self.name, key, problem)

    def spawn(self, work: Coroutine[Any, Any, None]) -> Awaitable[None]:
        """Runs a coroutine in the background, so that it does not block the reconciliation of other keys.

        Returns an awaitable that completes when the coroutine ends. The manager logs errors of the coroutine.
        `Manager.settle` waits until the coroutine ends.
        """
        return self._work.spawn(self.name, work)

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs a coroutine, such as a heartbeat, until the controllers stop.

        `Manager.settle` does not wait for this coroutine.
        """
        self._work.run(self.name, work)

    async def wait(self, event: "asyncio.Future[None]", seconds: float) -> bool:
        """Waits in a spawned task until `event` is done or `seconds` have passed on the server's clock.

        Returns whether `event` was done. `Manager.settle` does not wait for a task in `wait`.
        """
        return await self._work.wait(event, seconds)

    def now(self) -> str:
        """Returns the current time as Kubernetes writes it: RFC 3339, UTC, whole seconds."""
        return times.now_text(self.clock.now())


class Controller(ABC):
    """Reconciles API objects with their desired state, one key at a time.

    The manager calls `reconcile` only after the caches have received all earlier writes. So a controller
    always sees its own writes in its caches.
    """

    name: ClassVar[str]

    def __init__(self, context: ControllerContext) -> None:
        self.context = context

    @abstractmethod
    async def start(self) -> None:
        """Creates informers and registers handlers that add keys to the work queue."""

    @abstractmethod
    async def reconcile(self, key: Any) -> None:
        """Reconciles the object with this key.

        If this method raises StatusError, the manager retries the key with a delay. After a conflict (409),
        the manager retries the key at once.
        """

    async def stop(self) -> None:  # noqa: B027 - most controllers have nothing to release
        """Releases resources outside the server, such as sockets."""


MakeController = Callable[[ControllerContext], Controller]
