"""Validates numbers: signs and ranges, user and group ids, file modes.

Follows `ValidateNonnegativeField` of k8s.io/apimachinery `pkg/api/validation`, `IsValidUserID` of
k8s.io/apimachinery `pkg/util/validation`, and k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from typing import Any

from fakeapi.machinery.field_errors import FieldError, invalid

NEGATIVE = "must be greater than or equal to 0"
NOT_POSITIVE = "must be greater than zero"
NOT_INTEGER = "must be an integer"

INT32_MAX = (1 << 31) - 1
FILE_MODE_MAX = 0o777
EMPTY_DIR_MODE_MAX = 0o1777


def range_error(low: int, high: int) -> str:
    """Returns the error message for a number outside a range."""
    return f"must be between {low} and {high}, inclusive"


def validate_not_negative(value: int, path: str) -> list[FieldError]:
    return [invalid(path, value, NEGATIVE)] if value < 0 else []


def validate_positive(value: int, path: str) -> list[FieldError]:
    return [] if value > 0 else [invalid(path, value, NOT_POSITIVE)]


def validate_within(value: int, path: str, low: int, high: int) -> list[FieldError]:
    return [] if low <= value <= high else [invalid(path, value, range_error(low, high))]


def validate_user_id(holder: dict[str, Any], name: str, path: str) -> list[FieldError]:
    """Validates the optional user or group id in the field `name` of `holder`.

    `path`: the path of `holder`
    """
    value = holder.get(name)
    return [] if value is None else validate_within(value, f"{path}.{name}", 0, INT32_MAX)


def validate_file_mode(holder: dict[str, Any], name: str, path: str) -> list[FieldError]:
    """Validates the optional file mode in the field `name` of `holder`.

    `path`: the path of `holder`
    """
    value = holder.get(name)
    if value is None or 0 <= value <= FILE_MODE_MAX:
        return []
    problem = "must be a number between 0 and 0777 (octal), both inclusive"
    return [invalid(f"{path}.{name}", value, problem)]
