"""Controller: the base of what runs inside the server, and the context that it works in."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Any, ClassVar, Protocol

from fakeapi.clock.clocks import ClockAndNames
from fakeapi.cluster import Cluster
from fakeapi.controllers.api import API
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.paths import ServedResource, find_resource, served_as
from fakeapi.machinery.golang import times
from fakeapi.machinery.schema.nodes import Node, Struct
from fakeapi.releases.rules import ReleaseRules, rules_of


class Work(Protocol):
    """The part of the controller manager that ControllerContext uses."""

    def api(self, agent: str) -> API: ...

    def informer(self, resource: ServedResource) -> Informer: ...

    def add(self, controller: str, key: Hashable) -> None: ...

    def add_after(self, controller: str, key: Hashable, seconds: float) -> None: ...

    def spawn(self, controller: str, work: Coroutine[Any, Any, None]) -> Awaitable[None]: ...

    def run(self, controller: str, work: Coroutine[Any, Any, None]) -> None: ...


class ControllerContext:
    """The server as one controller sees it: its API, caches, clock, and the keys that it is to look at."""

    def __init__(self, name: str, cluster: Cluster, work: Work) -> None:
        self.name = name
        self.clock: ClockAndNames = cluster.clock
        self.cluster = cluster
        self._work = work

    @property
    def rules(self) -> ReleaseRules:
        """Gates, limits and quirks of the release that answers for the server as a whole."""
        return rules_of(self.cluster.catalogue.primary)

    @property
    def version(self) -> str:
        """The release's git version, such as v1.33.13."""
        return self.cluster.catalogue.primary.version

    def api(self, component: str, client: str = "") -> API:
        """A client whose User-Agent is that of a component of Kubernetes, such as kube-scheduler."""
        end = f"/{client}" if client else ""
        return self._work.api(f"{component}/{self.version} (linux/amd64) kubernetes/fakeapi{end}")

    def resource(self, group: str, plural: str, *versions: str) -> ServedResource | None:
        """The resource as it is served, in the first of `versions` or the preferred one; None if it is not
        served.
        """
        found = find_resource(self.cluster.catalogue, group, plural, *versions)
        return None if found is None else served_as(found)

    def has_field(self, group: str, plural: str, *path: str) -> bool:
        """Whether the objects of a resource have a field, in the version that discovery prefers."""
        found = find_resource(self.cluster.catalogue, group, plural)
        node: Node | None = None if found is None else found.schema
        for name in path:
            node = node.fields[name].node if isinstance(node, Struct) and name in node.fields else None
        return node is not None

    def informer(self, resource: ServedResource) -> Informer:
        """The cache of a resource, shared by all controllers."""
        return self._work.informer(resource)

    def add(self, key: Hashable) -> None:
        """Has the controller reconcile the key soon."""
        self._work.add(self.name, key)

    def add_after(self, key: Hashable, seconds: float) -> None:
        """Has the controller reconcile the key when `seconds` of the clock have passed."""
        self._work.add_after(self.name, key, seconds)

    def spawn(self, work: Coroutine[Any, Any, None]) -> Awaitable[None]:
        """Runs work in the background, so that it does not block other keys, such as a call to a driver.

        Errors are logged. `settle` waits for the work; the returned awaitable is done when the work is.
        """
        return self._work.spawn(self.name, work)

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs what goes on until the controllers stop, such as a heartbeat; nobody waits for it."""
        self._work.run(self.name, work)

    def now(self) -> str:
        """The present as Kubernetes writes it: RFC 3339, UTC, whole seconds."""
        return times.now_text(self.clock.now())


class Controller(ABC):
    """Brings what the API holds nearer to what it should be, one key at a time.

    The manager calls `reconcile` for one key after the other, and only when the caches show every write that
    was answered before: a controller never meets a cache that is older than its own writes.
    """

    name: ClassVar[str]

    def __init__(self, context: ControllerContext) -> None:
        self.context = context

    @abstractmethod
    async def start(self) -> None:
        """Asks for informers and registers handlers that add keys."""

    @abstractmethod
    async def reconcile(self, key: Any) -> None:
        """Looks at one key. Raises Refused: the key comes back, after a conflict at once."""

    async def stop(self) -> None:  # noqa: B027 - most hold nothing
        """Lets go of what is held outside of the server."""


MakeController = Callable[[ControllerContext], Controller]
