"""resourceVersions as numbers, read as Go's strconv.ParseUint reads them."""

from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.gonumbers import parse_uint
from fakeapi.machinery.gotext import quote


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
