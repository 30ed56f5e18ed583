"""EventRecorder: records the actions of a controller as core/v1 events, and counts equal events.

Follows k8s.io/client-go `tools/record`.
"""

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.controller import ControllerContext
from fakeapi.machinery.json_types import Object

EVENTS_MAX = 4096
"""Maximum number of events that a recorder remembers in order to count equal events.

At this number, the recorder forgets all events before it remembers another event.
"""


class KnownEvents:
    """Base class of event recorders. Remembers the created events, to find equal events.

    Events are equal if they have the same object, type, reason and message. Events of events.k8s.io/v1 must
    also have the same action.
    """

    def __init__(self, context: ControllerContext, api: InProcessClient) -> None:
        self._context = context
        self._api = api
        self._known: dict[tuple[str, ...], Object] = {}

    async def _create(self, path: str, event: Object, key: tuple[str, ...]) -> None:
        """Creates an event, and remembers it under `key`.

        If the server refuses the request, the event is lost. If the event's name exists, adds a random
        suffix. Names contain the time, so two names can be equal while the clock is frozen.
        """
        try:
            stored = await self._api.create(path, event)
        except StatusError as problem:
            if not problem.is_already_exists:
                return
            event["metadata"]["name"] += self._context.clock.suffix()
            try:
                stored = await self._api.create(path, event)
            except StatusError:
                return
        if len(self._known) >= EVENTS_MAX:
            self._known.clear()
        self._known[key] = stored


class EventRecorder(KnownEvents):
    """Records the events of one component. For equal events, increases the count of one event."""

    def __init__(
        self, context: ControllerContext, api: InProcessClient, component: str, host: str = ""
    ) -> None:
        super().__init__(context, api)
        self._source = {"component": component, **({"host": host} if host else {})}

    async def record(self, obj: Object, kind: str, reason: str, message: str) -> None:
        """Records an event about `obj`. If the server refuses the request, the event is lost.

        `kind`: Normal or Warning.
        """
        metadata = obj["metadata"]
        resource = self._context.served("", "events")
        key = (metadata["uid"], kind, reason, message)
        known = self._known.get(key)
        try:
            if known is not None:
                changes = {"count": known["count"] + 1, "lastTimestamp": self._context.now()}
                self._known[key] = await self._api.patch(resource.path_of(known), changes, "strategic")
                return
        except StatusError as problem:
            if not problem.is_not_found:
                return
        event = self._event(obj, kind, reason, message)
        await self._create(resource.path(event["metadata"]["namespace"]), event, key)

    def _event(self, obj: Object, kind: str, reason: str, message: str) -> Object:
        metadata = obj["metadata"]
        namespace = metadata.get("namespace", "default")
        now = self._context.clock.now()
        involved = {
            "kind": obj["kind"],
            "apiVersion": obj["apiVersion"],
            "name": metadata["name"],
            "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"],
        }
        if "namespace" in metadata:
            involved["namespace"] = namespace
        return {
            "kind": "Event",
            "apiVersion": "v1",
            "metadata": {"name": f"{metadata['name']}.{int(now * 10**9):x}", "namespace": namespace},
            "involvedObject": involved,
            "reason": reason,
            "message": message,
            "source": self._source,
            "firstTimestamp": self._context.now(),
            "lastTimestamp": self._context.now(),
            "count": 1,
            "type": kind,
            "reportingComponent": self._source["component"],
            "reportingInstance": self._source.get("host", ""),
        }
