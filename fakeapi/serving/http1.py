"""HTTP/1.1 as hypercorn speaks it, with the habits of Go's net/http."""

import h11
from hypercorn.protocol.events import Event as StreamEvent
from hypercorn.protocol.events import Response
from hypercorn.protocol.h11 import H2ProtocolAssumedError, H11Protocol

REASONS = {
    200: b"OK",
    201: b"Created",
    202: b"Accepted",
    204: b"No Content",
    304: b"Not Modified",
    400: b"Bad Request",
    401: b"Unauthorized",
    403: b"Forbidden",
    404: b"Not Found",
    405: b"Method Not Allowed",
    406: b"Not Acceptable",
    409: b"Conflict",
    410: b"Gone",
    413: b"Request Entity Too Large",
    415: b"Unsupported Media Type",
    422: b"Unprocessable Entity",
    429: b"Too Many Requests",
    431: b"Request Header Fields Too Large",
    500: b"Internal Server Error",
    501: b"Not Implemented",
    503: b"Service Unavailable",
    504: b"Gateway Timeout",
}
"""As Go's net/http writes them beside the status; clients show them, and some compare them."""

PREFACE_LINE = b"PRI * HTTP/2.0\r\n\r\n"


class HTTP1(H11Protocol):
    """Hypercorn's HTTP/1.1 with the habits of Go's net/http.

    A status has its reason beside it. What is no HTTP is answered in its words. The upgrade to h2c is not
    offered: a client that asks for it is answered in HTTP/1.1.
    """

    async def stream_send(self, event: StreamEvent) -> None:
        if isinstance(event, Response) and event.status_code >= 200:
            await self._send_head(event.status_code, event.headers)
        else:
            await super().stream_send(event)

    async def _send_head(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        complete = [*headers, *self.config.response_headers("h11")]
        await self._send_h11_event(
            h11.Response(status_code=status, headers=complete, reason=REASONS.get(status, b""))
        )

    async def _check_protocol(self, event: h11.Request) -> None:
        if event.method == b"PRI" and event.target == b"*" and event.http_version == b"2.0":
            raise H2ProtocolAssumedError(PREFACE_LINE + self.connection.trailing_data[0])

    async def _send_error_response(self, status_code: int) -> None:
        text = b"%d %b" % (status_code, REASONS.get(status_code, b""))
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", b"%d" % len(text)),
            (b"connection", b"close"),
        ]
        await self._send_head(status_code, headers)
        await self._send_h11_event(h11.Data(data=text))
        await self._send_h11_event(h11.EndOfMessage())
