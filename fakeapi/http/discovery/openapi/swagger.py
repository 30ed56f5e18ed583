"""Converts OpenAPI 3 paths and schemas to OpenAPI 2.

Follows k8s.io/kube-openapi `pkg/builder`: no defaults, references as they are, one type where 3 has a choice.
"""

from typing import Any

from fakeapi.http.discovery.openapi.schemas import REFERENCE, Schema

DEFINITIONS = "#/definitions/"
_BODY = "body"


def swagger_of(
    title: str,
    version: str,
    paths: dict[str, Any],
    schemas: dict[str, Schema],
    security: dict[str, Any],
) -> dict[str, Any]:
    """The OpenAPI 2 document of OpenAPI 3 paths, schemas and ways to say who one is."""
    return {
        "swagger": "2.0",
        "info": {"title": title, "version": version},
        "paths": {path: _path_item(item) for path, item in sorted(paths.items())},
        "definitions": {name: _schema(schema) for name, schema in sorted(schemas.items())},
        "securityDefinitions": security,
        "security": [{name: []} for name in security],
    }


def _path_item(item: dict[str, Any]) -> dict[str, Any]:
    return {
        name: [_parameter(each) for each in value] if name == "parameters" else _operation(value)
        for name, value in item.items()
    }


def _operation(found: dict[str, Any]) -> dict[str, Any]:
    parameters = [_parameter(each) for each in found.get("parameters", ())]
    made: dict[str, Any] = {"tags": found["tags"], "operationId": found["operationId"]}
    body = found.get("requestBody")
    if body is not None:
        schema = next(iter(body["content"].values()))["schema"]
        in_body: dict[str, Any] = {"name": _BODY, "in": _BODY, "schema": _schema(schema)}
        parameters.insert(0, {**in_body, "required": True} if body.get("required") else in_body)
        made["consumes"] = list(body["content"])
    made["produces"] = list(found["responses"]["200"]["content"])
    if parameters:
        made["parameters"] = parameters
    made["responses"] = {code: _response(answer) for code, answer in found["responses"].items()}
    return made | {name: value for name, value in found.items() if name.startswith("x-")}


def _parameter(found: dict[str, Any]) -> dict[str, Any]:
    """A parameter with the members of its schema inlined."""
    schema: Schema = found["schema"]
    return {name: value for name, value in found.items() if name != "schema"} | schema


def _response(found: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"description": found["description"]}
    if "content" in found:
        made["schema"] = _schema(next(iter(found["content"].values()))["schema"])
    return made


def _schema(schema: Schema) -> Schema:
    """A schema reduced to the keywords of OpenAPI 2."""
    if "$ref" in schema:
        return {"$ref": schema["$ref"].replace(REFERENCE, DEFINITIONS)}
    made = {name: value for name, value in schema.items() if name not in ("default", "allOf", "oneOf")}
    if "oneOf" in schema:
        return {"type": "string", **made}
    if "allOf" in schema:
        return _schema(schema["allOf"][0]) | made
    if "items" in schema:
        made["items"] = _schema(schema["items"])
    if isinstance(schema.get("additionalProperties"), dict):
        made["additionalProperties"] = _schema(schema["additionalProperties"])
    if "properties" in schema:
        made["properties"] = {name: _schema(value) for name, value in schema["properties"].items()}
    return made
