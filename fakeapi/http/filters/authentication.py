"""Authentication: determines the user of a request from its bearer token.

Follows k8s.io/apiserver `pkg/authentication/request/bearertoken` for reading the header.
"""

import hmac
from collections.abc import Awaitable, Callable

from fakeapi.http.context import RequestContext
from fakeapi.http.pipeline import Handler
from fakeapi.http.response import AnyResponse
from fakeapi.machinery import errors
from fakeapi.registry.authorization.authorizer import ALWAYS_ALLOW
from fakeapi.registry.identity.users import ANONYMOUS, ANYBODY, TOKEN_HOLDER, User
from fakeapi.registry.server import Server
from fakeapi.releases import Gates

_SPACE_WARNING = (
    "the provided Authorization header contains extra space before the bearer token, and is ignored"
)


class Authentication:
    """Sets the user of a request: the holder of the server's token, or a service account.

    - A server with a token rejects requests without a token, except requests that `is_open` allows.
    - A server without a token treats clients without a token as administrators.
    - A server with a token or with RBAC rejects unknown tokens, like kube-apiserver. Other servers treat
      clients with unknown tokens as administrators.
    - All servers reject expired service account tokens that they have signed.
    """

    def __init__(
        self, server: Server, gates: Gates, token: str | None, is_open: Callable[[RequestContext], bool]
    ) -> None:
        self._server = server
        self._gates = gates
        self._token = None if token is None else token.encode()
        self._is_open = is_open
        self._refuses_unknown = token is not None or server.authorizer is not ALWAYS_ALLOW

    def __call__(self, ctx: RequestContext, proceed: Handler) -> Awaitable[AnyResponse]:
        """Sets the user of the request, and passes the request on.

        Raises ApiError 401 if the server rejects the token.
        """
        header = ctx.request.headers.get(b"authorization")
        if header is not None or self._token is not None:
            ctx.user = self._user(ctx, (header or b"").strip().split(b" ", 2))
        return proceed(ctx)

    def _user(self, ctx: RequestContext, words: list[bytes]) -> User:
        token = words[1] if len(words) > 1 and words[0].lower() == b"bearer" else b""
        if len(words) == 3 and not token and words[0].lower() == b"bearer":
            ctx.warnings.add(_SPACE_WARNING)
        if self._token is not None and hmac.compare_digest(token, self._token):
            return TOKEN_HOLDER
        account = self._service_account(token) if token.count(b".") == 2 else None
        if account is not None:
            return account
        is_known = not token or (self._token is None and token == ANYBODY.encode())
        if self._refuses_unknown and not is_known:
            raise errors.unauthorized()
        if self._token is None:
            return TOKEN_HOLDER
        if self._is_open(ctx):
            return ANONYMOUS
        raise errors.unauthorized()

    def _service_account(self, token: bytes) -> User | None:
        """Returns the user of a service account token; None if the server has not signed the token.

        Raises ApiError 401 for a signed token that is no longer valid.
        """
        if not self._server.tokens.may_exist:
            return None
        from fakeapi.registry.identity.service_accounts import (  # noqa: PLC0415 - loaded only for tokens
            TokenRefused,
            user_of_token,
        )
        from fakeapi.registry.identity.token_signer import ISSUER  # noqa: PLC0415 - loaded only for tokens

        try:
            identity = user_of_token(self._server, token.decode("latin-1"), [ISSUER], self._gates)
        except TokenRefused:
            raise errors.unauthorized() from None
        return None if identity is None else identity.user
