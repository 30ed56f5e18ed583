"""Auditing: writes the requests selected by the audit policy to the audit log.

Follows k8s.io/apiserver `pkg/endpoints/filters/audit.go`. Auditing observes a request in two places. The
filter after authentication applies the policy. The application writes the last event after the response.
"""

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from fakeapi.asgi import ClientGone, Message, NoRoom, Send
from fakeapi.auditing.log_file import LogFile
from fakeapi.auditing.policy import Policy, Stage
from fakeapi.auditing.policy_file import read_policy
from fakeapi.auditing.request_audit import RequestAudit
from fakeapi.auditing.sources import source_addresses
from fakeapi.http.audit_events import event_of, is_long_running
from fakeapi.http.context import RequestContext
from fakeapi.http.filters.authorization import access_of
from fakeapi.http.filters.errors import LARGEST_STATUS
from fakeapi.http.pipeline import Handler
from fakeapi.http.query import BAD_ESCAPE
from fakeapi.http.response import AnyResponse
from fakeapi.machinery.errors import ApiError
from fakeapi.registry.identity.users import User
from fakeapi.settings import Settings
from fakeapi_storage import StorageError

_EXPECTED = (ClientGone, NoRoom, RecursionError, StorageError)
"""Exceptions of handlers that are not bugs of the server."""

log = logging.getLogger("fakeapi")


def auditing_of(settings: Settings, now: Callable[[], float]) -> "Auditing | None":
    """Returns the auditing for the options `audit_log` and `audit_policy`; None if one is missing.

    Raises PolicyError if the policy cannot be read or is invalid. `now`: returns the time of the cluster.
    """
    policy = None if settings.audit_policy is None else read_policy(Path(settings.audit_policy))
    if settings.audit_log is None:
        return None
    if policy is None:
        log.warning("the audit log %s stays empty, because there is no audit policy", settings.audit_log)
        return None
    return Auditing(policy, LogFile(settings.audit_log), now)


class Auditing:
    """Writes the audit log of a server."""

    def __init__(self, policy: Policy, file: LogFile, now: Callable[[], float]) -> None:
        self._policy = policy
        self._file = file
        self._now = now

    @property
    def events(self) -> int:
        """The number of audit events written by the server."""
        return self._file.lines

    def open(self) -> None:
        """Opens the audit log. Raises OSError if the file cannot be opened."""
        self._file.open()

    def close(self) -> None:
        """Writes all events to the file and closes the file."""
        self._file.close()

    async def observe(
        self, ctx: RequestContext, remote: str, send: Send, respond: Callable[[Send], Awaitable[None]]
    ) -> None:
        """Handles a request with `respond`, and writes its audit events.

        Does not log malformed URLs: Go's net/http responds to them before kube-apiserver logs anything.
        `remote`: the address of the client; "" for a client in this process.
        """
        if BAD_ESCAPE.search(ctx.request.raw_path):
            await respond(send)
            return
        sources = source_addresses(ctx.request.headers, remote)
        audit = ctx.audit = RequestAudit(self._file.write, self._now, sources)
        is_long = is_long_running(ctx)

        async def observed(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._respond(ctx, audit, message["status"], is_long=is_long)
            await send(message)

        try:
            await respond(observed)
        finally:
            audit.note_user(ctx.user)
            audit.end(is_long=is_long)

    def _respond(self, ctx: RequestContext, audit: RequestAudit, code: int, *, is_long: bool) -> None:
        if audit.began:
            audit.note_user(ctx.user)
            audit.start_response(code, is_long=is_long)
        else:
            self._begin(ctx, audit, None)
            audit.reject(code)

    async def __call__(self, ctx: RequestContext, proceed: Handler) -> AnyResponse:
        """Applies the audit policy to a request after authentication, and passes the request on."""
        audit = ctx.audit
        if audit is None:
            return await proceed(ctx)
        self._begin(ctx, audit, ctx.user)
        audit.reach(Stage.REQUEST_RECEIVED)
        if not audit.is_logged:
            ctx.audit = None
        try:
            return await proceed(ctx)
        except Exception as error:
            if panic := _panic(error):
                audit.note_panic(panic)
            raise

    def _begin(self, ctx: RequestContext, audit: RequestAudit, user: User | None) -> None:
        """Applies the audit policy. `user`: None for a request that ended before authentication."""
        access = access_of(ctx, by_selectors=False)
        audit.begin(
            self._policy.decide(access, user), lambda level: event_of(ctx, access, user, audit.sources, level)
        )


def _panic(error: Exception) -> str:
    """Returns the message of an error for which kube-apiserver would panic; "" for other errors."""
    if isinstance(error, ApiError):
        return f"invalid WriteHeader code {error.code}" if error.code > LARGEST_STATUS else ""
    return "" if isinstance(error, _EXPECTED) else f"{type(error).__name__}: {error}"
