"""Builds a CustomResourceDefinition as large as the largest definitions of popular operators."""

from typing import Any

FIELDS = 1_300
"""The number of fields of the schema. Kueue's definition of workloads has 1,286 schema nodes."""

_DESCRIPTION = "A field that a controller reads. Its value selects what happens to the object. " * 2


def definition(kind: str) -> dict[str, Any]:
    """Returns a definition with nested objects, lists, defaults and CEL rules, for objects of a kind."""
    plural = f"{kind.lower()}s"
    groups = {f"group{number}": _group(number) for number in range(FIELDS // 26)}
    spec = {"type": "object", "description": _DESCRIPTION, "properties": groups}
    schema = {"type": "object", "properties": {"spec": spec, "status": {"type": "object"}}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }
    names = {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.bench.example.com"},
        "spec": {"group": "bench.example.com", "scope": "Namespaced", "names": names, "versions": [version]},
    }


def _group(number: int) -> dict[str, Any]:
    """Returns the schema of a list of at most 16 objects, each with a nested object.

    Every fourth list has a CEL rule for its objects.
    """
    text = {"type": "string", "maxLength": 63, "description": _DESCRIPTION}
    fields: dict[str, Any] = {f"field{which}": dict(text) for which in range(11)}
    fields["mode"] = {"type": "string", "enum": ["A", "B"], "default": "A", "description": _DESCRIPTION}
    nested = {"type": "object", "description": _DESCRIPTION, "properties": {**fields}}
    item: dict[str, Any] = {
        "type": "object",
        "description": _DESCRIPTION,
        "properties": {**fields, "inner": nested},
    }
    if number % 4 == 0:
        rule = "!has(self.field1) || self.field1 != 'x' || has(self.field2)"
        item["x-kubernetes-validations"] = [{"rule": rule, "message": "field2 is required"}]
    return {"type": "array", "maxItems": 16, "items": item, "description": _DESCRIPTION}
