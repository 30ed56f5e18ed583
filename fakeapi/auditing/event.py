"""Event: the content of the audit log about one request.

Follows k8s.io/apiserver `pkg/audit/request.go` and `pkg/apis/audit/v1/types.go`.
"""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from fakeapi.auditing.policy import LEVEL_NAMES, Level, Stage
from fakeapi.machinery import codec
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.golang.times import micro_text
from fakeapi.machinery.json_types import Object
from fakeapi.registry.identity.users import User

_STATUS_START = b'{"kind":"Status",'
"""The first bytes of a Status in canonical JSON."""

_STATUS_MEMBERS = ("status", "message", "reason", "details")


@dataclass(slots=True)
class Event:
    """The content of the audit log about one request.

    - `user`: the authenticated user; None if the server rejected the credentials.
    - `impersonated`: the user of the Impersonate headers; None without these headers.
    - `reference`: the requested object, as the member `objectRef`; empty for other URLs.
    - `code`: the status of the response; 0 before the response starts.
    - `status`: the members of the response's Status; empty if the response is not a Status.
    - `request`, `response`: the objects of the request and the response as JSON; empty for none.
    """

    level: Level
    audit_id: str
    uri: str
    verb: str
    received: float
    user: User | None
    sources: list[str]
    agent: str
    reference: Object
    impersonated: User | None = None
    code: int = 0
    status: Object = field(default_factory=dict)
    request: bytes = b""
    response: bytes = b""
    annotations: dict[str, str] = field(default_factory=dict)

    def line(self, stage: Stage, now: float) -> bytes:
        """Returns the event of a stage as one line of JSON.

        `now`: the time of the stage. The event of RequestReceived contains the arrival time of the request
        instead.
        """
        at = self.received if stage is Stage.REQUEST_RECEIVED else now
        required = {
            "kind": "Event",
            "apiVersion": "audit.k8s.io/v1",
            "level": LEVEL_NAMES[self.level],
            "auditID": self.audit_id,
            "stage": stage.value,
            "requestURI": self.uri,
            "verb": self.verb,
            "user": _user(self.user),
        }
        optional = {
            "impersonatedUser": _user(self.impersonated),
            "sourceIPs": self.sources,
            "userAgent": self.agent,
            "objectRef": self.reference,
            "responseStatus": self._status(),
            "requestObject": msgspec.Raw(self.request) if self.request else None,
            "responseObject": msgspec.Raw(self.response) if self.response else None,
        }
        times = {"requestReceivedTimestamp": micro_text(self.received), "stageTimestamp": micro_text(at)}
        annotations = {"annotations": self.annotations} if self.annotations else {}
        return go_encode({**required, **_filled(optional), **times, **annotations}) + b"\n"

    def _status(self) -> Object:
        return {"metadata": {}, **self.status, "code": self.code} if self.code else {}

    def take_status(self, body: bytes) -> None:
        """Copies the members of a Status from a response body. Does nothing for other bodies."""
        if body.startswith(_STATUS_START):
            status = codec.decode(body)
            self.status = {name: status[name] for name in _STATUS_MEMBERS if name in status}

    def fail(self, message: str) -> None:
        """Sets the error 500 as response status, because the request ended with an unexpected error."""
        self.code, self.response = 500, b""
        self.status = {
            "status": "Failure",
            "message": f"APIServer panic'd: {message}",
            "reason": "InternalError",
        }


def _user(user: User | None) -> Object:
    """Returns a user as a UserInfo; an empty object for None."""
    if user is None:
        return {}
    extra = {key: list(values) for key, values in sorted(user.extra.items())}
    return _filled({"username": user.name, "uid": user.uid, "groups": list(user.groups), "extra": extra})


def _filled(members: dict[str, Any]) -> Object:
    return {name: value for name, value in members.items() if value}
