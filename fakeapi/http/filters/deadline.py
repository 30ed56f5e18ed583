"""Deadline: rejects a malformed `timeout` parameter, before authentication.

Follows k8s.io/apiserver `pkg/endpoints/filters/request_deadline.go`. A valid duration has no effect, because
requests to fakeapi take only milliseconds.
"""

from collections.abc import Awaitable

from fakeapi.http.context import RequestContext
from fakeapi.http.pipeline import Handler
from fakeapi.http.response import AnyResponse
from fakeapi.machinery import errors
from fakeapi.machinery.golang.duration import duration_error

TIMEOUT_LENGTH_MAX = 1024
"""Maximum length of a `timeout` in characters.

The length is limited because unauthenticated clients can send this parameter.
"""


def deadline(ctx: RequestContext, proceed: Handler) -> Awaitable[AnyResponse]:
    """Raises ApiError 400 for a malformed query parameter `timeout`, except in a watch.

    Passes all other requests on.
    """
    timeout = ctx.request.query.first.get("timeout")
    if timeout and ctx.verb != "watch" and (error := _error(timeout)):
        raise errors.bad_request(f"invalid timeout specified in the request URL - {error}")
    return proceed(ctx)


def _error(timeout: str) -> str:
    if len(timeout) > TIMEOUT_LENGTH_MAX:
        return f"longer than {TIMEOUT_LENGTH_MAX} characters"
    return duration_error(timeout)
