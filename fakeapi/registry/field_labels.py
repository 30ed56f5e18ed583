"""The fields of each kind that field selectors may name.

Follows the field label conversions of k8s.io/apimachinery `pkg/runtime` and of k8s.io/kubernetes
`pkg/apis/core/v1` and `pkg/apis/resource`, and the `toSelectableFields` and indexers of `pkg/registry`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.meta.field_selector import METADATA_ONLY, NOT_SUPPORTED
from fakeapi.registry.predicate import FieldsOf
from fakeapi.releases import Kind

NAME = "metadata.name"
NAMESPACE = "metadata.namespace"


@dataclass(frozen=True, slots=True)
class FieldLabels:
    """`refusal` is what is said of any other label. `fields_of` reads the fields of a stored object that
    stand beside its name and namespace; None where there are none. `indexed` is the one that the watch
    cache has an index for.
    """

    labels: tuple[str, ...] = (NAME, NAMESPACE)
    refusal: str = METADATA_ONLY
    fields_of: FieldsOf | None = None
    indexed: str | None = None


def field_labels_of(kind: Kind) -> FieldLabels:
    """The selectable fields of a kind; kinds without any of their own have name and namespace."""
    if kind.resource == "namespaces":
        return FieldLabels((NAME, "status.phase"), NOT_SUPPORTED, _of_namespace)
    if kind.resource == "resourceslices":
        refusal = f"field label not supported for {kind.api_version}, Kind={kind.kind}: {{label}}"
        if kind.version == "v1alpha2":
            return FieldLabels(
                (NAME, "nodeName", "driverName"), refusal, _of_v1alpha2_slice, indexed="nodeName"
            )
        return FieldLabels(
            (NAME, "spec.nodeName", "spec.driver"), refusal, _of_slice, indexed="spec.nodeName"
        )
    return FieldLabels() if kind.namespaced else FieldLabels(fields_of=_of_any)


def _of_any(_obj: dict[str, Any]) -> Mapping[str, str]:
    """A key in the storage has no namespace to be read from, so the object is asked."""
    return {}


def _of_namespace(obj: dict[str, Any]) -> Mapping[str, str]:
    return {"status.phase": obj["status"].get("phase", "")}


def _of_v1alpha2_slice(obj: dict[str, Any]) -> Mapping[str, str]:
    return {"nodeName": obj.get("nodeName", ""), "driverName": obj["driverName"]}


def _of_slice(obj: dict[str, Any]) -> Mapping[str, str]:
    return {"spec.nodeName": obj["spec"].get("nodeName", ""), "spec.driver": obj["spec"]["driver"]}
