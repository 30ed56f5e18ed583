"""Delegating: answers the requests for APIs that APIServices delegate to Services.

Follows `proxyHandler` of k8s.io/kube-aggregator `pkg/apiserver`.
"""

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import quote

from fakeapi.aggregation.delegated import DelegatedApis
from fakeapi.http.context import RequestContext
from fakeapi.http.pages import plain_text, service_unavailable
from fakeapi.http.request import BODY_MAX
from fakeapi.http.response import AnyResponse, Response, StreamingResponse
from fakeapi.kinds.apiregistration.api_service import AVAILABLE
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.custom.conditions import is_true
from fakeapi.registry.identity.users import User
from fakeapi.registry.webhooks.transport import TOO_LATE, BadAuthority, Unreachable

if TYPE_CHECKING:
    from fakeapi.outbound.forwarding import Incoming

_OWN_PREFIXES = (b"impersonate-", b"x-remote-")
_OWN = frozenset((b"authorization", b"accept-encoding"))
_OWN_RESPONSE = frozenset((b"date", b"audit-id", b"content-type"))


class Delegating:
    """Forwards requests to the Services of APIServices.

    `sends_uid`: whether the other server receives the uid of the user.
    """

    def __init__(self, apis: DelegatedApis, *, sends_uid: bool) -> None:
        self._apis = apis
        self._sends_uid = sends_uid

    def api_service(self, group: str, version: str) -> Object | None:
        """Returns the APIService that delegates a group version; None if no APIService does."""
        return self._apis.find(group, version)

    async def respond(self, ctx: RequestContext, api_service: Object) -> AnyResponse:
        """Returns the response of the Service; 503 if the Service is not available or does not answer.

        Raises ApiError 413 for a body over BODY_MAX, 501 for a request that upgrades its connection, and
        ClientGone if the client disconnects.
        """
        if not is_true(api_service, AVAILABLE) or not self._apis.has_url(api_service):
            return service_unavailable()
        request = ctx.request
        if request.websocket is not None or request.header(b"upgrade"):
            raise ApiError(
                501, "NotImplemented", "fakeapi does not forward upgraded connections to a Service"
            )
        from fakeapi.outbound.forwarding import HEAD_SECONDS, Outgoing, forward  # noqa: PLC0415 - loaded only when used

        body = await request.body()
        headers = [*_forwarded(ctx), *user_headers(ctx.user, with_uid=self._sends_uid)]
        outgoing = Outgoing(request.method, request.uri, headers, body)
        try:
            trust = self._apis.trust(api_service)
            incoming = await forward(
                self._apis.endpoint(api_service), outgoing, trust=trust, seconds=HEAD_SECONDS
            )
        except (Unreachable, BadAuthority) as error:
            return plain_text(503, f"{error}\n")
        return await _response(request.method, incoming, HEAD_SECONDS)


def _forwarded(ctx: RequestContext) -> list[tuple[bytes, bytes]]:
    """Returns the headers of the client, without credentials, Impersonate headers and X-Remote headers.

    Also drops Accept-Encoding, because this server compresses the responses.
    """
    return [
        (name, value)
        for name, value in ctx.request.all_headers
        if name not in _OWN and not name.startswith(_OWN_PREFIXES)
    ]


def user_headers(user: User, *, with_uid: bool) -> list[tuple[bytes, bytes]]:
    """Returns the headers that name a user to another server.

    Follows `SetAuthProxyHeaders` of k8s.io/client-go `transport`.
    """
    headers = [("x-remote-user", user.name)]
    if with_uid and user.uid:
        headers.append(("x-remote-uid", user.uid))
    headers += (("x-remote-group", group) for group in user.groups)
    headers += (
        (f"x-remote-extra-{quote(key, safe='')}".lower(), value)
        for key, values in user.extra.items()
        for value in values
    )
    return [(name.encode(), value.encode()) for name, value in headers]


def _is_short(length: str) -> bool:
    """Whether a Content-Length is at most BODY_MAX."""
    return length.isascii() and length.isdigit() and len(length) < 10 and int(length) <= BODY_MAX


async def _response(method: str, incoming: "Incoming", seconds: float) -> AnyResponse:
    """Returns the response to send: read whole if its Content-Length is at most BODY_MAX, otherwise a stream.

    Responses that cannot have a body are also read whole. Returns 503 if the whole body does not arrive in
    `seconds`, or is shorter than its Content-Length.
    """
    headers = [(name, value) for name, value in incoming.headers if name not in _OWN_RESPONSE]
    known = dict(incoming.headers)
    media_type = known.get(b"content-type", b"").decode("latin-1")
    length = known.get(b"content-length", b"").decode("latin-1")
    has_no_body = method == "HEAD" or incoming.status in (204, 304)
    if has_no_body or _is_short(length):
        try:
            async with asyncio.timeout(seconds):
                body = b"".join([piece async for pieces in incoming.pieces for piece in pieces])
        except TimeoutError:
            return plain_text(503, f"{TOO_LATE}\n")
        finally:
            incoming.close()
        if not has_no_body and len(body) != int(length):
            return plain_text(503, "unexpected EOF\n")
        headers = [(name, value) for name, value in headers if name != b"content-length"]
        return Response(incoming.status, body, media_type, headers=headers)
    return StreamingResponse(
        incoming.pieces, incoming.close, status=incoming.status, media_type=media_type, headers=headers
    )
