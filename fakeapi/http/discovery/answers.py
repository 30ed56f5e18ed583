"""Creates responses with discovery documents.

Checks the method and the Accept header, like kube-apiserver's router.
"""

from fakeapi.http.negotiation import NO_CONVERSION, Representation, check_produced, negotiate, prettified
from fakeapi.http.refusals import method_not_allowed
from fakeapi.http.rendering import render
from fakeapi.http.request import Request
from fakeapi.http.response import Response
from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object

_INDENTED = Representation(pretty=True)


def check_route(request: Request, produced: tuple[str, ...]) -> None:
    """Checks the method and the Accept header of a request, like the router of kube-apiserver.

    Raises ApiError 405 for methods except GET, and 406 if the client accepts none of the media types in
    `produced`. Do not call this function for the paths of API groups, of the group list and of health checks:
    in kube-apiserver, these paths bypass the router.
    """
    if request.method != "GET":
        raise method_not_allowed()
    check_produced(request.header(b"accept"), produced)


def answer(request: Request, document: Object) -> Response:
    """Returns a response with the document in the representation that the client accepts.

    Raises ApiError 406 if the client accepts no available representation.
    """
    shape = negotiate(request.header(b"accept"), NO_CONVERSION)
    shape = prettified(shape, request.query.first, request.user_agent)
    return Response(200, render(codec.encode(document), shape), shape.media_type)


def indented(document: Object) -> Response:
    """Returns a response with the document as indented JSON; ignores the Accept header of the client."""
    return Response(200, render(codec.encode(document), _INDENTED))
