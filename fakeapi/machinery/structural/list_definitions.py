"""Validates x-kubernetes-list-type and x-kubernetes-list-map-keys of a schema.

Follows k8s.io/apiextensions-apiserver `pkg/apis/apiextensions/validation`.
"""

from collections.abc import Iterator

from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported, required
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.structural.internal_form import items_json
from fakeapi.machinery.structural.internal_syntax import items_syntax
from fakeapi.machinery.structural.pruning import one
from fakeapi.machinery.structural.results import shown
from fakeapi.machinery.structural.rule_sites import Strictness
from fakeapi.machinery.structural.rules import SchemaRules
from fakeapi.machinery.structural.schema import Schema

_LIST_TYPES = ("atomic", "set", "map")


def list_errors(
    schema: Schema, path: str, strictness: Strictness, rules: SchemaRules
) -> Iterator[FieldError]:
    """Validates x-kubernetes-list-type and x-kubernetes-list-map-keys of a schema node."""
    list_type, items = schema.list_type, one(schema.items)
    at = f"{path}.x-kubernetes-list-type"
    if list_type is not None and schema.type != "array":
        detail = "must be array if x-kubernetes-list-type is specified"
        where = f"{path}.type"
        yield invalid(where, schema.type, detail) if schema.type else required(where, detail)
    elif strictness.requires_atomic_sets and list_type == "set" and items is not None:
        yield from _set_item_errors(items, path, rules)
    if list_type not in (None, *_LIST_TYPES):
        yield not_supported(at, list_type, _LIST_TYPES)
    if schema.list_map_keys:
        detail = "must be map if x-kubernetes-list-map-keys is non-empty"
        if list_type is None:
            yield required(at, detail)
        elif list_type != "map":
            yield invalid(at, list_type, detail)
    if list_type == "map":
        yield from _map_errors(schema, path, rules)


def has_set_of_changeable(schema: Schema) -> bool:
    """Whether a schema is a list of type set whose items are not atomic."""
    items = one(schema.items)
    return schema.list_type == "set" and items is not None and bool(_wrong_atomicity(items))


def map_key_errors(schema: Schema, path: str) -> Iterator[FieldError]:
    """Yields errors for nullable items of sets and list maps, and for unusable list map keys.

    A list map key is unusable if it may be absent or null.
    """
    items = one(schema.items)
    if items is None or schema.list_type not in ("set", "map"):
        return
    if items.nullable:
        detail = f"cannot be nullable when x-kubernetes-list-type is {schema.list_type}"
        yield forbidden(f"{path}.items.nullable", detail)
    if schema.list_type != "map":
        return
    for key in schema.list_map_keys:
        below = items.properties.get(key)
        if below is None:
            continue
        at = f"{path}.items.properties[{key}]"
        if key not in items.required and below.default is None:
            detail = (
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be a "
                "required property"
            )
            yield required(f"{at}.default", detail)
        if below.nullable:
            detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"
            yield forbidden(f"{at}.nullable", detail)


def _wrong_atomicity(items: Schema) -> str:
    """Returns the name of the extension that makes items of a set not atomic; "" if the items are atomic."""
    if items.type == "array" and items.list_type not in (None, "atomic"):
        return "x-kubernetes-list-type"
    if items.type == "object" and items.map_type != "atomic":
        return "x-kubernetes-map-type"
    return ""


def _set_item_errors(items: Schema, path: str, rules: SchemaRules) -> Iterator[FieldError]:
    extension = _wrong_atomicity(items)
    if extension:
        # Upstream includes the list type in the error of both extensions.
        detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
        yield invalid(f"{path}.items.{extension}", shown(items.list_type, rules), detail)


def _map_errors(schema: Schema, path: str, rules: SchemaRules) -> Iterator[FieldError]:
    keys_path = f"{path}.x-kubernetes-list-map-keys"
    items = one(schema.items)
    if not schema.list_map_keys:
        yield required(keys_path, "must not be empty if x-kubernetes-list-type is map")
    if schema.items is None:
        detail = "must have a schema if x-kubernetes-list-type is map"
        yield required(f"{path}.items", detail)
    if isinstance(schema.items, tuple):
        detail = "must only have a single schema if x-kubernetes-list-type is map"
        value = (items_json if rules.words.json_values else items_syntax)(schema.items)
        yield invalid(f"{path}.items", Dump(value), detail)
    if items is None:
        return
    if items.type != "object":
        detail = "must be object if parent array's x-kubernetes-list-type is map"
        yield invalid(f"{path}.items.type", items.type, detail)
        return
    seen: set[str] = set()
    for key in schema.list_map_keys:
        below = items.properties.get(key)
        if below is None:
            detail = "entries must all be names of item properties"
            yield invalid(keys_path, Dump(rules.words.strings(schema.list_map_keys)), detail)
        elif below.type in ("array", "object"):
            detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            yield invalid(f"{path}.items.properties[{key}].type", items.type, detail)
        if key in seen:
            detail = "must not contain duplicate entries"
            yield invalid(keys_path, Dump(rules.words.strings(schema.list_map_keys)), detail)
        seen.add(key)
