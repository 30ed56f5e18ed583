"""Finds applied fields that the server dropped because their feature gate is off."""

import json
from collections.abc import Iterator
from typing import Any

from fakeapi.explaining.cluster_objects import ClusterObjects, reference
from fakeapi.machinery.json_types import Object

APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_LAYOUTS = frozenset(("resource.k8s.io/v1", "resource.k8s.io/v1beta2"))
"""The API versions that have the same field paths as the internal version."""


def dropped_notes(cluster: ClusterObjects, pod: Object) -> list[str]:
    """Returns one line for each claim or template with dropped fields that a pod uses."""
    namespace = pod["metadata"]["namespace"]
    sources = [("ResourceClaim", "resourceclaims", name) for name in cluster.names_of_claims(pod)]
    sources += [
        ("ResourceClaimTemplate", "resourceclaimtemplates", one["resourceClaimTemplateName"])
        for one in pod["spec"].get("resourceClaims") or ()
        if one.get("resourceClaimTemplateName")
    ]
    notes = []
    for kind, resource, name in sources:
        obj = cluster.get(resource, namespace, name)
        paths = [] if obj is None else [*dropped_paths(obj)]
        if obj is not None and paths:
            why = "the server dropped them, as it does while a feature gate is off"
            notes.append(f"{reference(kind, obj)} lacks applied fields: {', '.join(paths[:4])}; {why}")
    return notes


def dropped_paths(obj: Object) -> Iterator[str]:
    """Yields the paths below `spec` that kubectl applied and the server dropped.

    Yields nothing if kubectl applied an API version with other field paths.
    """
    try:
        applied = json.loads((obj["metadata"].get("annotations") or {}).get(APPLIED) or "{}")
    except ValueError:
        return
    if isinstance(applied, dict) and applied.get("apiVersion") in _LAYOUTS:
        yield from _missing("spec", applied.get("spec"), obj["spec"])


def _missing(path: str, applied: Any, stored: Any) -> Iterator[str]:
    if isinstance(applied, dict) and isinstance(stored, dict):
        for name, value in applied.items():
            if name in stored:
                yield from _missing(f"{path}.{name}", value, stored[name])
            elif value not in (None, {}, [], "", False):
                yield f"{path}.{name}"
    elif isinstance(applied, list) and isinstance(stored, list) and len(applied) == len(stored):
        for index, (one, other) in enumerate(zip(applied, stored, strict=True)):
            yield from _missing(f"{path}[{index}]", one, other)
