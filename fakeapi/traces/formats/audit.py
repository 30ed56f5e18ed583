"""Reads Kubernetes audit logs (`audit.k8s.io/v1`): files with one Event or EventList in JSON per line.

An audit log has neither headers nor watch events. At the audit level Request it has no response bodies, and
at the level Metadata it has no bodies. Each exchange lists its missing parts and its inferred facts.

The format follows the types of `k8s.io/apiserver/pkg/apis/audit/v1`, and logs of kube-apiserver 1.29 to 1.33.
"""

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Raw, UnsetType

from fakeapi.clients.messages import Response
from fakeapi.machinery.codec import JsonError, decode
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.meta.request_info import first_values
from fakeapi.machinery.patch.media_types import STRATEGIC_MERGE_PATCH
from fakeapi.traces.actors import actor
from fakeapi.traces.formats import native_lines, patch_types
from fakeapi.traces.formats.native import lines_of
from fakeapi.traces.model import Ending, Exchange, Gap, Inference, Inferred, Missing, Request, TraceError

VERSION = "audit.k8s.io/v1"

OPEN_MAX = 100_000
"""Maximum number of unfinished requests in memory.

Over the limit, the oldest unfinished request becomes an exchange without an end.
"""

_METHODS = {
    "get": "GET",
    "list": "GET",
    "watch": "GET",
    "create": "POST",
    "update": "PUT",
    "patch": "PATCH",
    "delete": "DELETE",
    "deletecollection": "DELETE",
    "post": "POST",
    "put": "PUT",
    "head": "HEAD",
    "options": "OPTIONS",
    "connect": "POST",
}
_WITH_BODY = frozenset({"create", "update", "patch", "post", "put"})
_RELEASE = lazy_pattern(r"(?:k8s|kubernetes|kube|v|release)[-_.]?(1\.\d{2})(?!\d)")
_META_GROUP = "meta.k8s.io"
_CONVERTED = b'"meta.k8s.io/'
_CONVERSIONS = frozenset({"PartialObjectMetadata", "PartialObjectMetadataList", "Table"})
"""The kinds to which a server converts objects if the client's Accept header asks for them."""
_JSON = "application/json"
_DEFAULT_TIMEOUT = 1800.0
"""Minimum seconds after which kube-apiserver ends a watch without timeoutSeconds."""


_Filled = Annotated[str, msgspec.Meta(min_length=1)]


class _User(msgspec.Struct):
    username: str = ""
    groups: tuple[str, ...] | None = None


class _Reference(msgspec.Struct):
    api_group: str = msgspec.field(default="", name="apiGroup")
    resource: str = ""
    subresource: str = ""


class _Status(msgspec.Struct, omit_defaults=True):
    code: int = 0
    status: str = ""


class _Event(msgspec.Struct):
    """An Event of an audit log: one stage of a request."""

    level: Literal["Metadata", "Request", "RequestResponse"]
    audit_id: str = msgspec.field(name="auditID")
    stage: Literal["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"]
    request_uri: _Filled = msgspec.field(name="requestURI")
    verb: _Filled
    received: str = msgspec.field(name="requestReceivedTimestamp")
    staged: str = msgspec.field(name="stageTimestamp", default="")
    user: _User = msgspec.field(default_factory=_User)
    impersonated: _User | None = msgspec.field(default=None, name="impersonatedUser")
    agent: str = msgspec.field(default="", name="userAgent")
    reference: _Reference | None = msgspec.field(default=None, name="objectRef")
    status: Raw | UnsetType = msgspec.field(default=UNSET, name="responseStatus")
    request: Raw | UnsetType = msgspec.field(default=UNSET, name="requestObject")
    response: Raw | UnsetType = msgspec.field(default=UNSET, name="responseObject")
    annotations: dict[str, str] | None = None


class _Kind(msgspec.Struct):
    kind: str = ""
    api_version: str = msgspec.field(default="", name="apiVersion")
    items: tuple[Raw, ...] = ()


_decode_kind = msgspec.json.Decoder(_Kind).decode
_decode_event = msgspec.json.Decoder(_Event).decode
_decode_status = msgspec.json.Decoder(_Status).decode


def is_audit(line: bytes) -> bool:
    """Whether the first line of a file belongs to an audit log. The line can be incomplete."""
    return b'"audit.k8s.io/' in line[:4096]


def release_of(path: Path) -> str:
    """Returns the release in the name of a file; "" for none. "audit-k8s1.31.jsonl" gives "1.31"."""
    match = _RELEASE.search(path.name)
    return match[1] if match else ""


class AuditLog:
    """The exchanges of an audit log, in the order in which they ended.

    Offsets are in seconds since the Unix epoch. Each request is one exchange, even if the log lacks some
    stages.

    `assume`: the media type of a patch if the log does not show the actual type.
    """

    def __init__(self, path: Path, *, assume: str = STRATEGIC_MERGE_PATCH) -> None:
        self.path = path
        self._assume = assume
        self._begun: dict[str, tuple[int, _Event]] = {}
        self._next = 0

    def __iter__(self) -> Iterator[tuple[int, Exchange]]:
        """Yields pairs of line number and exchange. Raises TraceError at the first invalid line."""
        self._begun, self._next = {}, 0
        for number, event in self._events():
            if event.stage in {"ResponseComplete", "Panic"}:
                begun = self._begun.pop(event.audit_id, None)
                yield self._exchange(begun[0] if begun else number, event)
                continue
            self._begun[event.audit_id] = (number, event)
            if len(self._begun) > OPEN_MAX:
                yield self._exchange(*self._begun.pop(next(iter(self._begun))))
        for number, event in self._begun.values():
            yield self._exchange(number, event)

    def _events(self) -> Generator[tuple[int, _Event], None, None]:
        for number, line in lines_of(self.path):
            try:
                head = _decode_kind(line)
                self._check(number, head)
                if head.kind == "EventList":
                    for item in head.items:
                        yield number, _decode_event(item)
                else:
                    yield number, _decode_event(line)
            except native_lines.MALFORMED as error:
                raise native_lines.explain(str(self.path), number, error) from error

    def _check(self, number: int, head: _Kind) -> None:
        if head.kind not in {"Event", "EventList"} or not head.api_version.startswith("audit.k8s.io/"):
            kind = f"{head.api_version} {head.kind}".strip() or "without a kind"
            raise TraceError(str(self.path), number, "kind", f"is not that of an audit Event: {kind}")
        if head.api_version != VERSION:
            message = f"{head.api_version} is not supported, only {VERSION}"
            raise TraceError(str(self.path), number, "apiVersion", message)

    def _exchange(self, number: int, event: _Event) -> tuple[int, Exchange]:
        self._next += 1
        return number, _Translation(self, number, event).exchange(self._next)

    @property
    def assume(self) -> str:
        return self._assume

    def time(self, number: int, field: str, text: str) -> float:
        try:
            return native_lines.seconds_of(text)
        except ValueError as error:
            raise TraceError(str(self.path), number, field, str(error)) from error


class _Translation:
    """Converts an Event of an audit log to an exchange."""

    def __init__(self, log: AuditLog, number: int, event: _Event) -> None:
        self._log = log
        self._number = number
        self._event = event
        self._missing = [Missing(Gap.HEADERS)]
        self._inferred: list[Inferred] = []

    def exchange(self, identity: int) -> Exchange:
        event, log, number = self._event, self._log, self._number
        received = log.time(number, "requestReceivedTimestamp", event.received)
        ended_at = log.time(number, "stageTimestamp", event.staged) if event.staged else received
        duration = max(0.0, ended_at - received)
        if (event.annotations or {}).get("audit.k8s.io/truncated"):
            self._missing.append(Missing(Gap.TRUNCATED_BODIES, "the audit log truncated them"))
        response = self._response()
        watching = event.verb == "watch" and response is not None and response.status == 200
        ended: Ending = self._ended(duration) if watching else ""
        if watching:
            self._missing.append(Missing(Gap.WATCH_EVENTS))
        request = self._request(response)
        user = event.impersonated.username if event.impersonated else event.user.username
        return Exchange(
            identity,
            received,
            actor(event.agent, user),
            request,
            response,
            duration,
            () if watching else None,
            ended,
            tuple(self._missing),
            tuple(self._inferred),
            f"{log.path}:{number}",
        )

    def _request(self, response: Response | None) -> Request:
        event = self._event
        body = _bytes(event.request)
        if not body and event.verb in _WITH_BODY:
            self._missing.append(Missing(Gap.REQUEST_BODY))
        elif event.verb in {"delete", "deletecollection"} and event.level == "Metadata":
            self._missing.append(Missing(Gap.OPTIONAL_REQUEST_BODY))
        headers = [("user-agent", event.agent)] if event.agent else []
        if event.impersonated:
            headers.append(("impersonate-user", event.impersonated.username))
            headers.extend(("impersonate-group", group) for group in event.impersonated.groups or ())
        if shape := self._representation(response):
            headers.append(("accept", shape))
        if body or event.verb == "patch":
            headers.append(("content-type", self._media_type(body, response)))
        return Request(self._method(), event.request_uri, tuple(headers), body)

    def _representation(self, response: Response | None) -> str:
        """Returns the Accept header for a response with a Table or only metadata; "" for other responses."""
        answer = _value(response.body) if response is not None and _CONVERTED in response.body else None
        if not isinstance(answer, dict):
            return ""
        kind, (group, _, version) = answer.get("kind"), str(answer.get("apiVersion")).partition("/")
        if kind not in _CONVERSIONS or group != _META_GROUP:
            return ""
        self._inferred.append(Inferred(Inference.REPRESENTATION, f"{kind} (the answer is one)"))
        return f"{_JSON};as={kind};g={group};v={version}"

    def _method(self) -> str:
        verb = self._event.verb
        if verb == "connect" or verb not in _METHODS:
            method = _METHODS.get(verb, verb.upper())
            self._inferred.append(Inferred(Inference.METHOD, f"{method} for the verb {verb}"))
        return _METHODS.get(verb, verb.upper())

    def _media_type(self, body: bytes, response: Response | None) -> str:
        event = self._event
        if event.verb != "patch":
            return _JSON
        self._missing.append(Missing(Gap.PATCH_TYPE))
        media_type, reason = patch_types.infer(
            _value(body),
            query=event.request_uri.partition("?")[2],
            group=event.reference.api_group if event.reference else "",
            agent=event.agent,
            answer=_value(response.body) if response is not None and response.status < 300 else None,
            assume=self._log.assume,
        )
        self._inferred.append(Inferred(Inference.PATCH_TYPE, f"{patch_types.NAMES[media_type]} ({reason})"))
        return media_type

    def _response(self) -> Response | None:
        event = self._event
        status_json = _bytes(event.status)
        if not status_json:
            self._missing.append(Missing(Gap.RESPONSE))
            return None
        try:
            status = _decode_status(status_json)
        except native_lines.MALFORMED as error:
            problem = native_lines.explain(str(self._log.path), self._number, error)
            field = f"responseStatus.{problem.field}".rstrip(".")
            raise TraceError(problem.path, problem.line, field, problem.message) from error
        if not 100 <= status.code <= 999:
            raise TraceError(
                str(self._log.path),
                self._number,
                "responseStatus.code",
                f"{status.code} is not an HTTP status",
            )
        body = _bytes(event.response)
        if not body and status.status == "Failure":
            body = _whole_status(status_json)
            self._inferred.append(Inferred(Inference.RESPONSE_BODY, "from responseStatus"))
        if not body and event.verb != "watch":
            self._missing.append(Missing(Gap.RESPONSE_BODY))
        if body and b'"uid":' in body and b'"managedFields":' not in body:
            self._missing.append(Missing(Gap.MANAGED_FIELDS))
        return Response(status.code, (("content-type", _JSON),) if body else (), body)

    def _ended(self, duration: float) -> Ending:
        event = self._event
        if event.stage == "ResponseStarted":
            return "open"
        named = first_values(event.request_uri.partition("?")[2]).get("timeoutSeconds", "")
        limit = (float(named) if named.isdecimal() else 0.0) or _DEFAULT_TIMEOUT
        over = duration >= limit
        ended: Ending = "server" if over else "client"
        when = "after its timeout" if over else "before its timeout"
        self._inferred.append(Inferred(Inference.WATCH_END, f"the {ended} ({when})"))
        return ended


def _bytes(raw: Raw | UnsetType) -> bytes:
    """Returns the bytes of a JSON value in the log; empty for null or a missing value."""
    data = b"" if raw is UNSET else bytes(raw)
    return b"" if data == b"null" else data


def _value(data: bytes) -> object:
    try:
        return decode(data) if data else None
    except JsonError:
        return None


def _whole_status(data: bytes) -> bytes:
    """Returns a Status with `kind` and `apiVersion`, which `responseStatus` in an audit log lacks."""
    if b'"apiVersion":' in data[:200] or not data.startswith(b"{"):
        return data
    return b'{"kind":"Status","apiVersion":"v1",' + data[1:]
