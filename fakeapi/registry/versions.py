"""resourceVersions as numbers, read as Go's strconv.ParseUint reads them."""

from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.gotext import quote

_UINT64_MAX = (1 << 64) - 1
_UINT64_DIGITS = 20


def parse_uint(text: str) -> int:
    """A decimal uint64. Raises ValueError in Go's words."""
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"strconv.ParseUint: parsing {quote(text)}: invalid syntax")
    if len(text.lstrip("0")) > _UINT64_DIGITS or int(text) > _UINT64_MAX:
        raise ValueError(f"strconv.ParseUint: parsing {quote(text)}: value out of range")
    return int(text)


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
