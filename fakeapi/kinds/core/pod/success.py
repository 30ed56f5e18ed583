"""The answer of subresources of pods that do something: a Status."""

from fakeapi.machinery import codec
from fakeapi.registry.requests.options import WriteResult


def success() -> WriteResult:
    """The answer of a subresource that creates nothing: a Status of success."""
    body = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
    return WriteResult(codec.encode(body), created=True, is_status=True)


def failure(message: str, code: int) -> WriteResult:
    """A Status of a failure that upstream sends as the answer of a request that succeeded."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "code": code,
    }
    return WriteResult(codec.encode(body), created=True, is_status=True)
