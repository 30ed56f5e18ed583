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
    """One request on its way through the filters to its verb.

    `info` is None for a path that is not below /api or /apis; `verb` is upstream's, such as "list" or
    "deletecollection", and the method in lower case where there is no resource. `received` is when the
    request came, in seconds since the epoch. `user` is an administrator where no token is asked for;
    `resource` and `object` are set by routing, so a filter before it goes by `info`. `representation` is what
    the verb negotiated.

    For the journal: `written` are the name of the object that was written and its resourceVersions before and
    after; `faults` the names of the faults that met the request; `watch` how far a watch has come. A fault
    sets `stale_at`, the revision that a watch begins with instead of the newest.
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
