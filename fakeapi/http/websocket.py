"""Refuses WebSocket requests, until watches are served over them."""

from starlette.types import Receive, Scope, Send

_TEXT = b"watches over WebSocket are not served\n"
_HEADERS = [
    (b"content-type", b"text/plain; charset=utf-8"),
    (b"content-length", str(len(_TEXT)).encode()),
]


async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers 503, on which clients fall back to plain HTTP; 403 where the server can send nothing else."""
    await receive()
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close"})
        return
    await send({"type": "websocket.http.response.start", "status": 503, "headers": _HEADERS})
    await send({"type": "websocket.http.response.body", "body": _TEXT})
