"""Converts an ApiError to a metav1.Status."""

from typing import Any

from fakeapi.machinery import codec
from fakeapi.machinery.errors import ApiError


def status_of(error: ApiError) -> dict[str, Any]:
    """Returns the metav1.Status of an error. Omits empty fields, as Go does."""
    metadata: dict[str, Any] = {}
    status: dict[str, Any] = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": metadata,
        "status": "Failure",
        "message": error.message,
        "reason": error.reason,
    }
    if not error.reason:
        del status["reason"]
    details = error.details
    if details is not None:
        if details.continue_token:
            metadata["continue"] = details.continue_token
        else:
            status["details"] = _details(error)
    status["code"] = error.code
    return status


def _details(error: ApiError) -> dict[str, Any]:
    details = error.details
    if details is None:
        return {}
    members: dict[str, Any] = {
        "name": details.name,
        "group": details.group,
        "kind": details.kind,
        "uid": details.uid,
        "causes": [_cause(cause.reason, cause.message, cause.field) for cause in details.causes],
        "retryAfterSeconds": details.retry_after_seconds,
    }
    return {name: value for name, value in members.items() if value}


def _cause(reason: str, message: str, field: str) -> dict[str, str]:
    members = {"reason": reason, "message": message, "field": field}
    return {name: value for name, value in members.items() if value}


def body_of(error: ApiError) -> bytes:
    return codec.encode(status_of(error)) + b"\n"
