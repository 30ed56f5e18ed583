"""Errors: turns every error into a response, in this one place."""

import logging

from fakeapi.asgi import ClientGone, NoRoom
from fakeapi.http.context import RequestContext
from fakeapi.http.negotiation import (
    ALWAYS,
    JSON,
    NO_CONVERSION,
    Representation,
    negotiate,
    offer_of,
    prettified,
)
from fakeapi.http.pipeline import Handler
from fakeapi.http.rendering import render
from fakeapi.http.response import AnyResponse, Response
from fakeapi.http.status import status_of
from fakeapi.machinery import codec, errors
from fakeapi.machinery.errors import ApiError, Details
from fakeapi.machinery.printable import printable_line
from fakeapi_storage import InvalidEntry, Overloaded, StorageError, Unreachable

LARGEST_STATUS = 999
"""The largest status code that net/http sends."""

log = logging.getLogger("fakeapi")


async def answer_errors(ctx: RequestContext, proceed: Handler) -> AnyResponse:
    """The response of the rest of the chain, or a Status for the error it raised. Raises ClientGone alone."""
    try:
        return await proceed(ctx)
    except ApiError as error:
        return refusal(error, ctx) if error.code <= LARGEST_STATUS else _unsendable(error)
    except ClientGone:
        raise
    except NoRoom:
        return refusal(too_many_requests(), ctx)
    except RecursionError:  # Kubernetes goes down 10,000 levels, Python's stack about a thousand
        return refusal(errors.bad_request("exceeded max depth"), ctx)
    except StorageError as error:
        return refusal(unavailable(error), ctx)
    except Exception:
        place = printable_line(f"{ctx.request.method} {ctx.request.path}")
        log.exception("unexpected error for %s", place)
        return refusal(errors.internal("fakeapi: unexpected error; see the server's log"), ctx)


def unavailable(error: StorageError) -> ApiError:
    """The error of a storage that takes no request now.

    429 for too many writes at once, which can be sent again later; 500 in etcd's words for an object that is
    too large; 503 for a storage that is being reset or closed, or whose database is away, which has stored
    nothing, and for a write whose fate is not known: only of the last Retry-After says nothing.
    """
    if isinstance(error, InvalidEntry):
        return ApiError(500, "", "etcdserver: request is too large")
    if isinstance(error, Overloaded):
        return too_many_requests()
    words = f"the server is currently unable to handle the request: {error}"
    if isinstance(error, Unreachable):
        return ApiError(503, "ServiceUnavailable", words, Details(retry_after_seconds=1), retry_after=1)
    return ApiError(503, "ServiceUnavailable", words)


def _unsendable(error: ApiError) -> Response:
    """Drops the connection, because no client could read the status line. Only webhooks set such codes.

    Follows net/http (checkWriteHeaderCode, which panics) and k8s.io/apiserver `pkg/server/filters/wrap.go`
    (WithPanicRecovery, which panics again): the client of kube-apiserver gets no answer.
    """
    from fakeapi.http.faulting.responses import dropped  # noqa: PLC0415 - hardly ever needed

    log.error("the connection was dropped, as by kube-apiserver: invalid status code %d", error.code)
    return dropped()


def too_many_requests() -> ApiError:
    """429 with Retry-After, as `tooManyRequests` of k8s.io/apiserver `pkg/server/filters/maxinflight.go`."""
    words = "Too many requests, please try again later."
    return ApiError(429, "TooManyRequests", words, Details(retry_after_seconds=1), retry_after=1)


def refusal(error: ApiError, ctx: RequestContext) -> Response:
    """An error as the client can read it: never itself refused for the representation that it asks for.

    A client that accepts nothing but conversions, or nothing that is served, gets indented JSON.
    """
    response = Response(error.code, b"", warnings=ctx.warnings.texts)
    if error.retry_after is not None:
        response.headers.append((b"retry-after", str(error.retry_after).encode()))
    body = codec.encode(status_of(error))
    request = ctx.request
    try:
        offer = ALWAYS if ctx.resource is None else offer_of(ctx.resource.release)
        shape = negotiate(request.header(b"accept"), NO_CONVERSION, offer.answered)
        shape = prettified(shape, request.query.first, request.user_agent)
    except ApiError:
        shape = Representation(JSON, pretty=True)
    try:
        response.body = render(body, shape, ctx.resource.release.all_kinds if ctx.resource else None)
    except ApiError:
        shape = Representation()
        response.body = render(body, shape)
    response.media_type = shape.media_type
    return response
