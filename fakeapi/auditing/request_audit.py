"""RequestAudit: collects the data of one request for the audit log, and writes the request's audit events.

Follows `AuditContext` of k8s.io/apiserver `pkg/audit/context.go`.
"""

from collections.abc import Callable, Iterable, Iterator

from fakeapi.auditing.bodies import patch_as_json, without_managed_fields
from fakeapi.auditing.event import Event
from fakeapi.auditing.policy import Decision, Level, Stage
from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object
from fakeapi.registry.identity.users import User

_REFERENCE_MEMBERS = ("namespace", "name", "uid", "resourceVersion")
_REFERENCE_ORDER = (
    *("resource", "namespace", "name", "uid", "apiGroup", "apiVersion"),
    *("resourceVersion", "subresource"),
)
_DECISION, _REASON = "authorization.k8s.io/decision", "authorization.k8s.io/reason"
_CLOSED = {"status": "Success", "message": "Connection closed early"}
"""The status in the event of a request whose client got no response."""


class RequestAudit:
    """The audit of one request.

    Handlers call the methods while they work on the request. The methods write nothing if the policy does not
    log the request.

    - `write`: appends a line to the audit log.
    - `now`: returns the time of the cluster in seconds since the epoch.
    - `sources`: the addresses from which the request came.
    """

    def __init__(self, write: Callable[[bytes], None], now: Callable[[], float], sources: list[str]) -> None:
        self._write = write
        self._now = now
        self.sources = sources
        self._event: Event | None = None
        self._decision = Decision(Level.NONE)
        self._response = b""
        self._panic = ""
        self.began = False
        """Whether the policy has decided about the request."""

    @property
    def is_logged(self) -> bool:
        return self._event is not None

    def begin(self, decision: Decision, event: Callable[[Level], Event]) -> None:
        """Sets the decision of the policy. `event`: creates the event; not called at the level None."""
        self.began, self._decision = True, decision
        if decision.level is not Level.NONE:
            self._event = event(decision.level)

    def reject(self, code: int) -> None:
        """Writes the only event of a request that ended before authentication, such as with 401."""
        self.start_response(code, is_long=True)
        self._event = None

    def reach(self, stage: Stage) -> None:
        """Writes the event of a stage, unless the policy omits the stage."""
        event = self._event
        if event is None or stage in self._decision.omit_stages:
            return
        self._write(event.line(stage, self._now()))

    def note_user(self, user: User) -> None:
        """Keeps the impersonated user, if `user` is not the user that the server authenticated."""
        if self._event is not None and user is not self._event.user:
            self._event.impersonated = user

    def note_decision(self, *, allowed: bool, reason: str) -> None:
        """Keeps the decision of the authorizer."""
        if self._event is not None:
            annotations = {_DECISION: "allow" if allowed else "forbid", _REASON: reason}
            self._event.annotations.update(annotations)

    def note_object(self, obj: Object) -> None:
        """Keeps the namespace, name, uid and resourceVersion of the object in the body of a request.

        From the level Request on, also keeps the object.
        """
        if self._event is None:
            return
        metadata = obj.get("metadata") or {}
        reference = self._event.reference
        more = {name: metadata[name] for name in _REFERENCE_MEMBERS if metadata.get(name)}
        merged = {**more, **reference}
        self._event.reference = {name: merged[name] for name in _REFERENCE_ORDER if name in merged}
        self._note_request(obj)

    def note_delete_options(self, options: Object) -> None:
        """Keeps the DeleteOptions in the body of a request, in the version that upstream logs.

        Does nothing below the level Request.
        """
        kind = {"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/__internal"}
        self._note_request({**kind, **{name: options[name] for name in options if name not in kind}})

    def _note_request(self, obj: Object) -> None:
        if self._event is not None and self._decision.level >= Level.REQUEST:
            self._event.request = self._shown(codec.encode(obj))

    def note_patch(self, patch: bytes) -> None:
        """Keeps a patch, from the level Request on. Converts YAML to JSON; leaves other text out."""
        if self._event is not None and self._decision.level >= Level.REQUEST:
            self._event.request = patch_as_json(patch)

    def note_response(self, body: bytes) -> None:
        """Keeps the JSON of the object in the response. Can be called before `begin`."""
        self._response = body

    def collected(self, start: bytes, pieces: Iterable[bytes]) -> Iterable[bytes]:
        """Returns the pieces of a long response. Also keeps the pieces, if the event contains the response.

        `start`: the part of the response before the pieces. The event omits a response that the client does
        not read to its end.
        """
        return self._kept(start, pieces) if self._wants_response() else pieces

    def _kept(self, start: bytes, pieces: Iterable[bytes]) -> Iterator[bytes]:
        parts = [start]
        for piece in pieces:
            parts.append(piece)
            yield piece
        self._response = b"".join(parts)

    def _wants_response(self) -> bool:
        """Whether the event contains the object of the response."""
        return self._event is not None and self._decision.level is Level.REQUEST_RESPONSE

    def note_panic(self, message: str) -> None:
        """Marks the request as ended by an unexpected error. The last audit event contains `message`."""
        self._panic = message

    def start_response(self, code: int, *, is_long: bool) -> None:
        """Sets the status of the response, when its first byte is about to be sent.

        `is_long`: whether the request has the stage ResponseStarted.
        """
        if self._event is None:
            return
        self._event.code = code
        self._take_response()
        if is_long:
            self.reach(Stage.RESPONSE_STARTED)

    def end(self, *, is_long: bool) -> None:
        """Writes the last event. `is_long`: whether the request has the stage ResponseStarted."""
        event = self._event
        if event is None:
            return
        if self._panic:
            event.fail(self._panic)
            self.reach(Stage.PANIC)
            return
        if event.code:
            self._take_response()
        else:
            event.code, event.status = 200, dict(_CLOSED)
            if is_long:
                self.reach(Stage.RESPONSE_STARTED)
        self.reach(Stage.RESPONSE_COMPLETE)

    def _take_response(self) -> None:
        """Moves the noted response into the event. A long response is noted only when all of it was sent."""
        event, body, self._response = self._event, self._response.rstrip(b"\n"), b""
        if event is not None and body:
            event.take_status(body)
            event.response = self._shown(body) if self._wants_response() else b""

    def _shown(self, body: bytes) -> bytes:
        return without_managed_fields(body) if self._decision.omit_managed_fields else body
