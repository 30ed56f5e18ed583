"""Builds the Status responses of pod subresources that perform an action, such as pods/binding."""

from fakeapi.machinery import codec
from fakeapi.registry.requests.options import WriteResult


def success() -> WriteResult:
    """Returns a success Status with code 201."""
    body = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
    return WriteResult(codec.encode(body), created=True, is_status=True)


def failure(message: str, code: int) -> WriteResult:
    """Returns a failure Status with the given message and code. Like upstream, the HTTP code is 201."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "code": code,
    }
    return WriteResult(codec.encode(body), created=True, is_status=True)
