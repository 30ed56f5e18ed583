"""Generates the OpenAPI document of the control API from its routes."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from fakeapi.control.route import JSON, Route
from fakeapi.version import __version__

OPENAPI_PATH = "/openapi.json"

_REFERENCE = "#/components/schemas/{name}"
_STATUS = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("kind", "apiVersion", "status", "message", "reason")}
    | {"metadata": {"type": "object"}, "code": {"type": "integer"}},
}


def document_of(routes: Sequence[Route]) -> bytes:
    """Returns the OpenAPI 3.1 document in JSON, with the schemas of all parameters, bodies and responses."""
    types = [kind for route in routes for kind in (route.body, route.answer) if _is_described(kind)]
    schemas, components = msgspec.json.schema_components(types, ref_template=_REFERENCE)
    by_type = dict(zip(map(repr, types), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, by_type)
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {"title": "fakeapi's control API", "version": __version__},
            "servers": [{"url": "/_fakeapi"}],
            "paths": paths,
            "components": {"schemas": {**components, "Status": _STATUS}},
        }
    )


def _is_described(kind: Any) -> bool:
    return kind is not None and kind is not bytes


def _operation(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"\{(\w+)(?::\w+)?\}", route.path)
    ]
    parameters += _query_parameters(route)
    operation: dict[str, Any] = {"summary": route.summary, "responses": _responses(route, schemas)}
    if parameters:
        operation["parameters"] = parameters
    if route.body is not None:
        schema = schemas[repr(route.body)] if _is_described(route.body) else {}
        operation["requestBody"] = {
            "required": not route.body_is_optional,
            "content": {JSON: {"schema": schema}},
        }
    return operation


def _query_parameters(route: Route) -> list[dict[str, Any]]:
    if route.query is None:
        return []
    (_,), components = msgspec.json.schema_components([route.query], ref_template=_REFERENCE)
    properties = components[route.query.__name__]["properties"]
    return [{"name": name, "in": "query", "schema": schema} for name, schema in properties.items()]


def _responses(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    failure = {
        "description": "A Status with the reason of the refusal.",
        "content": {JSON: {"schema": {"$ref": "#/components/schemas/Status"}}},
    }
    if route.media_type != JSON:
        success: dict[str, Any] = {"description": "Success.", "content": {route.media_type: {}}}
        return {"200": success, "default": failure}
    if route.answer is None:
        return {"204": {"description": "Done."}, "default": failure}
    content = {JSON: {"schema": schemas[repr(route.answer)]}}
    return {"200": {"description": "Success.", "content": content}, "default": failure}
