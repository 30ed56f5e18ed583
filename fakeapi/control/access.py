"""Checks the token, or the Host and Origin headers, of requests to the control API."""

import hmac

from starlette.types import ASGIApp, Receive, Scope, Send

from fakeapi.control.errors import refused, status_response
from fakeapi.machinery.hosts import HostRules


class AccessCheck:
    """Requires the server's token. If the server has no token, rejects foreign Host and Origin headers.

    Service account tokens and impersonation give no access, because the control API can change everything in
    the server.

    `open_below`: a path whose files need no token. A browser cannot send a token when it loads a page, and
    the files contain nothing about the server.
    """

    def __init__(self, app: ASGIApp, token: str | None, hosts: HostRules | None, open_below: str) -> None:
        self._app = app
        self._open_below = open_below
        self._expected = None if token is None else token.encode()
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = scope["headers"]
        if self._expected is not None:
            if not self._is_page(scope) and not hmac.compare_digest(_bearer(headers), self._expected):
                await status_response(refused(401, "Unauthorized"))(scope, receive, send)
                return
        elif self._hosts is not None and (problem := self._hosts.refusal(headers)):
            words = f"fakeapi: {problem}; --accept-hosts accepts more, and with --token all are accepted"
            await status_response(refused(403, words))(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_page(self, scope: Scope) -> bool:
        path = str(scope["path"]).removeprefix(scope.get("root_path", ""))
        folder, _, name = path.rpartition("/")
        return path == self._open_below or (folder == self._open_below and name not in (".", ".."))


def _bearer(headers: list[tuple[bytes, bytes]]) -> bytes:
    """Returns the bearer token in the first Authorization header; empty bytes without a bearer token."""
    for name, value in headers:
        if name == b"authorization":
            scheme, _, token = value.strip().partition(b" ")
            return token.strip() if scheme.lower() == b"bearer" else b""
    return b""
