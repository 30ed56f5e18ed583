"""A reverse proxy in front of a cluster that records the traffic.

Clients connect to a Runner with HTTP/1.1 or HTTP/2. The proxy forwards requests with aiohttp. aiohttp parses
HTTP in C, forwards data when they arrive, and does not change targets or headers. Connections to the cluster
use HTTP/1.1, so each watch has its own connection and cannot block other requests.
"""

import asyncio
import contextlib
import hmac
import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from fakeapi.asgi import Receive, Scope, Send
from fakeapi.clients.target import Target, TargetError
from fakeapi.machinery.hosts import HostRules
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.outbound.proxied_headers import proxied
from fakeapi.registry.identity.users import ANYBODY
from fakeapi.traces.recording.middleware import end, target_of
from fakeapi.traces.recording.recording import ObservedExchange, Recording

logger = logging.getLogger("fakeapi.traces")

CONNECT_SECONDS = 10.0
"""Seconds to wait for a connection to the cluster, and for its version at startup."""

REQUEST_MAX = 64 << 20
"""Maximum size of a request body in bytes; a longer body gets 413."""

WHOLE_MAX = 1 << 20
"""Maximum size, in bytes, of a response that is sent in one piece.

The proxy streams longer responses, and responses without a Content-Length.
"""

_HOP = frozenset(
    {
        b"connection",
        b"content-length",
        b"expect",
        b"host",
        b"keep-alive",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
_HOP_BACK = frozenset({b"connection", b"date", b"keep-alive", b"trailer", b"transfer-encoding", b"upgrade"})
"""The response headers that the proxy does not forward. The Runner adds its own Date."""

_MINOR = lazy_pattern(r"\d+")

Pairs = list[tuple[bytes, bytes]]


class Proxy:
    """An ASGI application that forwards requests to a cluster and records them.

    - `upstream`: the cluster with its credential. The proxy sends this credential with requests that have no
      Authorization header.
    - `token`: the token that clients must send to the proxy. The proxy replaces the token by the credential
      of `upstream`. None accepts requests without a token.
    - `hosts`: the accepted Host and Origin headers if `token` is None, so that a web page cannot use the
      credential. None accepts only loopback hosts.
    """

    def __init__(
        self,
        upstream: Target,
        recording: Recording,
        *,
        token: str | None = None,
        hosts: HostRules | None = None,
    ) -> None:
        self._upstream = upstream
        self._recording = recording
        self._token = None if token is None else f"Bearer {token}".encode()
        # The proxy never forwards the token in its own kubeconfig.
        self._own = self._token or f"Bearer {ANYBODY}".encode()
        self._hosts = hosts or HostRules.parse()
        self._origin = URL(upstream.url).origin()
        if token is not None:
            recording.hide(f"Bearer {token}")
        self._session: aiohttp.ClientSession | None = None
        self._streams: set[aiohttp.ClientResponse] = set()

    async def startup(self) -> None:
        """Connects to the cluster. Raises TargetError if the cluster does not respond or is not Kubernetes.

        A cluster that denies access is accepted, because clients can have their own credentials.
        """
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=self._upstream.tls or True),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
        )
        try:
            await self._ask_version()
        except BaseException:
            await self._session.close()
            raise

    async def shutdown(self) -> None:
        self._recording.end_open()
        if self._session is not None:
            await self._session.close()

    async def reset(self) -> None:
        """Raises NotImplementedError, because the proxy has no state to reset."""
        raise NotImplementedError

    def end_watches(self) -> None:
        """Ends all streamed responses. The recording marks watches as "open"."""
        self._recording.end_open()
        for response in list(self._streams):
            response.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        headers: Pairs = list(scope["headers"])
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _refuse(send, *refusal)
            return
        observed = self._recording.begin(scope["method"], target_of(scope), headers)
        complete = False
        try:
            body = await _body(receive, observed)
            if body is None:
                observed.left = True
            elif len(body) > REQUEST_MAX:
                observed.failed("the request was too long for the proxy")
                await _refuse(send, 413, "RequestEntityTooLarge", f"the proxy takes {REQUEST_MAX} bytes")
            else:
                complete = await self._forward(scope, headers, body, observed, receive, send)
        finally:
            end(observed, complete=complete)

    def _refusal(self, scope: Scope, headers: Pairs) -> tuple[int, str, str] | None:
        """Returns status code, reason and message if the proxy rejects a request; otherwise returns None.

        Rejected requests are not recorded.
        """
        if self._token is not None:
            if not _is_let_in(headers, self._token):
                return 401, "Unauthorized", "the proxy's token is missing or wrong"
        elif message := self._hosts.refusal(headers):
            return 403, "Forbidden", f"{message} (see --accept-hosts)"
        if any(name == b"upgrade" for name, _ in headers):
            return 501, "NotImplemented", "exec, attach and port-forward are not recorded"
        # A target without a leading slash would become a part of the cluster's host or port in the URL.
        if not target_of(scope).startswith("/"):
            return 400, "BadRequest", "the request target must begin with a slash"
        return None

    async def _forward(
        self,
        scope: Scope,
        headers: Pairs,
        body: bytes,
        observed: ObservedExchange,
        receive: Receive,
        send: Send,
    ) -> bool:
        """Forwards a request and its response. Returns whether the response was sent completely."""
        assert self._session is not None, "request before startup"
        try:
            url = URL(self._upstream.url + target_of(scope), encoded=True)
            assert url.origin() == self._origin, "credentials are for the upstream alone"
            sent = await self._sent(headers)
            response = await self._session.request(
                scope["method"],
                url,
                data=body or None,
                headers=sent,
                allow_redirects=False,
                server_hostname=self._upstream.server_name,
            )
        except (aiohttp.ClientError, OSError, TargetError, ValueError) as error:
            reason = _reason(error)
            observed.failed(f"the upstream cannot be reached: {reason}")
            await _refuse(send, 502, "BadGateway", f"the upstream cannot be reached: {reason}")
            return False
        try:
            return await self._answer(response, observed, receive, send)
        finally:
            response.release()

    async def _sent(self, headers: Pairs) -> CIMultiDict[str]:
        result: CIMultiDict[str] = CIMultiDict()
        for name, value in proxied(headers, _HOP):
            if not (name == b"authorization" and value == self._own):
                result.add(name.decode("latin-1"), value.decode("latin-1"))
        if "authorization" not in result:
            credential = await self._upstream.authorize()
            if credential is not None:
                self._recording.hide(credential)
                result["authorization"] = credential
        return result

    async def _answer(
        self, response: aiohttp.ClientResponse, observed: ObservedExchange, receive: Receive, send: Send
    ) -> bool:
        headers = proxied(((name.lower(), value) for name, value in response.raw_headers), _HOP_BACK)
        observed.started(response.status, headers)
        start = {"type": "http.response.start", "status": response.status, "headers": headers}
        length = response.content_length
        if length is not None and length <= WHOLE_MAX:
            try:
                data = await response.read()
            except (aiohttp.ClientError, OSError) as error:
                message = f"the upstream's response was cut off: {_reason(error)}"
                await _refuse(send, 502, "BadGateway", message)
                return False
            observed.answered(data)
            await send(start)
            await send({"type": "http.response.body", "body": data})
            return True
        await send(start)
        return await self._stream(response, observed, receive, send)

    async def _stream(
        self, response: aiohttp.ClientResponse, observed: ObservedExchange, receive: Receive, send: Send
    ) -> bool:
        self._streams.add(response)
        leaving = asyncio.create_task(_gone(receive, observed, response))
        try:
            async for data in response.content.iter_any():
                observed.answered(data)
                await send({"type": "http.response.body", "body": data, "more_body": True})
        except (aiohttp.ClientError, OSError):
            return False
        else:
            if observed.left:
                return False
            await send({"type": "http.response.body", "body": b""})
            return True
        finally:
            self._streams.discard(response)
            response.close()
            leaving.cancel()

    async def _ask_version(self) -> None:
        assert self._session is not None, "in startup"
        url = self._upstream.url
        try:
            async with self._session.get(
                URL(f"{url}/version"),
                headers=await self._sent([]),
                server_hostname=self._upstream.server_name,
                timeout=aiohttp.ClientTimeout(total=CONNECT_SECONDS),
            ) as response:
                status, data = response.status, await response.read()
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise TargetError(f"{url} cannot be reached: {_reason(error)}") from error
        if status in {401, 403}:
            return  # clients can have their own credentials
        try:
            facts = json.loads(data)
            version, major, minor = (str(facts[key]) for key in ("gitVersion", "major", "minor"))
        except (ValueError, KeyError, TypeError) as error:
            message = f"{url} is not a Kubernetes API server: /version answers {status} without a version"
            raise TargetError(message) from error
        number = _MINOR.match(minor)
        self._recording.describe(
            server=f"kubernetes {version}", release=f"{major}.{number[0]}" if number else ""
        )


def _is_let_in(headers: Pairs, token: bytes) -> bool:
    return any(name == b"authorization" and hmac.compare_digest(value, token) for name, value in headers)


async def _body(receive: Receive, observed: ObservedExchange) -> bytes | None:
    """Returns the body of a request, or None if the client disconnected.

    Stops reading as soon as the body is longer than REQUEST_MAX, and returns the part that was read.
    """
    parts: list[bytes] = []
    size = 0
    async for data in _pieces(receive):
        if data is None:
            return None
        observed.asked(data)
        parts.append(data)
        size += len(data)
        if size > REQUEST_MAX:
            break
    return parts[0] if len(parts) == 1 else b"".join(parts)


async def _pieces(receive: Receive) -> AsyncIterator[bytes | None]:
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            yield None
            return
        more = message.get("more_body", False)
        yield message.get("body", b"")


async def _gone(receive: Receive, observed: ObservedExchange, response: aiohttp.ClientResponse) -> None:
    """Waits until the client has disconnected, and then closes the response of the cluster."""
    while (await receive())["type"] != "http.disconnect":
        pass
    observed.left = True
    response.close()


async def _refuse(send: Send, status: int, reason: str, message: str) -> None:
    """Sends a Status to the client for a request that the proxy rejects or cannot forward.

    The recording does not contain this response.
    """
    facts: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    facts |= {"message": f"fakeapi record: {message}", "reason": reason, "code": status}
    body = json.dumps(facts).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    with contextlib.suppress(OSError):
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it does not answer"
    cause = getattr(error, "os_error", None) or error
    return (
        str(getattr(cause, "strerror", None) or cause).splitlines()[0] if str(cause) else type(cause).__name__
    )
