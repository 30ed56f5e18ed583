"""EventSeriesRecorder: records the actions of a controller as events of events.k8s.io/v1.

Follows k8s.io/client-go `tools/events`: combines equal events into a series with a count.
"""

from datetime import UTC, datetime

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.events import KnownEvents
from fakeapi.machinery.json_types import Object

NOTE_LENGTH_MAX = 1024
"""Maximum size of an event's note in bytes. A longer note is cut and ends with " ..."."""
_ELLIPSIS = " ..."


def truncated_note(message: str) -> str:
    """Returns a message that fits into the note of an event.

    Cuts a longer message and adds " ..." at its end. Follows truncateMessage in k8s.io/kubernetes
    `pkg/scheduler/schedule_one.go`.
    """
    encoded = message.encode()
    if len(encoded) <= NOTE_LENGTH_MAX:
        return message
    return encoded[: NOTE_LENGTH_MAX - len(_ELLIPSIS)].decode(errors="ignore") + _ELLIPSIS


class EventSeriesRecorder(KnownEvents):
    """Records the events of one component. Combines equal events into one event with a series count."""

    def __init__(self, context: ControllerContext, api: InProcessClient, component: str) -> None:
        super().__init__(context, api)
        self._component = component

    async def record(self, obj: Object, kind: str, reason: str, action: str, note: str) -> None:
        """Records an event about `obj`. If the server refuses the request, the event is lost.

        `kind`: Normal or Warning. `action`: what the component did or tried to do, such as Binding.
        """
        resource = self._context.served("events.k8s.io", "events")
        metadata = obj["metadata"]
        key = (metadata["uid"], kind, reason, action, note)
        known = self._known.get(key)
        try:
            if known is not None:
                count = (known.get("series") or {}).get("count", 1) + 1
                series = {"count": count, "lastObservedTime": self._micro_time()}
                path = resource.path_of(known)
                self._known[key] = await self._api.patch(path, {"series": series}, "strategic")
                return
        except StatusError as problem:
            if not problem.is_not_found:
                return
        regarding = {
            "kind": obj["kind"],
            "apiVersion": obj["apiVersion"],
            "namespace": metadata.get("namespace", ""),
            "name": metadata["name"],
            "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"],
        }
        namespace = metadata.get("namespace", "default")
        now = self._context.clock.now()
        event = {
            "kind": "Event",
            "apiVersion": resource.api_version,
            "metadata": {"name": f"{metadata['name']}.{int(now * 10**9):x}", "namespace": namespace},
            "eventTime": self._micro_time(),
            "reportingController": self._component,
            "reportingInstance": f"{self._component}-fakeapi",
            "action": action,
            "reason": reason,
            "regarding": {name: value for name, value in regarding.items() if value},
            "note": note,
            "type": kind,
        }
        await self._create(resource.path(namespace), event, key)

    def _micro_time(self) -> str:
        now = datetime.fromtimestamp(self._context.clock.now(), UTC)
        return now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
