"""Creates the audit event of a request, before the server handles the request.

Follows `LogRequestMetadata` of k8s.io/apiserver `pkg/audit/request.go`.
"""

from fakeapi.auditing.event import Event
from fakeapi.auditing.policy import Level
from fakeapi.http.context import RequestContext
from fakeapi.machinery.meta.request_info import CONNECTING
from fakeapi.registry.authorization.attributes import AccessAttributes
from fakeapi.registry.identity.users import User

AGENT_BYTES_MAX = 1024
"""Maximum length of a User-Agent in the audit log, in bytes. A longer User-Agent is truncated."""

_TRUNCATED = "...TRUNCATED"
_LONG_VERBS = ("watch", "proxy")


def is_long_running(ctx: RequestContext) -> bool:
    """Whether a request is long-running, and so has the stage ResponseStarted.

    Follows `BasicLongRunningRequestCheck`.
    """
    return ctx.verb in _LONG_VERBS or (ctx.info is not None and ctx.info.subresource in CONNECTING)


def event_of(
    ctx: RequestContext, access: AccessAttributes, user: User | None, sources: list[str], level: Level
) -> Event:
    return Event(
        level,
        ctx.id.decode("utf-8", "replace"),
        ctx.request.uri,
        ctx.verb,
        ctx.received,
        user,
        sources,
        _agent(ctx.request.headers.get(b"user-agent", b"")),
        _reference(ctx, access),
    )


def _agent(header: bytes) -> str:
    text = header[:AGENT_BYTES_MAX].decode("utf-8", "replace")
    return text if len(header) <= AGENT_BYTES_MAX else text + _TRUNCATED


def _reference(ctx: RequestContext, access: AccessAttributes) -> dict[str, str]:
    """Returns the `objectRef` of an audit event; empty for a path without a resource."""
    if not access.is_resource or ctx.info is None:
        return {}
    members = {
        "resource": access.resource,
        "namespace": access.namespace,
        "name": access.name,
        "apiGroup": access.group,
        "apiVersion": ctx.info.version,
        "subresource": access.subresource,
    }
    return {name: text for name, text in members.items() if text}
