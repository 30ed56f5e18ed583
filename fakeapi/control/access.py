"""Checks the credentials, or the Host and Origin headers, of requests to the control API."""

from starlette.types import ASGIApp, Receive, Scope, Send

from fakeapi.asgi import CLIENT_CERTIFICATE
from fakeapi.authentication.credentials import Anonymous, Credentials
from fakeapi.control.errors import refused, status_response
from fakeapi.control.ui.page import ROOT, UI, path_of
from fakeapi.machinery.hosts import HostRules
from fakeapi.registry.authorization.authorizer import SUPERUSERS
from fakeapi.registry.identity.users import User
from fakeapi.releases import Release


class AccessCheck:
    """Requires credentials of an administrator: a user in the group system:masters.

    If the server treats everybody as an administrator, rejects foreign Host and Origin headers instead.
    Service account tokens and impersonation give no access, because the control API can change everything in
    the server.

    - `release`: the release whose rules map a client certificate to a user.

    The live page and the redirect to it need no credentials. A browser cannot send a token when it loads a
    page, and the files contain nothing about the server.
    """

    def __init__(
        self,
        app: ASGIApp,
        credentials: Credentials,
        hosts: HostRules | None,
        release: Release,
    ) -> None:
        self._app = app
        self._credentials = credentials
        self._release = release
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._credentials.anonymous is not Anonymous.ADMINISTRATOR:
            if not _is_page(scope):
                user = self._user(scope)
                if user is None or SUPERUSERS not in user.groups:
                    code, words = (401, "Unauthorized") if user is None else (403, _NOT_ADMINISTRATOR)
                    await status_response(refused(code, words))(scope, receive, send)
                    return
        elif self._hosts is not None and (problem := self._hosts.refusal(scope["headers"])):
            words = f"fakeapi: {problem}; --accept-hosts accepts more, and with --token all are accepted"
            await status_response(refused(403, words))(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _user(self, scope: Scope) -> User | None:
        certificate = scope.get("extensions", {}).get(CLIENT_CERTIFICATE)
        if certificate is not None:
            try:
                user = self._credentials.user_of_connection(certificate, scope["headers"], self._release)
            except ValueError:
                user = None
            if user is not None:
                return user
        return self._credentials.user_of_token(_bearer(scope["headers"]))


_NOT_ADMINISTRATOR = f"fakeapi: the control API is for users in the group {SUPERUSERS}"


def _is_page(scope: Scope) -> bool:
    path = path_of(scope)
    folder, _, name = path.rpartition("/")
    return path in (*ROOT, UI) or (folder == UI and name not in (".", ".."))


def _bearer(headers: list[tuple[bytes, bytes]]) -> bytes:
    """Returns the bearer token in the first Authorization header; empty bytes without a bearer token."""
    for name, value in headers:
        if name == b"authorization":
            scheme, _, token = value.strip().partition(b" ")
            return token.strip() if scheme.lower() == b"bearer" else b""
    return b""
