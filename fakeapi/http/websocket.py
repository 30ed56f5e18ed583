"""Watches over WebSocket: each event is a text message, or a binary message in protobuf and CBOR.

Follows `HandleWS` of k8s.io/apiserver `pkg/endpoints/handlers/watch.go` and the frames of
`pkg/util/wsstream`. Tokens in a subprotocol follow `pkg/authentication/request/websocket`. The API responds
as over HTTP, and this module translates the messages. Responses with a Content-Length are sent without an
upgrade to WebSocket. Subresources such as exec open the WebSocket themselves (`fakeapi.http.connections`).
"""

import base64
import binascii
from collections.abc import Callable

from fakeapi.asgi import WEBSOCKET, ASGIApp, Message, Receive, Scope, Send, WebSocketUpgrade
from fakeapi.http.negotiation import CBOR_SEQUENCE
from fakeapi.http.protobuf import split_frames
from fakeapi.registry.requests.decoding import PROTOBUF

BEARER_PROTOCOL = "base64url.bearer.authorization.k8s.io."
"""Prefix of a subprotocol that contains a bearer token.

Browsers cannot set the Authorization header of a WebSocket.
"""

_NORMAL_CLOSURE = 1000


async def serve(answer: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Serves a WebSocket request.

    A bearer token in the subprotocols becomes the Authorization header, unless the request has this header.

    `answer`: the ASGI application that handles the request as an HTTP request.
    """
    token, protocols = split_protocols(scope.get("subprotocols") or [])
    headers = [(name, value) for name, value in scope["headers"] if name != b"sec-websocket-protocol"]
    if token is not None and not any(name == b"authorization" for name, _ in headers):
        headers.append((b"authorization", b"Bearer " + token))
    messages = _Messages(scope, receive, send, protocols[0] if len(protocols) == 1 else None)
    upgrade = WebSocketUpgrade(receive, send, tuple(protocols))
    extensions = {**scope.get("extensions", {}), WEBSOCKET: upgrade}
    http = {**scope, "type": "http", "method": "GET", "headers": headers, "extensions": extensions}
    await answer(http, messages.receive, messages.send)


def split_protocols(offered: list[str]) -> tuple[bytes | None, list[str]]:
    """Returns the bearer token in a list of subprotocols (None without one), and the other subprotocols.

    As in kube-apiserver, ignores the token unless the client also offers another subprotocol. Also ignores
    malformed tokens, and several tokens.
    """
    others = [protocol for protocol in offered if not protocol.startswith(BEARER_PROTOCOL)]
    tokens = [
        protocol.removeprefix(BEARER_PROTOCOL) for protocol in offered if protocol.startswith(BEARER_PROTOCOL)
    ]
    if len(tokens) != 1 or not others:
        return None, others
    try:
        return base64.b64decode(tokens[0] + "=" * (-len(tokens[0]) % 4), b"-_", validate=True), others
    except (binascii.Error, ValueError):
        return None, others


def _splitter(media_type: str) -> Callable[[bytes], list[bytes]] | None:
    """Returns the function that splits a binary stream into events; None for a stream of JSON lines."""
    if media_type.startswith(PROTOBUF):
        return split_frames
    if media_type == CBOR_SEQUENCE:
        from fakeapi.machinery.cbor.decoding import split  # noqa: PLC0415 - loaded only for CBOR

        return split
    return None


class _Messages:
    """Translates the ASGI messages of one request between WebSocket and HTTP.

    The client gets WebSocket messages, and the application gets HTTP messages.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send, protocol: str | None) -> None:
        self._receive = receive
        self._send = send
        self._protocol = protocol
        self._can_refuse = "websocket.http.response" in scope.get("extensions", {})
        self._asked = False
        self._accepted = False
        self._splits: Callable[[bytes], list[bytes]] | None = None

    async def receive(self) -> Message:
        """Returns an empty request body at the first call. Later calls wait for the client's disconnect.

        Drops all data that the client sends.
        """
        message = await self._receive()
        if not self._asked and message["type"] == "websocket.connect":
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        while message["type"] != "websocket.disconnect":
            message = await self._receive()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            await self._start(message)
        elif self._accepted:
            await self._send_events(message.get("body", b""))
            if not message.get("more_body", False):
                await self._send({"type": "websocket.close", "code": _NORMAL_CLOSURE})
        elif self._can_refuse:
            await self._send({**message, "type": "websocket.http.response.body"})

    async def _send_events(self, body: bytes) -> None:
        """Sends each event in a part of the body: as text for JSON, as binary for protobuf and CBOR."""
        if self._splits is not None:
            for content in self._splits(body):
                await self._send({"type": "websocket.send", "bytes": content})
            return
        for line in body.splitlines(keepends=True):
            await self._send({"type": "websocket.send", "text": line.decode()})

    async def _start(self, message: Message) -> None:
        """Starts the response. Accepts the WebSocket for a response without Content-Length, such as a watch.

        For other responses, rejects the WebSocket with the HTTP response. If the ASGI server cannot send an
        HTTP response, closes the WebSocket.
        """
        self._accepted = not any(name == b"content-length" for name, _ in message["headers"])
        if self._accepted:
            media_type = dict(message["headers"]).get(b"content-type", b"").decode()
            self._splits = _splitter(media_type)
            await self._send({"type": "websocket.accept", "subprotocol": self._protocol})
        elif self._can_refuse:
            await self._send({**message, "type": "websocket.http.response.start"})
        else:
            await self._send({"type": "websocket.close"})
