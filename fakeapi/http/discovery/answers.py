"""Creates responses with discovery documents, after the checks of the router."""

from fakeapi.http.negotiation import NO_CONVERSION, Representation, check_produced, negotiate, prettified
from fakeapi.http.refusals import method_not_allowed
from fakeapi.http.rendering import render
from fakeapi.http.request import Request
from fakeapi.http.response import Response
from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object

_INDENTED = Representation(pretty=True)


def check_route(request: Request, produced: tuple[str, ...]) -> None:
    """Checks the method and the Accept header like the router of kube-apiserver. Raises ApiError 405, 406.

    In kube-apiserver, the paths of groups, of the group list and of health checks bypass the router.
    """
    if request.method != "GET":
        raise method_not_allowed()
    check_produced(request.header(b"accept"), produced)


def answer(request: Request, document: Object) -> Response:
    """Returns a response with a document in the negotiated representation. Raises ApiError 406."""
    shape = negotiate(request.header(b"accept"), NO_CONVERSION)
    shape = prettified(shape, request.query.first, request.user_agent)
    return Response(200, render(codec.encode(document), shape), shape.media_type)


def indented(document: Object) -> Response:
    """Returns a response with indented JSON; ignores the Accept header."""
    return Response(200, render(codec.encode(document), _INDENTED))
