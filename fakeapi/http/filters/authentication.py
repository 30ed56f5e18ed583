"""Authentication: a bearer token that all clients share, where one is set.

Follows k8s.io/apiserver `pkg/authentication/request/bearertoken` in how the header is read.
"""

import hmac
from collections.abc import Awaitable, Callable

from fakeapi.http.context import RequestContext
from fakeapi.http.pipeline import Handler
from fakeapi.http.response import AnyResponse
from fakeapi.machinery import errors
from fakeapi.registry.users import ANONYMOUS, TOKEN_HOLDER


class Authentication:
    """Accepts requests with the token, and any request that `is_open` allows without one."""

    def __init__(self, token: str, is_open: Callable[[RequestContext], bool]) -> None:
        self._token = token.encode()
        self._is_open = is_open

    def __call__(self, ctx: RequestContext, proceed: Handler) -> Awaitable[AnyResponse]:
        """Raises ApiError 401."""
        scheme, _, token = ctx.request.headers.get(b"authorization", b"").strip().partition(b" ")
        if scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token):
            ctx.user = TOKEN_HOLDER
        elif self._is_open(ctx):
            ctx.user = ANONYMOUS
        else:
            raise errors.unauthorized()
        return proceed(ctx)
