"""Authorization: rejects requests that the authorizer does not allow.

Follows k8s.io/apiserver `pkg/endpoints/filters/authorization.go`. The attributes of a request follow
`pkg/endpoints/request/requestinfo.go`.
"""

from fakeapi.http.context import RequestContext
from fakeapi.http.pipeline import Handler
from fakeapi.http.response import AnyResponse
from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.request_info import NAMESPACES
from fakeapi.registry.authorization.attributes import AccessAttributes, equal_terms, forbidden
from fakeapi.registry.authorization.authorizer import Authorizer
from fakeapi.releases import Gates

_BY_SELECTORS = "AuthorizeWithSelectors"
_SELECTING = ("list", "watch", "deletecollection")


class Authorization:
    """Checks every request with the authorizer. A bootstrap role allows health checks."""

    def __init__(self, authorizer: Authorizer, gates: Gates) -> None:
        self._authorizer = authorizer
        self._by_selectors = gates.enabled(_BY_SELECTORS)

    async def __call__(self, ctx: RequestContext, proceed: Handler) -> AnyResponse:
        """Passes the request on. Raises ApiError 403 if the authorizer does not allow the request."""
        access = access_of(ctx, by_selectors=self._by_selectors)
        decision = await self._authorizer.authorize(access)
        if ctx.audit is not None:
            ctx.audit.note_decision(allowed=decision.allowed, reason=decision.reason)
        if not decision.allowed:
            raise forbidden(access, decision.reason)
        return await proceed(ctx)


def access_of(ctx: RequestContext, *, by_selectors: bool) -> AccessAttributes:
    """Returns the attributes of a request for the authorizer.

    `by_selectors`: whether to include the requirements in the request's field selector. Requests below /watch
    never include requirements.
    """
    info, user = ctx.info, ctx.user
    if info is None or not info.resource:
        verb = ctx.request.method.lower()
        return AccessAttributes(user, verb, path=ctx.request.path, is_resource=False)
    name, namespace = info.name, info.namespace
    if info.resource == NAMESPACES and not info.in_namespace:
        namespace = name
    selector = ctx.request.query.first.get("fieldSelector", "") if ctx.verb in _SELECTING else ""
    fields = equal_terms(selector) if selector else ()
    if not name and ctx.verb in ("list", "watch"):
        named = next((value for field, value in fields if field == "metadata.name"), "")
        name = "" if names.is_valid_path_segment_name(named) else named
    return AccessAttributes(
        user,
        ctx.verb,
        group=info.group,
        resource=info.resource,
        subresource=info.subresource,
        namespace=namespace,
        name=name,
        path=ctx.request.path,
        fields=fields if by_selectors and not info.watched else (),
    )
