"""Finds writes whose managedFields have new times, for the reinvocation of mutating webhooks.

kube-apiserver sets new times of managedFields with nanoseconds. The first patch of a webhook cuts the times
to seconds, because the object is encoded as JSON. So this patch always counts as a change
(`callAttrMutatingHook` of k8s.io/apiserver `pkg/admission/plugin/webhook/mutating`).
"""

from typing import Any

from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.model.semantic_equality import semantically_equal

_IDENTITY = ("manager", "operation", "apiVersion", "subresource", "time")
_UNMANAGED = ("managedFields", "resourceVersion")


def has_new_times(attributes: Attributes, now: str) -> bool:
    """Returns whether a write has set a time in managedFields of its new object.

    `now`: the current time as in managedFields. A time equal to `now` is new if the write changes the object.
    """
    entries = _entries(attributes.obj)
    old = {_identity(entry) for entry in _entries(attributes.old)}
    if any(_identity(entry) not in old for entry in entries):
        return True
    return any(entry.get("time") == now for entry in entries) and not semantically_equal(
        _managed(attributes.obj), _managed(attributes.old)
    )


def _entries(obj: Object | None) -> list[Object]:
    entries: list[Object] = (obj or {}).get("metadata", {}).get("managedFields") or []
    return entries


def _identity(entry: Object) -> tuple[Any, ...]:
    return tuple(entry.get(name) for name in _IDENTITY)


def _managed(obj: Object | None) -> Object:
    """Returns an object without managedFields and resourceVersion."""
    fields = obj or {}
    metadata = fields.get("metadata", {})
    return {
        **fields,
        "metadata": {name: value for name, value in metadata.items() if name not in _UNMANAGED},
    }
