"""What reads are asked by: resourceVersions, which Go's strconv.ParseUint reads, and keys.

Follows k8s.io/apiserver `pkg/storage`: its errors, and in `etcd3` the look at keys.
"""

from fakeapi.machinery.errors import ApiError, Cause, Details
from fakeapi.machinery.golang.numbers import parse_uint
from fakeapi.machinery.golang.strconv import quote

TOO_LARGE_RETRY_SECONDS = 1


def parse_version(text: str) -> int:
    """A resourceVersion as a number. Raises ApiError 500 (untyped upstream) for anything else."""
    try:
        return parse_uint(text)
    except ValueError as error:
        raise ApiError(500, "", f"resourceVersion: Invalid value: {quote(text)}: {error}") from None


def version_or_none(text: str) -> int:
    """A resourceVersion as a number; 0, which stands for none, where it is no number."""
    try:
        return parse_uint(text)
    except ValueError:
        return 0


def too_large(wanted: int, current: int, retry_after: int | None = None) -> ApiError:
    """504: a version that the server has not reached."""
    cause = Cause("ResourceVersionTooLarge", "Too large resource version")
    return ApiError(
        504,
        "Timeout",
        f"Timeout: Too large resource version: {wanted}, current: {current}",
        Details(causes=(cause,), retry_after_seconds=retry_after or 0),
        retry_after=retry_after,
    )


def waited_for(wanted: int, current: int) -> ApiError:
    """504 from the watch cache, which waits for a version before it gives up, and says when to ask again."""
    return too_large(wanted, current, TOO_LARGE_RETRY_SECONDS)


def check_key(resource: str, namespace: str, name: str = "") -> None:
    """The storage's look at a key, which the watch cache does not take. Raises ApiError 500."""
    if namespace in (".", ".."):
        path = f"/{resource}/{namespace}/{name}".rstrip("/")
        raise ApiError(500, "", f"invalid key: {quote(path)}")
