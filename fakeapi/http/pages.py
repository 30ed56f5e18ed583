"""Plain-text error pages outside the API: Go's own, and that of the RequestInfo filter."""

import html

from fakeapi.http.response import PLAIN_TEXT, Response
from fakeapi.machinery.golang.strconv import quote


def not_found_page() -> Response:
    """404 for a path that nothing is served under, as Go's net/http says it."""
    return Response(404, b"404 page not found\n", PLAIN_TEXT)


def malformed_url() -> Response:
    """400 for a path with a percent sign that begins no escape: Go refuses it before anything else."""
    return Response(400, b"400 Bad Request", PLAIN_TEXT)


def watch_without_resource(uri: str) -> Response:
    """500 for /watch without a resource."""
    return internal_error(
        uri, f"failed to create RequestInfo: unable to determine kind and namespace from url, {uri}"
    )


def internal_error(uri: str, why: str) -> Response:
    """500 for a request that a filter of k8s.io/apiserver cannot handle. A browser may show it, so it is
    escaped.
    """
    text = html.escape(f"Internal Server Error: {quote(uri)}: {why}\n", quote=False)
    return Response(500, text.encode(), PLAIN_TEXT)
