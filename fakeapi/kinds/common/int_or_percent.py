"""Validates intstr.IntOrString values that are a count or a percentage.

Follows `ValidatePositiveIntOrPercent` and `IsNotMoreThan100Percent` of k8s.io/kubernetes
`pkg/apis/apps/validation`.
"""

from fakeapi.kinds.common.numbers import NEGATIVE
from fakeapi.kinds.common.printing.quantities import printed_int_or_string
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.golang.numbers import parse_int
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.meta.names import regex_error
from fakeapi.machinery.meta.wording import Wording

_PERCENT = lazy_pattern(r"[0-9]+%\Z")
_NO_PERCENT = regex_error(
    "a valid percent string must be a numeric string followed by an ending '%'", "[0-9]+%", "1%", "93%"
)
_INT_MAX = 2**63 - 1


def validate_int_or_percent(value: int | str, path: str, wording: Wording) -> list[FieldError]:
    """Returns an error for a negative number, or for a string that is not a percentage."""
    if isinstance(value, str):
        if _PERCENT.match(value):
            return []
        return [invalid(path, printed_int_or_string(value, wording), _NO_PERCENT)]
    return [invalid(path, value, NEGATIVE)] if value < 0 else []


def validate_at_most_100_percent(value: int | str, path: str, wording: Wording) -> list[FieldError]:
    if percent_of(value) is None or number_of(value) <= 100:
        return []
    return [invalid(path, printed_int_or_string(value, wording), "must not be greater than 100%")]


def percent_of(value: int | str) -> int | None:
    """Returns the number of a percentage such as `25%`; None for any other value."""
    if isinstance(value, str) and _PERCENT.match(value):
        digits = value[:-1]
        return min(int(digits), _INT_MAX) if len(digits) < 20 else _INT_MAX
    return None


def number_of(value: int | str) -> int:
    """Returns the number in an integer, a percentage or a numeric string; 0 for any other string."""
    if isinstance(value, int):
        return value
    percent = percent_of(value)
    if percent is not None:
        return percent
    try:
        return parse_int(value)
    except ValueError:
        return 0
