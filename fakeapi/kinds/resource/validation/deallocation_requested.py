"""Validates `status.deallocationRequested`, which asks a claim's controller to deallocate the claim.

The field exists from 1.27 to 1.31. Follows k8s.io/kubernetes `pkg/apis/resource/validation`.
"""

from typing import Any

from fakeapi.machinery.field_errors import FieldError, forbidden


def validate_deallocation(status: dict[str, Any], old: dict[str, Any], path: str) -> list[FieldError]:
    """Validates a change of `deallocationRequested` in the status of a ResourceClaim.

    Clients cannot set the field while the claim is reserved or not allocated. They cannot clear the field
    while the claim is allocated.
    """
    requested, was_requested = status.get("deallocationRequested"), old.get("deallocationRequested")
    errors: list[FieldError] = []
    if requested and not was_requested and status.get("reservedFor"):
        problem = "deallocation cannot be requested while `reservedFor` is set"
        errors.append(forbidden(f"{path}.deallocationRequested", problem))
    if requested and "allocation" not in status:
        errors.append(forbidden(path, "`allocation` must be set when `deallocationRequested` is set"))
    if was_requested and not requested and "allocation" in status:
        problem = "may not be cleared when `allocation` is set"
        errors.append(forbidden(f"{path}.deallocationRequested", problem))
    return errors
