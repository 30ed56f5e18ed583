"""Functions for ObjectMeta in strategies: field order, writes to `/status`, and metadata.generation.

Follows `ResetObjectMetaForStatus` of k8s.io/apimachinery `pkg/apis/meta/v1`. For the generation, follows the
strategies of k8s.io/kubernetes `pkg/registry/resource`.
"""

from typing import Any

from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.registry.stored.form import METADATA_ORDER

_KEPT = (
    "selfLink",
    "generation",
    "deletionTimestamp",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
)


def in_order(metadata: dict[str, Any]) -> dict[str, Any]:
    """Returns the metadata with its fields in the order in which the server sends them."""
    return {name: metadata[name] for name in METADATA_ORDER if name in metadata}


def reset_for_status(new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """Returns the metadata `new`, with the old values of fields that a write to `/status` cannot change.

    The managedFields come from `new`.
    """
    if all(new.get(name) == old.get(name) for name in _KEPT):
        return new
    merged = {name: value for name, value in new.items() if name not in _KEPT}
    merged |= {name: old[name] for name in _KEPT if name in old}
    return in_order(merged)


def without_metadata(obj: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in obj.items() if name != "metadata"}


def for_status(new: dict[str, Any], old: dict[str, Any], *, stores_metadata: bool = False) -> dict[str, Any]:
    """Returns `new` with the spec of `old`, and with the old metadata that a write to `/status` cannot
    change.

    Changes `new`. `stores_metadata`: whether all metadata of `new` is stored, as in releases up to 1.29.
    """
    new["spec"] = old["spec"]
    if not stores_metadata:
        new["metadata"] = reset_for_status(new["metadata"], old["metadata"])
    return new


def with_generation(obj: dict[str, Any], generation: int) -> dict[str, Any]:
    """Returns `obj` with a new metadata.generation; changes `obj`."""
    obj["metadata"] = in_order({**obj["metadata"], "generation": generation})
    return obj


def with_incremented_generation(new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """Returns `new` with the generation of `old` plus 1; changes `new`."""
    return with_generation(new, old["metadata"].get("generation", 0) + 1)


def with_next_generation(
    new: dict[str, Any], old: dict[str, Any], *, empty_lists_differ: bool = False
) -> dict[str, Any]:
    """Returns `new`; increments its generation if its spec differs from the spec of `old`. May change
    `new`.

    `empty_lists_differ`: whether an empty list differs from a missing list, as for Go's reflect.DeepEqual.
    """
    spec, before = new["spec"], old["spec"]
    is_same = spec == before if empty_lists_differ else semantically_equal(spec, before)
    return new if is_same else with_incremented_generation(new, old)
