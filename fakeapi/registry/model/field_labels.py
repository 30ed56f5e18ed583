"""Field labels: the fields of a kind that field selectors may name.

Follows the field label conversions of k8s.io/apimachinery `pkg/runtime`, and the `toSelectableFields` and
indexers of k8s.io/kubernetes `pkg/registry`. The labels of a kind with some of its own stand in its module.
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
    """`refusal` is the message about any other label. `fields_of` reads the fields of a stored object beside
    its name and namespace; None where there are none. `indexed` is the label that the watch cache has an
    index for. `older` are labels of old clients, and what they stand for.
    """

    labels: tuple[str, ...] = (NAME, NAMESPACE)
    refusal: str = METADATA_ONLY
    fields_of: FieldsOf | None = None
    indexed: str | None = None
    older: Mapping[str, str] = field(default_factory=dict)


def name_and_namespace(kind: Kind) -> FieldLabels:
    """For kinds without labels of their own."""
    return FieldLabels() if kind.namespaced else FieldLabels(fields_of=_none)


def _none(_obj: dict[str, Any]) -> Mapping[str, str]:
    """No fields. The storage key of a cluster-scoped object has no namespace to read, so the object is
    decoded.
    """
    return {}
