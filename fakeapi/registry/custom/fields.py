"""Reads the selectable fields of custom objects, for field selectors.

Follows `selectableFields` of k8s.io/apiextensions-apiserver `pkg/registry/customresource/strategy.go`, and
the conversion of field labels in `pkg/apiserver/conversion`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from fakeapi.machinery.golang.fmt import printed
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.field_selector import NOT_SUPPORTED
from fakeapi.registry.custom.kind import CustomKind
from fakeapi.registry.model.field_labels import NAME, NAMESPACE, FieldLabels


def field_labels_of(kind: CustomKind, read: Callable[[Object], Object]) -> FieldLabels:
    """Returns the fields that clients may use in field selectors on a custom kind.

    `read`: a function that converts a stored object to the kind's version.
    """
    paths = {path.removeprefix("."): path for path in kind.version_specification.selectable}
    labels = (NAME, NAMESPACE, *paths) if kind.namespaced else (NAME, *paths)
    if not paths:
        return FieldLabels(labels, NOT_SUPPORTED, None if kind.namespaced else _none)

    def fields_of(obj: dict[str, Any]) -> Mapping[str, str]:
        converted = read(obj)
        return {label: _text(converted, label) for label in paths}

    return FieldLabels(labels, NOT_SUPPORTED, fields_of)


def _none(_obj: dict[str, Any]) -> Mapping[str, str]:
    return {}


def _text(obj: Object, path: str) -> str:
    value: Any = obj
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return "" if value is None else printed(value)
