"""Insight: reads the state of a server, to explain in a message why a test timed out."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import msgspec

from fakeapi.clients.errors import StatusError
from fakeapi.clients.served_resource import ServedResource
from fakeapi.journal.entry import Entry
from fakeapi.journal.observer import HELPER
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.testing.served_kinds import ServedKinds, items_of
from fakeapi.testing.wire import Wire

if TYPE_CHECKING:
    from fakeapi.testing.journal_access import JournalAccess

REQUESTS_MAX = 10
"""Maximum number of requests of the code under test in the message of a time-out."""

EVENTS_MAX = 5
"""Maximum number of events of an object in the message of a time-out."""

WHY_LINES_MAX = 20
"""Maximum number of lines of an explanation in a time-out message; further lines are omitted."""

WAITING = ("pending", "starting", "refused", "deleting")
"""The verdicts of explanations that a time-out message includes, because the object is not ready."""

VERSIONS_MAX = 10
"""Maximum number of versions of an object in the message of a time-out."""

BUILT_IN = lazy_pattern(r" kubernetes/fakeapi(/|$)|^fakeapi-")
"""Matches the User-Agents of controllers and of other parts inside the server."""

_EVENTS = "/api/v1/events"


class Insight(msgspec.Struct, frozen=True):
    """Reads a server as an administrator, without entries in its journal.

    - `wire`: connections of an administrator.
    - `journal`: the journal; None for a cluster that is not a server of this process.
    - `frozen`: returns the time of a frozen clock, or "" if the clock runs.
    - `explain`: returns why a pod or claim waits, by kind, namespace and name; "" if it does not wait.
    """

    wire: Wire
    journal: "JournalAccess | None"
    frozen: Callable[[], str] = lambda: ""
    explain: Callable[[str, str, str], str] = lambda kind, namespace, name: ""

    def requests(self) -> list[Entry]:
        """Returns the requests of the code under test."""
        entries = self.journal.entries() if self.journal is not None else []
        return [entry for entry in entries if is_of_code_under_test(entry)]

    def events_about(self, obj: Object) -> list[Object]:
        """Returns the events about an object, oldest first; [] if the server does not list them."""
        metadata = obj["metadata"]
        fields = {"involvedObject.kind": obj["kind"], "involvedObject.name": metadata["name"]}
        if metadata.get("namespace"):
            fields["involvedObject.namespace"] = metadata["namespace"]
        selector = ",".join(f"{field}={value}" for field, value in fields.items())
        try:
            listed = self.wire.request("GET", _EVENTS, query={"fieldSelector": selector}, observes=True)
        except StatusError:
            return []
        return in_order(listed["items"])

    def items(self, name: str) -> list[Object]:
        """Returns the objects of a resource in all namespaces; [] if the server does not list them."""
        try:
            resource = ServedKinds().find(self.wire, name)
            listed = self.wire.request("GET", resource.path(), observes=True)
        except (StatusError, ValueError):
            return []
        return items_of(listed, resource)

    def explanation(self, resource: ServedResource, namespace: str, name: str) -> str:
        """Returns a text with the history and the events of an object, and the requests of the code under
        test.

        For a pod or a claim, the text also explains why the object waits.
        """
        from fakeapi.testing.object_history import history_of  # noqa: PLC0415 - loaded only for a message

        entries = self.journal.entries() if self.journal is not None else []
        history = history_of(self.wire, entries, resource, namespace, name)
        lines = section(
            "its history:", [line for change in history[-VERSIONS_MAX:] for line in change.lines()]
        )
        if history:
            events = self.events_about(history[-1].object)[-EVENTS_MAX:]
            lines += section("its events:", [event_line(event) for event in events])
        if resource.plural in ("pods", "resourceclaims"):
            why = self.explain(resource.kind, namespace, name).splitlines()
            lines += section("why:", [line for line in why if line.strip()][:WHY_LINES_MAX])
        return "\n".join([*lines, self.around()]).rstrip()

    def around(self) -> str:
        """Returns the last requests of the code under test as text, and whether the clock is frozen."""
        lines = []
        if self.journal is not None:
            lines = _last("requests of the code under test", self.requests())
            lines = lines or self._requests_of_helper() or ["the code under test has sent no request"]
        if frozen := self.frozen():
            lines.append(
                f"the clock of the server is frozen at {frozen}; advance it for work that waits for time"
            )
        return "\n".join(lines)

    def _requests_of_helper(self) -> list[str]:
        """Returns the last requests of the test's own clients as lines of text; [] without requests."""
        entries = self.journal.entries() if self.journal is not None else []
        own = [entry for entry in entries if entry.agent == HELPER]
        return _last(f"only requests of the fixture itself: {len(own)}, below", own) if own else []

    def notes(self, listener: Callable[[Entry], None]) -> AbstractContextManager[object]:
        """Returns a context manager. During its block, `listener` receives each new request in the server's
        thread.

        Without a journal, `listener` receives no requests.
        """
        return nullcontext() if self.journal is None else self.journal.listening(listener)


def is_of_code_under_test(entry: Entry) -> bool:
    """Whether a request comes neither from the test's own clients nor from a part of the server itself."""
    return entry.agent != HELPER and not BUILT_IN.search(entry.agent)


def in_order(events: Sequence[Object]) -> list[Object]:
    """Returns events sorted by their last time, and then by resourceVersion."""
    return sorted(events, key=lambda each: (_time_of(each), int(each["metadata"]["resourceVersion"])))


def event_line(event: Object) -> str:
    """Returns an event as one line, such as "… Warning FailedScheduling Pod default/p: 0/1 nodes …"."""
    about = event.get("involvedObject") or {}
    place = "/".join(part for part in (about.get("namespace", ""), about.get("name", "")) if part)
    count = event.get("count") or (event.get("series") or {}).get("count") or 1
    times = f" ({count} times)" if count > 1 else ""
    words = (event.get("type", ""), event.get("reason", ""), about.get("kind", ""), place)
    return f"{_time_of(event)}  {' '.join(filter(None, words))}: {event.get('message', '')}{times}"


def _time_of(event: Object) -> str:
    times = (event.get("lastTimestamp"), event.get("eventTime"), event["metadata"].get("creationTimestamp"))
    return next((str(time) for time in times if time), "")


def _last(title: str, entries: Sequence[Entry]) -> list[str]:
    """Returns a title and the last REQUESTS_MAX requests as lines; [] without requests."""
    shown = [str(entry) for entry in entries[-REQUESTS_MAX:]]
    earlier = f" (the last {len(shown)} of {len(entries)})" if len(entries) > len(shown) else ""
    return section(f"{title}{earlier}:", shown)


def section(title: str, lines: Sequence[str]) -> list[str]:
    """Returns lines of text: the title and the indented lines. Returns [] if `lines` is empty."""
    return [title, *(f"    {line}" for line in lines)] if lines else []


def placed(resource: ServedResource, namespace: str, name: str) -> str:
    """Returns an object as text, such as "ResourceClaim default/gpu"."""
    return f"{resource.kind} {namespace}/{name}" if resource.namespaced else f"{resource.kind} {name}"
