"""The endpoint /version: the build information of the served release."""

from fakeapi.http.discovery.answers import check_route, indented
from fakeapi.http.negotiation import JSON
from fakeapi.http.request import Request
from fakeapi.http.response import Response
from fakeapi.releases import Release


def version(request: Request, release: Release) -> Response:
    """Returns the build information of the release as indented JSON.

    Raises ApiError 405 for methods except GET, and 406 if the client does not accept JSON.
    """
    check_route(request, (JSON,))
    return indented(release.version_info())
