"""Entry: one request in the journal. Most properties are computed only when a test reads them."""

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
"""The fields of a Record as a plain tuple, because Python's garbage collector does not track such tuples."""


class Record(NamedTuple):
    """A request as the server records it.

    - `received`: when the request arrived, in seconds since the epoch.
    - `seconds`: the duration of the request.
    - `code`: the status code; 0 without a response.
    - `sent_bytes`: the size of the request body.
    - `written`: the name of the written object, and its resourceVersions before and after (0 means none).
    - `faults`: the names of the faults that affected the request.
    - `watch`: the progress of a watch; None for other requests.
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
    """The bodies of a request (`sent`) and its response (`answer`); empty if they were not kept."""

    sent: bytes = b""
    answer: bytes = b""


@dataclass(frozen=True, eq=False)
class Entry:
    """A request in the journal.

    - `number`: counts from 1, and is unique until the journal is cleared.
    - `code`: the HTTP status; 0 if the server sent no response.
    - `name`: the name of the object, even if the server generated this name.
    - `before` and `after`: the object's resourceVersions before and after a write. "" if the object did not
      exist at that time, or if the request did not write.
    - `seconds`: the time from the request's head until the response is ready, by the server's clock. For a
      watch, the time until the watch is open.
    """

    number: int
    record: Record
    bodies: Bodies

    @property
    def verb(self) -> str:
        """The Kubernetes verb, such as "list"; the method in lower case for a path without a resource."""
        return self.record.verb

    @property
    def code(self) -> int:
        """The HTTP status of the response; 0 if the server sent no response."""
        return self.record.code

    @property
    def user(self) -> str:
        """The name of the user who sent the request."""
        return self.record.user

    @property
    def agent(self) -> str:
        """The User-Agent of the client."""
        return self.record.agent.decode("utf-8", "replace")

    @property
    def received(self) -> float:
        """When the server received the request: seconds since the epoch, by the server's clock."""
        return self.record.received

    @property
    def seconds(self) -> float:
        """Seconds from the request's head until the response was ready, or until a watch was open."""
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
        """The query string of the URL, percent-encoded."""
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
        """The parts of the path, such as group, version and resource.

        All parts are empty if the path has no resource.
        """
        return parse(self.path) or _NO_RESOURCE

    @property
    def resource(self) -> str:
        """The resource with its subresource, such as `resourceclaims/status`; "" without a resource."""
        info = self.info
        return f"{info.resource}/{info.subresource}" if info.subresource else info.resource

    @property
    def namespace(self) -> str:
        """The namespace in the path; "" for cluster-scoped requests."""
        return self.info.namespace

    @property
    def name(self) -> str:
        """The name of the object, from the path, the written object or the request body; "" if unknown."""
        return self.info.name or self.record.written[0] or self._sent_name

    @property
    def before(self) -> str:
        """The resourceVersion of the object before the write; "" if it did not exist or was not written."""
        return _version(self.record.written[1])

    @property
    def after(self) -> str:
        """The resourceVersion of the object after the write; "" if the object was deleted or not written."""
        return _version(self.record.written[2])

    @property
    def body(self) -> Any:
        """The request body: decoded if it is JSON, otherwise bytes; None if it is empty or was not kept."""
        return _decoded(self.bodies.sent)

    @property
    def answer(self) -> Any:
        """The response body: decoded if it is JSON, otherwise bytes; None if it is empty or was not kept.

        By default, the journal keeps only the bodies of error responses. With `journal="bodies"`, the journal
        keeps all bodies.
        """
        return _decoded(self.bodies.answer)

    @property
    def reason(self) -> str:
        """The reason in the Status of an error, such as NotFound or Conflict; "" for a success."""
        return self._status("reason")

    @property
    def message(self) -> str:
        """The message in the Status of an error; "" for a success."""
        return self._status("message")

    def __str__(self) -> str:
        """Returns one line with the request's number, time, verb, object, outcome and sender."""
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
