"""Plain-text error pages of Go's net/http and of the filters in k8s.io/apiserver."""

from fakeapi.http.response import PLAIN_TEXT, Response
from fakeapi.machinery.golang.strconv import quote


def not_found_page() -> Response:
    """Returns 404 for a path that is not served, with the text of Go's net/http."""
    return Response(404, b"404 page not found\n", PLAIN_TEXT)


def plain_text(status: int, text: str) -> Response:
    """Returns a response with plain text, such as from `Error` of Go's net/http."""
    return Response(status, text.encode(), PLAIN_TEXT)


def service_unavailable() -> Response:
    """Returns 503 for an API of another server, with the text of k8s.io/kube-aggregator."""
    return Response(503, b"service unavailable\n", PLAIN_TEXT)


def malformed_url() -> Response:
    """Returns 400 for a path with an invalid percent escape, with the text of Go's net/http."""
    return Response(400, b"400 Bad Request", PLAIN_TEXT)


def watch_without_resource(uri: str) -> Response:
    """Returns 500 for a path below /watch without a resource, with the text of k8s.io/apiserver.

    `uri`: the path and query of the request.
    """
    return internal_error(
        uri, f"failed to create RequestInfo: unable to determine kind and namespace from url, {uri}"
    )


def internal_error(uri: str, why: str) -> Response:
    """Returns 500 for an error in a filter, with the text of k8s.io/apiserver.

    - `uri`: the path and query of the request.
    - `why`: the error message.

    Escapes the text for HTML, because a browser may display it.
    """
    import html  # noqa: PLC0415 - loaded only for an error

    text = html.escape(f"Internal Server Error: {quote(uri)}: {why}\n", quote=False)
    return Response(500, text.encode(), PLAIN_TEXT)
