"""Parses resourceVersion parameters, and builds the errors for future versions and malformed keys.

Follows k8s.io/apiserver `pkg/storage`, which parses with Go's strconv.ParseUint, and `pkg/storage/etcd3` for
keys.
"""

from fakeapi.machinery.errors import ApiError, Cause, Details
from fakeapi.machinery.golang.numbers import parse_uint
from fakeapi.machinery.golang.strconv import quote

TOO_LARGE_RETRY_SECONDS = 1


def parse_version(text: str) -> int:
    """Parses a resourceVersion. Raises ApiError 500 for a malformed text; as upstream, without a reason."""
    try:
        return parse_uint(text)
    except ValueError as error:
        raise ApiError(500, "", f"resourceVersion: Invalid value: {quote(text)}: {error}") from None


def version_or_none(text: str) -> int:
    """Parses a resourceVersion. Returns 0 (no version) if the text is malformed."""
    try:
        return parse_uint(text)
    except ValueError:
        return 0


def too_large(wanted: int, current: int, retry_after: int | None = None) -> ApiError:
    """Returns ApiError 504 for a resourceVersion that the server has not reached.

    - `wanted`, `current`: the requested and the newest resourceVersion.
    - `retry_after`: the header Retry-After in seconds; None for no header.
    """
    cause = Cause("ResourceVersionTooLarge", "Too large resource version")
    return ApiError(
        504,
        "Timeout",
        f"Timeout: Too large resource version: {wanted}, current: {current}",
        Details(causes=(cause,), retry_after_seconds=retry_after or 0),
        retry_after=retry_after,
    )


def waited_for(wanted: int, current: int) -> ApiError:
    """Returns ApiError 504 with Retry-After for a resourceVersion that the server has not reached.

    The watch cache of upstream returns this error after it has waited for the resourceVersion.
    """
    return too_large(wanted, current, TOO_LARGE_RETRY_SECONDS)


def check_key(resource: str, namespace: str, name: str = "") -> None:
    """Raises ApiError 500 if the namespace is "." or "..", as upstream does for reads from etcd.

    Reads from the watch cache do not have this check.
    """
    if namespace in (".", ".."):
        path = f"/{resource}/{namespace}/{name}".rstrip("/")
        raise ApiError(500, "", f"invalid key: {quote(path)}")
