"""Functions that builders of several kinds use."""

from collections.abc import Mapping
from typing import Any


def metadata(name: str, namespace: str = "", labels: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Returns the metadata of an object, without empty fields."""
    fields: dict[str, Any] = {"name": name}
    if namespace:
        fields["namespace"] = namespace
    if labels:
        fields["labels"] = dict(labels)
    return fields
