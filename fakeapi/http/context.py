"""RequestContext: the state of one request, which filters and verbs share."""

import os
from dataclasses import dataclass, field

from fakeapi.http.negotiation import Representation
from fakeapi.http.request import Request
from fakeapi.journal.progress import WatchProgress
from fakeapi.machinery.meta.request_info import RequestInfo
from fakeapi.registry.identity.users import TOKEN_HOLDER, User
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.options import ObjectReference, Warnings

_NOTHING = ObjectReference()
_NOT_WRITTEN = ("", 0, 0)


def _audit_id() -> bytes:
    text = os.urandom(16).hex()
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-8{text[17:20]}-{text[20:]}".encode()


@dataclass(slots=True)
class RequestContext:
    """The state of one request on its way through the filters to its verb.

    - `info` is None for a path that is not below /api or /apis.
    - `verb` is upstream's, such as "list" or "deletecollection"; without a resource, the method in lower
      case.
    - `received` is the time of the request, in seconds since the epoch.
    - `user` is an administrator if the server requires no token.
    - `resource` and `object` are set by routing; earlier filters use `info`.
    - `representation` is the verb's result of content negotiation.
    - `written`, for the journal: the name of the written object, and its resourceVersions before and after.
    - `faults`, for the journal: the names of the faults that affected the request.
    - `watch`, for the journal: the progress of a watch.
    - `stale_at` is set by a fault: the revision at which a watch starts instead of the newest.
    """

    request: Request
    info: RequestInfo | None
    verb: str
    received: float
    user: User = TOKEN_HOLDER
    resource: Resource | None = None
    object: ObjectReference = _NOTHING
    warnings: Warnings = field(default_factory=Warnings)
    representation: Representation = field(default_factory=Representation)
    id: bytes = field(default_factory=_audit_id)
    written: tuple[str, int, int] = _NOT_WRITTEN
    faults: tuple[str, ...] = ()
    watch: WatchProgress | None = None
    stale_at: int | None = None

    @property
    def agent(self) -> str:
        """The client's User-Agent."""
        return self.request.user_agent
