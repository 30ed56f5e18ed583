"""Creates the errors of the control API: Status objects with one-line messages."""

import msgspec
from starlette.responses import Response

from fakeapi.machinery.errors import ApiError

_REASONS = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    409: "Conflict",
    413: "RequestEntityTooLarge",
    415: "UnsupportedMediaType",
    429: "TooManyRequests",
}


def refused(code: int, message: str) -> ApiError:
    """Returns an ApiError with the HTTP status `code`, without raising it.

    Replaces line breaks and repeated spaces in `message` by one space.
    """
    return ApiError(code, _REASONS.get(code, "InternalError"), " ".join(message.split()))


def status_response(error: ApiError, *, retry_after: int | None = None) -> Response:
    """Returns a response with a metav1.Status, the format of errors in Kubernetes.

    `retry_after`: the seconds in the Retry-After header; None for no header.
    """
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": error.message,
        "reason": error.reason,
        "code": error.code,
    }
    headers = None if retry_after is None else {"Retry-After": str(retry_after)}
    body = msgspec.json.encode(status) + b"\n"
    return Response(body, error.code, headers, media_type="application/json")
