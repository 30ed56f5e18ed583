"""Controller: the base class of all controllers, and the context that they work in."""

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
    """The part of the controller manager that ControllerContext uses."""

    def api(self, agent: str) -> InProcessClient: ...

    def informer(self, resource: ServedResource) -> Informer: ...

    def add(self, controller: str, key: Hashable) -> None: ...

    def add_after(self, controller: str, key: Hashable, seconds: float) -> None: ...

    def spawn(self, controller: str, work: Coroutine[Any, Any, None]) -> Awaitable[None]: ...

    def run(self, controller: str, work: Coroutine[Any, Any, None]) -> None: ...


class ControllerContext:
    """The server as one controller sees it: API, caches, clock and work queue."""

    def __init__(self, name: str, cluster: Cluster, work: Work) -> None:
        self.name = name
        self.clock: ClockAndNames = cluster.clock
        self.cluster = cluster
        self._work = work

    @property
    def rules(self) -> ReleaseRules:
        """Feature gates, limits and quirks of the server's primary release."""
        return rules_of(self.cluster.catalogue.primary)

    @property
    def version(self) -> str:
        """The git version of the release, such as v1.33.13."""
        return self.cluster.catalogue.primary.version

    def api(self, component: str, client: str = "") -> InProcessClient:
        """Returns a client with the User-Agent of a Kubernetes component, such as kube-scheduler."""
        end = f"/{client}" if client else ""
        return self._work.api(f"{component}/{self.version} (linux/amd64) kubernetes/fakeapi{end}")

    def resource(self, group: str, plural: str, *versions: str) -> ServedResource | None:
        """Returns a served resource in the first served version of `versions`; None if no version is served.

        Without `versions`, returns the preferred version.
        """
        resource = find_resource(self.cluster.catalogue, group, plural, *versions)
        return None if resource is None else served_as(resource)

    def served(self, group: str, plural: str) -> ServedResource:
        """Returns the preferred version of a resource that every release serves, such as pods."""
        resource = self.resource(group, plural)
        assert resource is not None, f"{plural} are served by every release"
        return resource

    def has_field(self, group: str, plural: str, *path: str) -> bool:
        """Whether the schema of a resource's preferred version has the field at this path."""
        resource = find_resource(self.cluster.catalogue, group, plural)
        node: Node | None = None if resource is None else resource.schema
        for name in path:
            node = node.fields[name].node if isinstance(node, Struct) and name in node.fields else None
        return node is not None

    def informer(self, resource: ServedResource) -> Informer:
        """Returns the cache of a resource; all controllers share it."""
        return self._work.informer(resource)

    def add(self, key: Hashable) -> None:
        """Adds a key to the controller's work queue."""
        self._work.add(self.name, key)

    def add_after(self, key: Hashable, seconds: float) -> None:
        """Adds a key to the controller's work queue after `seconds` of the server's clock."""
        self._work.add_after(self.name, key, seconds)

    def spawn(self, work: Coroutine[Any, Any, None]) -> Awaitable[None]:
        """Runs a coroutine in the background, so that it does not block other keys.

        Returns an awaitable for its end. The manager logs errors of the coroutine, and `Manager.settle` waits
        for its end.
        """
        return self._work.spawn(self.name, work)

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs a coroutine, such as a heartbeat, until the controllers stop.

        `Manager.settle` does not wait for it.
        """
        self._work.run(self.name, work)

    def now(self) -> str:
        """Returns the current time as Kubernetes writes it: RFC 3339, UTC, whole seconds."""
        return times.now_text(self.clock.now())


class Controller(ABC):
    """Reconciles API objects with their desired state, one key at a time.

    The manager calls `reconcile` only after the caches have seen all earlier writes. So the caches of a
    controller are never older than its own writes.
    """

    name: ClassVar[str]

    def __init__(self, context: ControllerContext) -> None:
        self.context = context

    @abstractmethod
    async def start(self) -> None:
        """Creates informers and registers handlers that add keys to the work queue."""

    @abstractmethod
    async def reconcile(self, key: Any) -> None:
        """Reconciles one key.

        After StatusError, the manager retries the key; after a conflict, it retries at once.
        """

    async def stop(self) -> None:  # noqa: B027 - most controllers have nothing to release
        """Releases resources outside the server, such as sockets."""


MakeController = Callable[[ControllerContext], Controller]
