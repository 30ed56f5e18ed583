"""Builds tables of the Go types of a release. Checks the types against OpenAPI and protobuf messages."""

from collections.abc import Iterable
from typing import Any

from tools.gotypes import OPAQUE, GoField, GoSource, GoType, named

_KNOWN_FACTS = frozenset({
    "$ref", "additionalProperties", "allOf", "default", "description", "format", "items", "type",
    "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type",
    "x-kubernetes-patch-merge-key", "x-kubernetes-patch-strategy",
})  # fmt: skip
_AREAS = {
    "meta/": "io.k8s.apimachinery.pkg.apis",
    "apiextensions/": "io.k8s.apiextensions-apiserver.pkg.apis",
    "apiregistration/": "io.k8s.kube-aggregator.pkg.apis",
}
_GATE = "featureGate="


class TypesError(Exception):
    """Raised if a release's sources contradict each other, or if the tables cannot express a fact."""


def types_reached(roots: Iterable[str], source: GoSource, schemas: dict[str, Any]) -> dict[str, Any]:
    """Returns the table entries of these Go types and of all types that they refer to, by name.

    An entry has the fields of a struct, or the underlying type. Raises TypesError if Go, OpenAPI and protobuf
    contradict each other. Raises UnknownGoError if the Go source has an unknown form.
    """
    types: dict[str, Any] = {}
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name in types or name in OPAQUE:
            continue
        go = source.type(name)
        if go.underlying:
            types[name] = _renamed(go)
            waiting += named(go.underlying)
            continue
        types[name] = _struct(name, go, schemas[schema_name(name)])
        _check_numbers(name, go, source)
        for entry in go.fields:
            waiting += named(entry.type)
    return {name: types[name] for name in sorted(types)}


def schema_name(name: str) -> str:
    """Returns the OpenAPI name of a Go type: `io.k8s.api.core.v1.Pod` for `core/v1.Pod`."""
    package, _, short = name.rpartition(".")
    area = next((area for prefix, area in _AREAS.items() if package.startswith(prefix)), "io.k8s.api")
    return f"{area}.{package.replace('/', '.')}.{short}"


def _renamed(go: GoType) -> Any:
    """Returns the table entry of a Go type that is not a struct.

    The entry is the name of the underlying type, or a dict with `type`, `enum` and `message`.
    """
    more = {
        **({"enum": list(go.enum)} if go.enum else {}),
        **({"message": True} if go.is_message else {}),
    }
    return {"type": go.underlying, **more} if more else go.underlying


def _struct(name: str, go: GoType, schema: dict[str, Any]) -> dict[str, Any]:
    if {entry.name for entry in go.fields} != set(schema.get("properties", ())):
        raise TypesError(f"{name}: Go and OpenAPI have different fields")
    return {
        **({"atomic": True} if schema.get("x-kubernetes-map-type") == "atomic" else {}),
        "fields": [_field(name, entry, schema) for entry in go.fields],
    }


def _field(owner: str, entry: GoField, schema: dict[str, Any]) -> dict[str, Any]:
    facts = schema["properties"][entry.name]
    place = f"{owner}.{entry.name}"
    if unknown := set(facts) - _KNOWN_FACTS:
        raise TypesError(f"{place}: no place for {', '.join(sorted(unknown))}")
    strategy = facts.get("x-kubernetes-patch-strategy", "")
    merge_key = facts.get("x-kubernetes-patch-merge-key", "")
    if (strategy, merge_key) != (entry.patch_strategy, entry.patch_merge_key):
        raise TypesError(f"{place}: Go and OpenAPI have different patch strategies")
    compiled: dict[str, Any] = {"name": entry.name, "type": entry.type}
    if entry.omitempty:
        compiled["omitempty"] = True
    if entry.omitzero:
        compiled["omitzero"] = True
    if entry.name in schema.get("required", ()):
        compiled["required"] = True
    optional = {
        "default": facts.get("default"),
        "list": facts.get("x-kubernetes-list-type"),
        "keys": facts.get("x-kubernetes-list-map-keys"),
        "map": facts.get("x-kubernetes-map-type"),
        "patch": strategy or None,
        "patch_key": merge_key or None,
        "numbers": list(entry.numbers) or None,
        "gates": _gates(entry.markers) or None,
    }
    return compiled | {key: fact for key, fact in optional.items() if fact is not None}


def _gates(markers: tuple[str, ...]) -> list[str]:
    """Returns the feature gates in a field's markers. The server drops the field if one of them is off."""
    return [
        name
        for each in markers
        if each.startswith(_GATE)
        for name in each.removeprefix(_GATE).replace(" ", "").split(",")
    ]


def _check_numbers(name: str, go: GoType, source: GoSource) -> None:
    """Checks that the Go tags of a struct and its protobuf message have the same field numbers.

    Skips the fields of inlined structs. Raises TypesError if the numbers differ.
    """
    package, _, short = name.rpartition(".")
    message = source.messages(package).get(short)
    if message is None:
        return
    direct = {entry.name: entry.numbers[0] for entry in go.fields if len(entry.numbers) == 1}
    for field, number in direct.items():
        if field in message and message[field] != number:
            raise TypesError(f"{name}.{field}: Go says number {number}, protobuf {message[field]}")
