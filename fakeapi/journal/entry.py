"""Entry: one request in the journal. Its properties are computed when they are read."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import unquote

from fakeapi.journal.progress import WatchProgress
from fakeapi.machinery.meta.request_info import RequestInfo, parse

_NO_RESOURCE = RequestInfo("")


Raw = tuple[
    float, float, str, bytes, bytes, str, str, bytes, int, int, tuple[str, int, int], tuple[str, ...],
    WatchProgress | None,
]  # fmt: skip
"""The members of a Record. A plain tuple of plain values costs the garbage collector nothing, however many
there are; a named one does.
"""


class Record(NamedTuple):
    """A request as the server records it.

    `sent_bytes` is the length of its body. `written` contains the name of the written object and its
    resourceVersions before and after the write.
    """

    received: float
    seconds: float
    method: str
    raw_path: bytes
    query: bytes
    verb: str
    user: str
    agent: bytes
    code: int
    sent_bytes: int
    written: tuple[str, int, int]
    faults: tuple[str, ...]
    watch: WatchProgress | None


class Bodies(NamedTuple):
    """The bodies of a request and its response; a body that is not kept is empty."""

    sent: bytes = b""
    answer: bytes = b""


@dataclass(frozen=True, eq=False)
class Entry:
    """A request in the journal.

    - `number` counts from 1 and is unique until the journal is cleared.
    - `code` is the HTTP status, or 0 if no response was sent.
    - `name` is the name of the object, including a name that the server generated.
    - `before` and `after` are the resourceVersions of the written object; "" if it did not exist then, or if
      the request did not write.
    - `seconds` is the time from the request's head to its response, by the server's clock; for a watch, to
      the first event.
    """

    number: int
    record: Record
    bodies: Bodies

    @property
    def verb(self) -> str:
        """The Kubernetes verb, such as "list"; without a resource, the method in lower case."""
        return self.record.verb

    @property
    def code(self) -> int:
        """The HTTP status of the response; 0 if no response was sent."""
        return self.record.code

    @property
    def user(self) -> str:
        """The name of the user."""
        return self.record.user

    @property
    def agent(self) -> str:
        """The client's User-Agent."""
        return self.record.agent.decode("utf-8", "replace")

    @property
    def received(self) -> float:
        """When the server received the request: seconds since the epoch, by the server's clock."""
        return self.record.received

    @property
    def seconds(self) -> float:
        """Seconds from the request's head to its response; for a watch, to the first event."""
        return self.record.seconds

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self.record.method

    @property
    def path(self) -> str:
        """The decoded path of the URL."""
        return unquote(self.record.raw_path.decode("latin-1"))

    @property
    def query(self) -> str:
        """The undecoded query string."""
        return self.record.query.decode("latin-1")

    @property
    def faults(self) -> tuple[str, ...]:
        """The names of the faults that affected the request."""
        return self.record.faults

    @property
    def watch(self) -> WatchProgress | None:
        """The progress of a watch; None for other requests."""
        return self.record.watch

    @cached_property
    def info(self) -> RequestInfo:
        """Group, version, resource and so on; all empty for a path without a resource."""
        return parse(self.path) or _NO_RESOURCE

    @property
    def resource(self) -> str:
        """The resource with its subresource: `resourceclaims/status`; "" for a path without one."""
        info = self.info
        return f"{info.resource}/{info.subresource}" if info.subresource else info.resource

    @property
    def namespace(self) -> str:
        """The namespace in the path; "" for cluster-scoped requests."""
        return self.info.namespace

    @property
    def name(self) -> str:
        """The name of the object; "" if the request has none."""
        return self.info.name or self.record.written[0] or self._sent_name

    @property
    def before(self) -> str:
        """The resourceVersion of the object before the write; "" if it did not exist."""
        return _version(self.record.written[1])

    @property
    def after(self) -> str:
        """The resourceVersion of the object after the write; "" if it no longer exists."""
        return _version(self.record.written[2])

    @property
    def body(self) -> Any:
        """The request's body: decoded if it is JSON, else bytes; None if it is empty or not kept."""
        return _decoded(self.bodies.sent)

    @property
    def answer(self) -> Any:
        """The response's body. By default only errors have one; with journal="bodies" all responses have."""
        return _decoded(self.bodies.answer)

    @property
    def reason(self) -> str:
        """The reason of an error, such as NotFound or Conflict; "" for a success."""
        return self._status("reason")

    @property
    def message(self) -> str:
        """The message of an error; "" for a success."""
        return self._status("message")

    def __str__(self) -> str:
        """Describes the request in one line."""
        time = datetime.fromtimestamp(self.received, UTC).strftime("%H:%M:%S.%f")[:-3]
        target = "/".join(part for part in (self.namespace, self.name) if part)
        subject = f"{self.resource} {target}".strip() if self.resource else f"{self.method} {self.path}"
        parts = [f"#{self.number}", time, self.verb if self.resource else "", subject, self._outcome()]
        if self.before or self.after:
            parts.append(f"version {self.before or '-'} → {self.after or '-'}")
        if self.watch is not None:
            parts.append(self._watched(self.watch))
        parts.append(f"{self.seconds * 1000:.1f} ms by {self.agent or '?'} ({self.user})")
        if self.faults:
            parts.append(f"fault: {', '.join(self.faults)}")
        return "  ".join(part for part in parts if part)

    def _outcome(self) -> str:
        if not self.code:
            return "no answer"
        return f"{self.code} {self.reason}".strip()

    @staticmethod
    def _watched(watch: WatchProgress) -> str:
        state = f"open, {watch.behind} behind" if watch.is_open else "ended"
        return f"{watch.sent} events, {state}"

    @property
    def _sent_name(self) -> str:
        body = self.body if self.verb == "create" else None
        metadata = body.get("metadata") if isinstance(body, dict) else None
        name = metadata.get("name") if isinstance(metadata, dict) else None
        return name if isinstance(name, str) else ""

    def _status(self, member: str) -> str:
        answer = self.answer if self.code >= 400 else None
        value = answer.get(member) if isinstance(answer, dict) else None
        return value if isinstance(value, str) else ""


def _version(revision: int) -> str:
    return str(revision) if revision else ""


def _decoded(body: bytes) -> Any:
    if not body:
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body
