"""FieldLabels: the fields of a kind that clients may use in field selectors.

Follows the field label conversions of k8s.io/apimachinery `pkg/runtime`, and the `toSelectableFields` and
indexers of k8s.io/kubernetes `pkg/registry`. Labels of a single kind are in the module of this kind.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from fakeapi.machinery.meta.field_selector import METADATA_ONLY
from fakeapi.registry.requests.predicate import FieldsOf
from fakeapi.releases import Kind

NAME = "metadata.name"
NAMESPACE = "metadata.namespace"


class FieldLabels(msgspec.Struct, frozen=True):
    """The fields of a kind that clients may use in field selectors. Kubernetes calls their names field
    labels.
    """

    labels: tuple[str, ...] = (NAME, NAMESPACE)
    """The field labels of the kind, such as "spec.nodeName"."""

    refusal: str = METADATA_ONLY
    """The error message for a field selector with a label that is not in `labels`."""

    fields_of: FieldsOf | None = None
    """Returns the selectable fields of a stored object, except name and namespace.

    None if the kind has no other fields.
    """

    indexed: str | None = None
    """The field label for which the watch cache has an index; None if the cache has no index."""

    older: Mapping[str, str] = msgspec.field(default_factory=dict)
    """The current field label for each field label that only old clients use."""


def name_and_namespace(kind: Kind) -> FieldLabels:
    """Returns the field labels of a kind that has only metadata.name and metadata.namespace."""
    return FieldLabels() if kind.namespaced else FieldLabels(fields_of=_none)


def _none(_obj: dict[str, Any]) -> Mapping[str, str]:
    """Returns no fields. Used as `FieldLabels.fields_of` for cluster-scoped kinds without further fields.

    Because of this function, field selectors read name and namespace from the object. The storage key of a
    cluster-scoped object does not contain a namespace.
    """
    return {}
