"""Field labels: the fields of a kind that field selectors may name.

Follows the field label conversions of k8s.io/apimachinery `pkg/runtime`, and the `toSelectableFields` and
indexers of k8s.io/kubernetes `pkg/registry`. Labels that only one kind has are in the module of that kind.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fakeapi.machinery.meta.field_selector import METADATA_ONLY
from fakeapi.registry.requests.predicate import FieldsOf
from fakeapi.releases import Kind

NAME = "metadata.name"
NAMESPACE = "metadata.namespace"


@dataclass(frozen=True, slots=True)
class FieldLabels:
    """The field labels of a kind."""

    labels: tuple[str, ...] = (NAME, NAMESPACE)
    """The labels that a field selector may use."""

    refusal: str = METADATA_ONLY
    """The error message for any other label."""

    fields_of: FieldsOf | None = None
    """Reads the fields of a stored object except name and namespace; None if a kind has no other fields."""

    indexed: str | None = None
    """The label for which the watch cache has an index."""

    older: Mapping[str, str] = field(default_factory=dict)
    """Labels that old clients use, mapped to the current labels."""


def name_and_namespace(kind: Kind) -> FieldLabels:
    """Returns the field labels of a kind that has only metadata.name and metadata.namespace."""
    return FieldLabels() if kind.namespaced else FieldLabels(fields_of=_none)


def _none(_obj: dict[str, Any]) -> Mapping[str, str]:
    """Returns no fields, for cluster-scoped kinds.

    Because this function exists, selectors read name and namespace from the decoded object. The storage key
    of a cluster-scoped object has no namespace.
    """
    return {}
