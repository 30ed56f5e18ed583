"""Builds the Starlette endpoints of the control API from routes."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from fakeapi.asgi import ClientGone, NoRoom
from fakeapi.control.controlled import Controlled
from fakeapi.control.errors import refused, status_response
from fakeapi.control.route import JSON, Call, Route
from fakeapi.machinery.codec import JsonError
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.json_depth import check_depth

BODY_MAX = 64 * 1024 * 1024
"""Maximum size of a request body in bytes, enough for a large snapshot; a larger body gets 413."""


def endpoint_of(route: Route, server: Controlled) -> Callable[[Request], Awaitable[Response]]:
    """Returns the Starlette endpoint of a route.

    The endpoint decodes the request, calls the route's handler, and encodes the result or the error.
    """

    async def endpoint(request: Request) -> Response:
        try:
            query = _query(route, request)
            body = await _body(route, request)
            path = {name: str(value) for name, value in request.path_params.items()}
            result = await route.handle(Call(server, request, path, query, body))
        except ApiError as error:
            return status_response(error)
        except NoRoom:
            words = "clients have not read enough of other long responses; try again"
            return status_response(refused(429, words), retry_after=1)
        except (ClientDisconnect, ClientGone):
            return Response(status_code=400)
        if isinstance(result, Response):
            return result
        if route.answer is None:
            return Response(status_code=204)
        return Response(msgspec.json.encode(result) + b"\n", media_type=JSON)

    return endpoint


def _check_media_type(route: Route, request: Request, content: bytes) -> None:
    """Raises ApiError 415 for a POST whose Content-Type is not JSON.

    Accepts an empty POST without a Content-Type. Web pages of other sites can send a POST with some other
    media types. Before a POST with JSON, a PUT or a DELETE, the browser sends a CORS preflight request, which
    the control API rejects.
    """
    if route.method != "POST":
        return
    header = request.headers.get("content-type")
    if (header is None and not content) or (header or "").partition(";")[0].strip().lower() == JSON:
        return
    sent = "none" if header is None else repr(header)
    raise refused(415, f"{route.method} {route.path} takes the Content-Type {JSON}, not {sent}")


def _query(route: Route, request: Request) -> Any:
    """Returns the query as the struct that the route declares; None if the route has no query parameters.

    Raises ApiError 400 for unknown or invalid parameters.
    """
    parameters = dict(request.query_params)
    if route.query is None:
        if parameters:
            raise refused(400, f"{route.path} takes no parameters, not {', '.join(sorted(parameters))}")
        return None
    try:
        return msgspec.convert(parameters, route.query, strict=False)
    except msgspec.ValidationError as error:
        raise refused(400, f"parameters of {route.path}: {error}") from None


async def _body(route: Route, request: Request) -> Any:
    """Returns the body as the type that the route declares; None if the route has no body.

    Raises ApiError 400 for an invalid body, 413 for a body that is too long, and 415 for a wrong
    Content-Type. Raises ClientDisconnect if the client disconnects.
    """
    content = await _content(request)
    _check_media_type(route, request, content)
    if route.body is None:
        return None
    if not content and route.body_is_optional:
        content = b"{}"
    if route.body is bytes:
        return content
    try:
        check_depth(content)  # some releases of Python decode what is too deep for the handlers
        return msgspec.json.decode(content, type=route.body)
    except (JsonError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise refused(400, f"the body of {route.method} {route.path}: {error}") from None


async def _content(request: Request) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size <= BODY_MAX:
            chunks.append(chunk)
    if size > BODY_MAX:
        raise refused(413, f"the body is longer than {BODY_MAX} bytes")
    return b"".join(chunks)
