"""Checks the managedFields of an object after all mutating admission steps.

Follows k8s.io/apiserver `pkg/endpoints/handlers/fieldmanager/admission.go`.
"""

from typing import Any

from fakeapi.machinery.apply import managedfields
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.model.object_meta import in_order

_INVALID_FIELDS = (
    ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated "
    "mutating admission controller; please fix your requests: "
)


def managed_fields_of(attributes: Attributes) -> Any:
    """Returns the managedFields of the new object; None for a delete or an object without this field."""
    return None if attributes.obj is None else attributes.obj.get("metadata", {}).get("managedFields")


def check_managed_fields(attributes: Attributes, before: Any) -> None:
    """Restores managedFields that mutating admission made invalid, and adds a warning.

    `before`: the managedFields before mutating admission.
    """
    after = managed_fields_of(attributes)
    if after is before or after == before:
        return
    try:
        managedfields.decode(after)
    except managedfields.ManagedFieldsError as error:
        attributes.warnings.add(f"{_INVALID_FIELDS}{error}")
        obj = attributes.new_object()
        kept = {name: value for name, value in obj["metadata"].items() if name != "managedFields"}
        obj["metadata"] = in_order({**kept, "managedFields": before} if before else kept)
