"""Checks who may use the control API. The rules are those of the cluster's API."""

import hmac

from starlette.types import ASGIApp, Receive, Scope, Send

from fakeapi.control.errors import refused, status_response
from fakeapi.machinery.hosts import HostRules


class AccessCheck:
    """Requires the server's token; without a token it refuses foreign Host and Origin headers.

    Tokens of service accounts and impersonation give no access, because the control API can change everything
    in the server. The files of the page below `open_below` need no token: a browser cannot send one when it
    loads them, and they contain nothing about the server.
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
    """Returns the bearer token of the first Authorization header; empty without one."""
    for name, value in headers:
        if name == b"authorization":
            scheme, _, token = value.strip().partition(b" ")
            return token.strip() if scheme.lower() == b"bearer" else b""
    return b""
