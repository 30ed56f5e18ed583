"""RequestContext: the data about one request that all filters and verbs share."""

import os
from typing import TYPE_CHECKING

import msgspec

from fakeapi.http.negotiation import Representation
from fakeapi.http.request import Request
from fakeapi.journal.progress import WatchProgress
from fakeapi.machinery.meta.request_info import RequestInfo
from fakeapi.registry.identity.users import TOKEN_HOLDER, User
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.options import ObjectReference, Warnings

if TYPE_CHECKING:
    from fakeapi.auditing.request_audit import RequestAudit

_NOTHING = ObjectReference()
_NOT_WRITTEN = ("", 0, 0)


def _audit_id() -> bytes:
    text = os.urandom(16).hex()
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-8{text[17:20]}-{text[20:]}".encode()


class RequestContext(msgspec.Struct):
    """The data about one request on its way through the filters to its verb.

    - `info`: the parts of the path; None for a path that is not below /api or /apis.
    - `verb`: a Kubernetes verb such as "list" or "deletecollection"; for a path without a resource, the HTTP
      method in lower case.
    - `received`: when the request arrived, in seconds since the epoch.
    - `user`: the user of the request; an administrator if the server requires no token.
    - `resource` and `object`: set by the router; the filters before the router use `info`.
    - `representation`: the result of content negotiation.
    - `id`: the Audit-ID of the request.
    - `written`: the name of the written object and its resourceVersions before and after, for the journal.
    - `faults`: the names of the faults that affected the request, for the journal.
    - `watch`: the progress of a watch, for the journal.
    - `audit`: the audit of the request; None if the audit log has nothing about the request.
    - `stale_at`: the revision at which a fault makes a watch start; None for the newest revision.
    """

    request: Request
    info: RequestInfo | None
    verb: str
    received: float
    user: User = TOKEN_HOLDER
    resource: Resource | None = None
    object: ObjectReference = _NOTHING
    warnings: Warnings = msgspec.field(default_factory=Warnings)
    representation: Representation = msgspec.field(default_factory=Representation)
    id: bytes = msgspec.field(default_factory=_audit_id)
    written: tuple[str, int, int] = _NOT_WRITTEN
    faults: tuple[str, ...] = ()
    watch: WatchProgress | None = None
    audit: "RequestAudit | None" = None
    stale_at: int | None = None

    @property
    def agent(self) -> str:
        """The User-Agent of the client."""
        return self.request.user_agent
