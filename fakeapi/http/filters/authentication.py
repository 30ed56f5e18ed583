"""Authentication: determines the user of a request.

Follows k8s.io/kubernetes `pkg/kubeapiserver/authenticator`: the first credential that proves a user counts.
If no credential proves a user, the server rejects a request with unusable credentials. The Authorization
header is read as in k8s.io/apiserver `pkg/authentication/request/bearertoken`.
"""

from collections.abc import Awaitable, Callable

from fakeapi.asgi import ClientCertificate
from fakeapi.authentication.credentials import Anonymous, Credentials
from fakeapi.http.context import RequestContext
from fakeapi.http.pipeline import Handler
from fakeapi.http.response import AnyResponse
from fakeapi.machinery import errors
from fakeapi.registry.authorization.authorizer import ALWAYS_ALLOW
from fakeapi.registry.identity.users import ANONYMOUS, ANYBODY, TOKEN_HOLDER, User
from fakeapi.registry.server import Server
from fakeapi.releases import Release

_SPACE_WARNING = (
    "the provided Authorization header contains extra space before the bearer token, and is ignored"
)


class Authentication:
    """Sets the user of a request by its client certificate or its bearer token.

    - `credentials.anonymous` says how to treat requests without credentials.
    - Servers that treat everybody as an administrator accept unknown tokens, unless they use RBAC.
    - All servers reject expired service account tokens that they have signed.
    """

    def __init__(
        self,
        server: Server,
        release: Release,
        credentials: Credentials,
        is_open: Callable[[RequestContext], bool],
    ) -> None:
        self._server = server
        self._release = release
        self._credentials = credentials
        self._is_open = is_open
        self._trusts_all = credentials.anonymous is Anonymous.ADMINISTRATOR
        self._ignores_unknown = self._trusts_all and server.authorizer is ALWAYS_ALLOW

    def __call__(self, ctx: RequestContext, proceed: Handler) -> Awaitable[AnyResponse]:
        """Sets the user of the request, and passes the request on.

        Raises ApiError 401 if the server rejects the credentials of the request, or if credentials are
        required and missing.
        """
        header = ctx.request.headers.get(b"authorization")
        certificate = ctx.request.certificate
        if header is not None or certificate is not None or not self._trusts_all:
            ctx.user = self._user(ctx, certificate, (header or b"").strip().split(b" ", 2))
        return proceed(ctx)

    def _user(self, ctx: RequestContext, certificate: ClientCertificate | None, words: list[bytes]) -> User:
        is_refused = False
        if certificate is not None:
            try:
                user = self._credentials.user_of_connection(
                    certificate, ctx.request.all_headers, self._release
                )
            except ValueError:
                is_refused = True
            else:
                if user is not None:
                    return user
        token = words[1] if len(words) > 1 and words[0].lower() == b"bearer" else b""
        if len(words) == 3 and not token and words[0].lower() == b"bearer":
            ctx.warnings.add(_SPACE_WARNING)
        return self._user_of_token(token) or self._anonymous(ctx, is_refused=is_refused)

    def _user_of_token(self, token: bytes) -> User | None:
        """Returns the user of a bearer token; None without a token, and for a token that the server ignores.

        The server ignores the token ANYBODY if it treats everybody as an administrator. If it also uses no
        RBAC, the server ignores unknown tokens. Raises ApiError 401 for a token that the server rejects.
        """
        user = self._credentials.user_of_token(token)
        if user is None and token.count(b".") == 2:
            user = self._service_account(token)
        is_known = not token or (self._trusts_all and token == ANYBODY.encode())
        if user is None and not is_known and not self._ignores_unknown:
            raise errors.unauthorized()
        return user

    def _anonymous(self, ctx: RequestContext, *, is_refused: bool) -> User:
        """Returns the user of a request without a usable credential.

        `is_refused`: whether the request has a client certificate that the server rejects. Raises ApiError
        401 for such a certificate, and if the server does not accept the request without a credential.
        """
        anonymous = self._credentials.anonymous
        if not is_refused:
            if anonymous is Anonymous.ADMINISTRATOR:
                return TOKEN_HOLDER
            if anonymous is Anonymous.USER:
                return ANONYMOUS
            if anonymous is Anonymous.HEALTH_CHECKS and self._is_open(ctx):
                return ANONYMOUS
        raise errors.unauthorized()

    def _service_account(self, token: bytes) -> User | None:
        """Returns the user of a service account token; None if the server has not signed the token.

        Raises ApiError 401 for a signed token that is no longer valid.
        """
        tokens = self._server.tokens
        if not tokens.may_exist:
            return None
        from fakeapi.registry.identity.service_accounts import (  # noqa: PLC0415 - loaded only for tokens
            TokenRefused,
            user_of_token,
        )

        try:
            identity = user_of_token(
                self._server, token.decode("latin-1"), tokens.audiences, self._release.gates
            )
        except TokenRefused:
            raise errors.unauthorized() from None
        return None if identity is None else identity.user
