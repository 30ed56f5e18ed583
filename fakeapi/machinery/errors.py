"""API errors: an `ApiError` contains all data of a `metav1.Status`.

Follows k8s.io/apimachinery `pkg/api/errors`. `fakeapi.http.filters.errors` converts the errors to HTTP
responses.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.golang.strconv import quote


class Cause(msgspec.Struct, frozen=True):
    """An entry of `details.causes` in a Status."""

    reason: str
    message: str
    field: str = ""


class Details(msgspec.Struct, frozen=True):
    """The `details` of a Status. The JSON omits empty members."""

    name: str = ""
    group: str = ""
    kind: str = ""
    uid: str = ""
    causes: tuple[Cause, ...] = ()
    retry_after_seconds: int = 0
    continue_token: str = ""
    """Token to continue an expired list. In JSON, it is in the metadata of the Status, not in its details."""


@dataclass(slots=True)
class ApiError(Exception):
    """An error response of the API.

    - `code`: the HTTP status code.
    - `reason`: the reason of the Status; empty if Kubernetes sends none.
    - `details`: the details of the Status; None if the Status has no field `details`.
    - `retry_after`: the value of the Retry-After header, in seconds.
    """

    code: int
    reason: str
    message: str
    details: Details | None = None
    retry_after: int | None = None

    def __str__(self) -> str:
        return self.message


class Qualified(msgspec.Struct, frozen=True):
    """The name of a kind or resource, and its API group.

    `str()` formats it for messages, such as `deployments.apps`, or `pods` in the core group.
    """

    group: str
    name: str

    def __str__(self) -> str:
        return f"{self.name}.{self.group}" if self.group else self.name


def bad_request(message: str) -> ApiError:
    return ApiError(400, "BadRequest", message)


def unauthorized() -> ApiError:
    return ApiError(401, "Unauthorized", "Unauthorized")


def not_found(resource: Qualified, name: str) -> ApiError:
    return ApiError(
        404,
        "NotFound",
        f"{resource} {quote(name)} not found",
        Details(name=name, group=resource.group, kind=resource.name),
    )


def already_exists(resource: Qualified, name: str) -> ApiError:
    return ApiError(
        409,
        "AlreadyExists",
        f"{resource} {quote(name)} already exists",
        Details(name=name, group=resource.group, kind=resource.name),
    )


def conflict(resource: Qualified, name: str, why: str) -> ApiError:
    return ApiError(
        409,
        "Conflict",
        f"Operation cannot be fulfilled on {resource} {quote(name)}: {why}",
        Details(name=name, group=resource.group, kind=resource.name),
    )


LIST_TOO_OLD = "The resourceVersion for the provided list is too old."
WATCH_TOO_OLD = "The resourceVersion for the provided watch is too old."
"""Message for a watch whose resourceVersion was compacted, from k8s.io/apiserver `pkg/storage/etcd3`."""


def expired(message: str, continue_token: str = "") -> ApiError:
    """Returns an ApiError 410 for a resourceVersion that the history no longer contains.

    `continue_token`: a token to continue the list at the newest resourceVersion.
    """
    details = Details(continue_token=continue_token) if continue_token else None
    return ApiError(410, "Expired", message, details)


def forbidden(resource: Qualified, name: str, why: str, *causes: Cause) -> ApiError:
    return ApiError(
        403,
        "Forbidden",
        f"{resource} {quote(name)} is forbidden: {why}" if name else f"{resource} is forbidden: {why}",
        Details(name=name, group=resource.group, kind=resource.name, causes=causes),
    )


def invalid(kind: Qualified, name: str, errors: Iterable[FieldError]) -> ApiError:
    """Returns an ApiError 422 with a cause for each field error.

    The message mentions equal errors only once.
    """
    field_errors: Sequence[FieldError] = list(errors)
    texts = list(dict.fromkeys(str(error) for error in field_errors))
    message = f"{kind} {quote(name)} is invalid"
    if texts:
        message += ": " + (texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]")
    causes = tuple(Cause(error.reason, error.body, error.field) for error in field_errors)
    return ApiError(
        422, "Invalid", message, Details(name=name, group=kind.group, kind=kind.name, causes=causes)
    )


def internal(message: str) -> ApiError:
    """Returns an ApiError 500. Use it only where Kubernetes itself responds with status 500."""
    return ApiError(
        500,
        "InternalError",
        f"Internal error occurred: {message}",
        Details(causes=(Cause("", message),)),
    )
