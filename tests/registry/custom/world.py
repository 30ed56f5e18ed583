"""Builds CustomResourceDefinitions and custom objects for tests."""

import copy
from typing import Any

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
GROUP = "example.com"
WIDGETS = f"/apis/{GROUP}/v1/namespaces/default/widgets"
ALL_WIDGETS = f"/apis/{GROUP}/v1/widgets"

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "size": {"type": "integer", "default": 3, "minimum": 1},
                "colour": {"type": "string"},
                "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            },
        },
        "status": {
            "type": "object",
            "properties": {
                "ready": {"type": "boolean"},
                "replicas": {"type": "integer"},
                "selector": {"type": "string"},
            },
        },
    },
}


def version(name: str = "v1", *, storage: bool = True, **more: Any) -> dict[str, Any]:
    """Returns a served version for a CustomResourceDefinition.

    `more`: fields to add, or a new value for the field `schema`.
    """
    schema = {"openAPIV3Schema": copy.deepcopy(SCHEMA)}
    return {"name": name, "served": True, "storage": storage, "schema": schema, **more}


def definition(plural: str = "widgets", kind: str = "Widget", **spec: Any) -> dict[str, Any]:
    """Returns a CustomResourceDefinition of a namespaced kind with the version v1.

    `spec`: fields to add to its spec, or new values of fields.
    """
    group = spec.get("group", GROUP)
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind},
            "versions": [version()],
            **spec,
        },
    }


def widget(name: str = "w", api_version: str = f"{GROUP}/v1", **members: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": "Widget", "metadata": {"name": name}, **members}


def conditions(stored: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Returns (status, reason) of each condition of a CustomResourceDefinition, by the condition's type."""
    return {each["type"]: (each["status"], each["reason"]) for each in stored["status"]["conditions"]}
