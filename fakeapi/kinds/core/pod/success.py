"""Status responses of pod subresources that perform an action."""

from fakeapi.machinery import codec
from fakeapi.registry.requests.options import WriteResult


def success() -> WriteResult:
    """Returns the success Status of an action that does not return an object."""
    body = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
    return WriteResult(codec.encode(body), created=True, is_status=True)


def failure(message: str, code: int) -> WriteResult:
    """Returns a failure Status that upstream sends in a response with a success code."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "code": code,
    }
    return WriteResult(codec.encode(body), created=True, is_status=True)
