"""Forwards requests to aggregated API servers over HTTP/1.1, with asyncio and h11."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

import h11

from fakeapi.outbound.certificates import client_context
from fakeapi.outbound.client_identity import ClientIdentity, KeyPair
from fakeapi.outbound.dialing import connected, place_of
from fakeapi.outbound.posting import EVENTS_IN_A_TURN, HEAD_MAX
from fakeapi.outbound.proxied_headers import Headers, proxied
from fakeapi.registry.webhooks.transport import TOO_LATE, Endpoint, Unreachable

HEAD_SECONDS = 60.0
"""Seconds in which the headers of a response must arrive, like kube-apiserver's `--request-timeout`."""

_PIECE = 1 << 16
_HOP_BY_HOP = frozenset(
    (b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te")
) | {b"trailer", b"transfer-encoding", b"upgrade"}
"""Headers that are about one connection, and that a proxy does not forward."""
_NOT_SENT = _HOP_BY_HOP | {b"host", b"content-length"}


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request to forward. `target`: the path and query of the URL, percent-encoded.

    If the URL of the endpoint has a path, this path comes before the target.
    """

    method: str
    target: str
    headers: Headers
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Trust:
    """The checks of certificates on a connection to another server, in both directions.

    - `verify`: whether the certificate of the other server must be valid.
    - `identity`: the client certificate of this server; None to present none.
    """

    verify: bool
    identity: ClientIdentity | None = None


@dataclass(slots=True, eq=False)
class Incoming:
    """The response to a forwarded request.

    - `pieces`: yields the parts of the body as they arrive.
    - `close`: closes the connection; call it when the response is sent or dropped.
    """

    status: int
    headers: Headers
    pieces: AsyncGenerator[Sequence[bytes], None]
    _writer: asyncio.StreamWriter

    def close(self) -> None:
        """Closes the connection to the other server."""
        self._writer.transport.abort()


async def forward(endpoint: Endpoint, request: Outgoing, *, trust: Trust, seconds: float) -> Incoming:
    """Sends a request on a new connection; returns the response when its headers have arrived.

    - `trust`: how to authenticate the endpoint and this server, if the endpoint uses TLS.
    - `seconds`: the time limit until the headers have arrived.

    Raises Unreachable if no valid response arrives in time, and BadAuthority if the CA certificates of the
    endpoint cannot be parsed.
    """
    place, host = place_of(endpoint)
    context = None
    if place.scheme == "https":
        key_pair = None if trust.identity is None else trust.identity.key_pair
        context = _context(endpoint.authority, key_pair, verify=trust.verify)
    try:
        async with asyncio.timeout(seconds):
            reader, writer = await connected(place, context, verify=trust.verify)
            exchange = _Exchange(reader, writer)
            try:
                return await exchange.response(host, request, urlsplit(endpoint.url).path.rstrip("/"))
            except BaseException:
                writer.transport.abort()
                raise
    except TimeoutError:
        raise Unreachable(TOO_LATE) from None


class _Exchange:
    """Sends one request on a connection and receives the response."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_MAX)
        self._events = 0

    async def response(self, host: str, request: Outgoing, base: str) -> Incoming:
        """Sends the request; returns the response when its headers have arrived.

        `host`: the header Host. `base`: the path before the target. Raises Unreachable if the connection
        ends, or if the response is not valid.
        """
        headers = [(b"host", host.encode()), *proxied(request.headers, _NOT_SENT)]
        headers += [(b"connection", b"close"), (b"content-length", b"%d" % len(request.body))]
        try:
            target = (base + request.target).encode("latin-1")
            sent = self._http.send(h11.Request(method=request.method, target=target, headers=headers))
            sent = (sent or b"") + (self._http.send(h11.Data(data=request.body)) or b"")
            self._writer.write(sent + (self._http.send(h11.EndOfMessage()) or b""))
            while not isinstance(event := await self._next(), h11.Response):
                if isinstance(event, h11.ConnectionClosed):
                    raise Unreachable("EOF")
        except h11.ProtocolError as error:
            raise Unreachable(f"net/http: HTTP/1.x transport connection broken: {error}") from error
        except OSError as error:
            raise Unreachable("EOF") from error
        return Incoming(event.status_code, proxied(event.headers, _HOP_BY_HOP), self._pieces(), self._writer)

    async def _next(self) -> object:
        """Returns the next event of the response. After every EVENTS_IN_A_TURN events, other tasks run first.

        Raises h11.ProtocolError if the response violates HTTP/1.1, and OSError if the connection breaks.
        """
        self._events += 1
        if self._events % EVENTS_IN_A_TURN == 0:
            await asyncio.sleep(0)
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self._reader.read(_PIECE))
        return event

    async def _pieces(self) -> AsyncGenerator[Sequence[bytes], None]:
        """Yields the parts of the body. Ends early if the connection breaks, as a proxy of Go does."""
        with contextlib.suppress(h11.ProtocolError, OSError):
            while isinstance(event := await self._next(), h11.Data):
                yield [bytes(event.data)]


@lru_cache(maxsize=16)
def _context(authority: bytes, key_pair: KeyPair | None, *, verify: bool) -> ssl.SSLContext:
    """Returns a TLS context that trusts these CA certificates, or every certificate if `verify` is false.

    Raises BadAuthority if the CA certificates cannot be parsed, and Unreachable if the files of the client
    certificate have become unusable.
    """
    context = client_context(authority, verify=verify)
    if key_pair is not None:
        try:
            key_pair.add_to(context)
        except (OSError, ValueError) as error:
            raise Unreachable(str(error)) from error
    return context
