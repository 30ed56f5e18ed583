"""Errors: converts the exceptions of request filters and verbs to error responses."""

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
"""The largest status code that Go's net/http can send."""

log = logging.getLogger("fakeapi")


async def answer_errors(ctx: RequestContext, proceed: Handler) -> AnyResponse:
    """Passes the request on. Converts exceptions of later filters and of the verb to error responses.

    Raises only ClientGone, because a client that has disconnected needs no response.
    """
    try:
        return await proceed(ctx)
    except ApiError as error:
        return refusal(error, ctx) if error.code <= LARGEST_STATUS else _unsendable(error)
    except ClientGone:
        raise
    except NoRoom:
        return refusal(too_many_requests(), ctx)
    except RecursionError:  # Kubernetes allows 10,000 levels of JSON, Python's stack about a thousand
        return refusal(errors.bad_request("exceeded max depth"), ctx)
    except StorageError as error:
        return refusal(unavailable(error), ctx)
    except Exception:
        place = printable_line(f"{ctx.request.method} {ctx.request.path}")
        log.exception("unexpected error for %s", place)
        return refusal(errors.internal("fakeapi: unexpected error; see the server's log"), ctx)


def unavailable(error: StorageError) -> ApiError:
    """Returns the ApiError for an error of the storage.

    - InvalidEntry (an object is too large): 500 with the message of etcd.
    - Overloaded (too many writes at once): 429 with Retry-After.
    - Unreachable (no connection to the database, so nothing was stored): 503 with Retry-After.
    - Other errors (a reset or closed storage, or a write with unknown outcome): 503 without Retry-After.
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
    """Returns a response that closes the connection, for a status code over 999 from a webhook.

    kube-apiserver's client gets no response for such a code either. checkWriteHeaderCode of net/http panics,
    and WithPanicRecovery of k8s.io/apiserver `pkg/server/filters/wrap.go` panics again.
    """
    from fakeapi.http.faulting.responses import dropped  # noqa: PLC0415 - loaded only when used

    log.error("the connection was dropped, as by kube-apiserver: invalid status code %d", error.code)
    return dropped()


def too_many_requests() -> ApiError:
    """Returns the error 429 with Retry-After.

    Follows `tooManyRequests` of k8s.io/apiserver `pkg/server/filters/maxinflight.go`.
    """
    words = "Too many requests, please try again later."
    return ApiError(429, "TooManyRequests", words, Details(retry_after_seconds=1), retry_after=1)


def refusal(error: ApiError, ctx: RequestContext) -> Response:
    """Returns the response for an error, in a representation that the client accepts.

    If the client accepts only Tables or unknown media types, returns indented JSON instead of 406. If the
    representation cannot contain the error, returns compact JSON.
    """
    response = Response(error.code, b"", warnings=ctx.warnings.texts)
    seconds = error.retry_after
    if seconds is None and error.details is not None:
        seconds = error.details.retry_after_seconds or None
    if seconds is not None:
        response.headers.append((b"retry-after", str(seconds).encode()))
    body = codec.encode(status_of(error))
    if ctx.audit is not None:
        ctx.audit.note_response(body)
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
