"""`status.deallocationRequested`: a controller is asked to take an allocation back (1.27 to 1.31).

Follows k8s.io/kubernetes `pkg/apis/resource/validation`.
"""

from typing import Any

from fakeapi.machinery.field_errors import FieldError, forbidden


def validate_deallocation(status: dict[str, Any], old: dict[str, Any], path: str) -> list[FieldError]:
    """Errors of asking while the claim is reserved or not allocated, and of taking the question back."""
    asked, had_asked = status.get("deallocationRequested"), old.get("deallocationRequested")
    errors: list[FieldError] = []
    if asked and not had_asked and status.get("reservedFor"):
        problem = "deallocation cannot be requested while `reservedFor` is set"
        errors.append(forbidden(f"{path}.deallocationRequested", problem))
    if asked and "allocation" not in status:
        errors.append(forbidden(path, "`allocation` must be set when `deallocationRequested` is set"))
    if had_asked and not asked and "allocation" in status:
        problem = "may not be cleared when `allocation` is set"
        errors.append(forbidden(f"{path}.deallocationRequested", problem))
    return errors
