"""Finds the unknown fields that a server reports in its warnings, and suggests the fields that were meant.

By default, kube-apiserver drops unknown fields of a write, and names them in Warning headers
(`fieldValidation=Warn`).
"""

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.suggestions import did_you_mean
from fakeapi.testing.caller import stack_level

_UNKNOWN = lazy_pattern(r'unknown field \\?"([^"\\]+)\\?"')
_NAMES = lazy_pattern(r"\[[^\]]*\]|[^.\[\]]+")
"""Matches the parts of a field path: names of fields, and indexes or keys in brackets."""

_SHOWN_FIELDS = 10
"""Maximum number of unknown fields in a text; the text leaves out further fields."""


class UnknownFieldWarning(UserWarning):
    """Warning of a test: the server has dropped an unknown field of an object that the test wrote.

    With `fieldValidation="Strict"`, the server refuses the object; with "Ignore", it does not warn.
    """


def unknown_fields(headers: Iterable[str]) -> list[str]:
    """Returns the paths of the unknown fields that Warning headers name."""
    return [path for header in headers for path in _UNKNOWN.findall(header)]


def texts_of(paths: Iterable[str], body: object, read: Callable[[str], Any]) -> list[str]:
    """Returns a text for each unknown field, with the field that was probably meant.

    - `paths`: such as "spec.devices.requests[0].exactly.deviceClassname".
    - `body`: the written object.
    - `read`: returns the JSON of a path of the server; used for the OpenAPI document of the object's version.
    """
    named = [*paths][:_SHOWN_FIELDS]
    schemas, root = _schemas(body, read) if named else ({}, {})
    return [f'unknown field "{path}"{_hint(path, root, schemas)}' for path in named]


def warn(texts: Iterable[str], request: str) -> None:
    """Issues an UnknownFieldWarning for each text, at the line of the test. `request`: verb and object."""
    for text in texts:
        warnings.warn(f"{request}: the server dropped the {text}", UnknownFieldWarning, stack_level())


def _schemas(body: object, read: Callable[[str], Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Returns the schemas of an object's API version by name, and the schema of its kind; {} if unknown."""
    version = str(body.get("apiVersion", "")) if isinstance(body, Mapping) else ""
    group, _, name = version.rpartition("/")
    if not version:
        return {}, {}
    document = read(f"/openapi/v3/apis/{version}" if group else f"/openapi/v3/api/{name}")
    schemas: Mapping[str, Any] = document.get("components", {}).get("schemas", {}) if document else {}
    wanted = {"group": group, "version": name, "kind": body.get("kind") if isinstance(body, Mapping) else ""}
    roots = (each for each in schemas.values() if wanted in each.get("x-kubernetes-group-version-kind", ()))
    return schemas, next(roots, {})


def _hint(path: str, root: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """Returns "; did you mean …?" for the last name of a path; "" if no field is similar."""
    *parents, last = _NAMES.findall(path)
    schema = _resolved(root, schemas)
    for part in parents:
        inner = schema.get("properties", {}).get(part)
        if inner is None:
            inner = schema.get("items") if part.startswith("[") else schema.get("additionalProperties")
        schema = _resolved(inner if isinstance(inner, dict) else {}, schemas)
    return did_you_mean(last, schema.get("properties", {}))


def _resolved(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the schema that `$ref` or `allOf` names; otherwise the schema itself."""
    for each in (schema, *schema.get("allOf", ())):
        if "$ref" in each:
            found: Mapping[str, Any] = schemas.get(each["$ref"].rpartition("/")[2], {})
            return found
    return schema
