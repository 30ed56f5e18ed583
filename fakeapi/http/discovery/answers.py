"""Responses with discovery documents: the router's checks, and content negotiation."""

from fakeapi.http.negotiation import NO_CONVERSION, Representation, check_produced, negotiate, prettified
from fakeapi.http.refusals import method_not_allowed
from fakeapi.http.rendering import render
from fakeapi.http.request import Request
from fakeapi.http.response import Response
from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object

_INDENTED = Representation(pretty=True)


def check_route(request: Request, produced: tuple[str, ...]) -> None:
    """The router's look at a request. Groups, their list and health are no routes of it.

    Raises ApiError 405, 406.
    """
    if request.method != "GET":
        raise method_not_allowed()
    check_produced(request.header(b"accept"), produced)


def answer(request: Request, document: Object) -> Response:
    """Raises ApiError 406."""
    shape = negotiate(request.header(b"accept"), NO_CONVERSION)
    shape = prettified(shape, request.query.first, request.user_agent)
    return Response(200, render(codec.encode(document), shape), shape.media_type)


def indented(document: Object) -> Response:
    """JSON for people, whatever was asked for."""
    return Response(200, render(codec.encode(document), _INDENTED))
