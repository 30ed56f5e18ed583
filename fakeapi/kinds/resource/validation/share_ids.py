"""Validates share IDs, which identify a claim's share of a device.

Follows `validateUID` of k8s.io/kubernetes `pkg/apis/resource/validation` from 1.34, and `Validate` of
github.com/google/uuid.
"""

import re

from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.golang.strconv import quote

_NOT_NORMAL = (
    "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase "
    "hexadecimal characters"
)
_LENGTH, _PREFIX = 36, "urn:uuid:"
_is_hexadecimal = re.compile(r"[0-9a-fA-F]*").fullmatch
_has_hyphens = re.compile(r"[^-]{8}-[^-]{4}-[^-]{4}-[^-]{4}-[^-]{12}").fullmatch


def validate_share_id(text: str, path: str) -> list[FieldError]:
    """Returns an error if the text is not a UUID in normalized form: lower case, with hyphens."""
    problem = _problem(text)
    if problem:
        return [invalid(path, text, f"error validating uid: {problem}")]
    if len(text) != _LENGTH or text != text.lower():
        return [invalid(path, text, _NOT_NORMAL)]
    return []


def _problem(text: str) -> str:
    """Returns the reason why a string is not a UUID in any spelling; "" if it is a UUID."""
    length = len(text.encode())
    if length == _LENGTH + len(_PREFIX):
        if text[: len(_PREFIX)].lower() != _PREFIX:
            return f"invalid urn prefix: {quote(text[: len(_PREFIX)])}"
        text = text[len(_PREFIX) :]
    elif length == _LENGTH + 2:
        if not (text.startswith("{") and text.endswith("}")):
            return "invalid bracketed UUID format"
        text = text[1:-1]
    elif length not in (_LENGTH, _LENGTH - 4):
        return f"invalid UUID length: {length}"
    valid = _is_hexadecimal(text.replace("-", "")) and (len(text) == _LENGTH - 4 or _has_hyphens(text))
    return "" if valid else "invalid UUID format"
