"""Lists the requests in the journal, and returns one request with its bodies."""

from itertools import islice
from math import inf
from typing import Any

import msgspec

from fakeapi.control.errors import refused
from fakeapi.control.moments import moment_of
from fakeapi.control.route import Call, Route
from fakeapi.journal.checking import OtherReleaseError, check_pattern
from fakeapi.journal.entry import Entry
from fakeapi.journal.journal import ENTRIES_MAX
from fakeapi.journal.pattern import PatternError, RequestPattern
from fakeapi.journal.progress import WatchProgress
from fakeapi.machinery.lazy_pattern import lazy_pattern

LAST_DEFAULT = 100
"""Default maximum number of requests in a response; older requests are omitted."""

REQUEST_BYTES = 1024
"""Estimated size of one request in a response, in bytes, without its error message."""


_CODE = lazy_pattern("[1-5]([0-9]{2}|xx)")


class WatchView(msgspec.Struct, rename="camel"):
    """The progress of a watch.

    - `events` and `bookmarks`: the numbers of events and bookmarks that the server has sent.
    - `behind`: the number of events that the server still has to send.
    - `resource_version`: the resourceVersion of the last sent event; "" before the first event.
    - `bookmark_version`: the resourceVersion of the last sent bookmark; "" before the first bookmark.
    """

    open: bool
    events: int
    bookmarks: int
    behind: int
    resource_version: str
    bookmark_version: str


class RequestView(msgspec.Struct, rename="camel", omit_defaults=True):
    """A request in the journal, without its bodies. Empty fields are omitted.

    - `received`: when the request arrived, in seconds since the epoch.
    - `seconds`: the time until the end of the response, in seconds.
    - `code`: the status code; 0 without a response.
    - `resource`: the resource with its subresource, such as `pods/status`.
    - `generate_name`: the generateName of a create whose object has no name; "" otherwise.
    - `reason` and `message`: from the Status in an error response.
    - `before` and `after`: the resourceVersion of the object before and after a write.
    - `sent_bytes`: the size of the request body in bytes.
    - `faults`: the names of the faults that affected the request.
    - `text`: the request as one line of text.
    """

    number: int
    received: float
    seconds: float
    method: str
    path: str
    code: int
    verb: str = ""
    query: str = ""
    group: str = ""
    version: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    generate_name: str = ""
    user: str = ""
    agent: str = ""
    reason: str = ""
    message: str = ""
    before: str = ""
    after: str = ""
    sent_bytes: int = 0
    faults: tuple[str, ...] = ()
    watch: WatchView | None = None
    text: str = ""


class RequestWithBodies(RequestView, rename="camel", omit_defaults=True):
    """A request in the journal with its bodies, if the journal keeps bodies.

    `body` is the request body, `answer` the response body.
    """

    body: Any = None
    answer: Any = None


class RequestList(msgspec.Struct, rename="camel"):
    """Requests, oldest first.

    - `total`: the number of requests since the start of the server.
    - `forgotten`: the number of requests that the journal has dropped.
    """

    requests: list[RequestView]
    total: int
    forgotten: int


class RequestQuery(msgspec.Struct, forbid_unknown_fields=True):
    """The query for requests.

    `verb`, `resource`, `namespace`, `name`, `user` and `agent` are as in RequestPattern. The server refuses
    a misspelled resource with 400, and suggests the nearest name.

    - `code`: the status code; 0 for all.
    - `codes`: status codes separated by commas, such as `409,5xx`; "" for all. `0` means no response.
    - `text`: a text in the path, query, user, agent, object's name, message or a fault's name; ignores case;
      "" for all.
    - `heartbeats`: whether to return requests for Leases, and writes of the status of nodes.
    - `after`: the number of a request; only later requests are returned.
    - `before`: the number of a request; only earlier requests are returned. 0 for no limit.
    - `since` and `until`: return only requests that arrived from `since` to `until`; "" for no limit. Both
      are a time in RFC 3339, a time of the current day in UTC such as `12:30:05`, or a duration before now
      such as `10m`.
    - `last`: the maximum number of requests to return; the newest are returned.
    """

    verb: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    user: str = ""
    agent: str = ""
    code: int = 0
    codes: str = ""
    text: str = ""
    heartbeats: bool = True
    after: int = 0
    before: int = 0
    since: str = ""
    until: str = ""
    last: int = LAST_DEFAULT


class RequestFilter:
    """Selects the journal entries that match a query: a RequestQuery, or the query of /events."""

    def __init__(self, query: Any) -> None:
        """Compiles the query. Raises ApiError 400 for an invalid pattern or status code."""
        self.pattern = pattern_of(query)
        self._code: int = query.code
        self._codes = _codes(query.codes)
        self._text: str = query.text.lower()
        self._heartbeats: bool = query.heartbeats

    def matches(self, entry: Entry) -> bool:
        """Whether the query selects a journal entry."""
        if self._code and entry.code != self._code:
            return False
        if self._codes and not self._codes & {str(entry.code), f"{entry.code // 100}xx"}:
            return False
        if not self._heartbeats and is_heartbeat(entry):
            return False
        if self._text and not any(self._text in text.lower() for text in _texts(entry)):
            return False
        return self.pattern.matches(entry)


def is_heartbeat(entry: Entry) -> bool:
    """Whether a request is a heartbeat: a request for Leases, or a write of the status of a node."""
    path = entry.record.raw_path
    if b"/leases" not in path and b"/nodes/" not in path:
        return False
    return entry.info.resource == "leases" or (entry.resource == "nodes/status" and entry.method != "GET")


def _codes(text: str) -> frozenset[str]:
    """Parses status codes such as `409,5xx`. Raises ApiError 400 for any other text."""
    codes = frozenset(filter(None, (part.strip().lower() for part in text.split(","))))
    for code in codes:
        if code != "0" and not _CODE.fullmatch(code):
            raise refused(400, f"codes: {code!r} is neither a status code nor a class such as 4xx")
    return codes


def _texts(entry: Entry) -> tuple[str, ...]:
    return entry.path, entry.query, entry.user, entry.agent, entry.name, entry.message, *entry.faults


def view_of(entry: Entry) -> RequestView:
    """Converts a journal entry to a RequestView, without the bodies of request and response."""
    return RequestView(**_members(entry))


def pattern_of(query: Any) -> RequestPattern:
    """Returns the RequestPattern of a query. Raises ApiError 400 for an invalid pattern."""
    names = ("verb", "resource", "namespace", "name", "user", "agent")
    try:
        return RequestPattern(**{name: getattr(query, name) for name in names})
    except PatternError as error:
        raise refused(400, str(error)) from None


def _members(entry: Entry) -> dict[str, Any]:
    info = entry.info
    return {
        "number": entry.number,
        "received": entry.received,
        "seconds": entry.seconds,
        "method": entry.method,
        "path": entry.path,
        "code": entry.code,
        "verb": entry.verb,
        "query": entry.query,
        "group": info.group,
        "version": info.version,
        "resource": entry.resource,
        "namespace": entry.namespace,
        "name": entry.name,
        "generate_name": _generate_name(entry),
        "user": entry.user,
        "agent": entry.agent,
        "reason": entry.reason,
        "message": entry.message,
        "before": entry.before,
        "after": entry.after,
        "sent_bytes": entry.record.sent_bytes,
        "faults": entry.faults,
        "watch": None if entry.watch is None else _watch(entry.watch),
        "text": str(entry),
    }


def _generate_name(entry: Entry) -> str:
    body = entry.body if entry.verb == "create" and not entry.name else None
    metadata = body.get("metadata") if isinstance(body, dict) else None
    prefix = metadata.get("generateName") if isinstance(metadata, dict) else None
    return prefix if isinstance(prefix, str) else ""


def _watch(progress: WatchProgress) -> WatchView:
    versions = (str(version or "") for version in (progress.version, progress.bookmark_version))
    return WatchView(progress.is_open, progress.sent, progress.bookmarks, progress.behind, *versions)


async def read(call: Call) -> RequestList:
    query: RequestQuery = call.query
    selected, journal = RequestFilter(query), call.server.cluster.journal
    now = call.server.cluster.clock.now()
    since = moment_of("since", query.since, now) if query.since else -inf
    until = moment_of("until", query.until, now) if query.until else inf
    matching = (
        entry
        for entry in journal.newest_entries(query.after)
        if (not query.before or entry.number < query.before)
        and since <= entry.received <= until
        and selected.matches(entry)
    )
    last_entries = [*islice(matching, min(max(0, query.last), ENTRIES_MAX))][::-1]
    if not last_entries:
        _check_names(selected.pattern, call)
    async with call.room(sum(REQUEST_BYTES + len(entry.bodies.answer) for entry in last_entries)):
        return RequestList([view_of(entry) for entry in last_entries], journal.last, journal.forgotten)


def _check_names(pattern: RequestPattern, call: Call) -> None:
    """Raises ApiError 400 for a pattern that matches no request and cannot match any request.

    Such a pattern has a misspelled name. Accepts resources of other releases, and resources of deleted
    CustomResourceDefinitions while the journal has requests for them.
    """
    cluster = call.server.cluster
    try:
        check_pattern(pattern, cluster.catalogue)
    except OtherReleaseError:
        return
    except PatternError as error:
        if not any(map(pattern.matches, cluster.journal.newest_entries(0))):
            raise refused(400, str(error)) from None


async def read_one(call: Call) -> RequestWithBodies:
    number = call.path["number"]
    is_number = number.isascii() and number.isdecimal() and len(number) < 19
    entry = call.server.cluster.journal.entry(int(number)) if is_number else None
    if entry is None:
        raise refused(404, f"the journal has no request {number[:20]!r}")
    return RequestWithBodies(**_members(entry), body=_as_json(entry.body), answer=_as_json(entry.answer))


def _as_json(body: Any) -> Any:
    """Returns a body as a value that can be encoded as JSON.

    Decodes bytes as UTF-8; U+FFFD replaces invalid bytes.
    """
    return body.decode("utf-8", "replace") if isinstance(body, bytes) else body


async def clear(call: Call) -> None:
    call.server.cluster.journal.clear()


ROUTES = (
    Route("GET", "/requests", read, "The last requests, filtered.", answer=RequestList, query=RequestQuery),
    Route("DELETE", "/requests", clear, "Delete all requests from the journal."),
    Route("GET", "/requests/{number}", read_one, "One request with its bodies.", answer=RequestWithBodies),
)
