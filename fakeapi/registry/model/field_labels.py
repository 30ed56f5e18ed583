"""FieldLabels: the fields of a kind that field selectors may use.

Follows the field label conversions of k8s.io/apimachinery `pkg/runtime`, and the `toSelectableFields` and
indexers of k8s.io/kubernetes `pkg/registry`. The module of a kind has the labels that only this kind has.
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
    """The fields of a kind that field selectors may use."""

    labels: tuple[str, ...] = (NAME, NAMESPACE)
    """The names of fields that a field selector may use."""

    refusal: str = METADATA_ONLY
    """The error message for field selectors that use another label."""

    fields_of: FieldsOf | None = None
    """Returns the fields of a stored object, without name and namespace; None if a kind has no other fields.
    """

    indexed: str | None = None
    """The label for which the watch cache has an index; None if it has none."""

    older: Mapping[str, str] = field(default_factory=dict)
    """Labels of old clients, mapped to the current labels."""


def name_and_namespace(kind: Kind) -> FieldLabels:
    """Returns the field labels of a kind that has only metadata.name and metadata.namespace."""
    return FieldLabels() if kind.namespaced else FieldLabels(fields_of=_none)


def _none(_obj: dict[str, Any]) -> Mapping[str, str]:
    """Returns no fields, for cluster-scoped kinds.

    With this function, selectors read name and namespace from the object instead of its storage key. The key
    of a cluster-scoped object has no namespace.
    """
    return {}
