"""Converts OpenAPI 3 paths and schemas to OpenAPI 2.

Follows k8s.io/kube-openapi `pkg/builder`: removes defaults, replaces `allOf` by the reference inside, and
replaces `oneOf` by the type string.
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
    """Converts paths, schemas and security schemes of OpenAPI 3 to an OpenAPI 2 document."""
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
        name: [_parameter(parameter) for parameter in value] if name == "parameters" else _operation(value)
        for name, value in item.items()
    }


def _operation(openapi3: dict[str, Any]) -> dict[str, Any]:
    parameters = [_parameter(parameter) for parameter in openapi3.get("parameters", ())]
    operation: dict[str, Any] = {"tags": openapi3["tags"], "operationId": openapi3["operationId"]}
    body = openapi3.get("requestBody")
    if body is not None:
        schema = next(iter(body["content"].values()))["schema"]
        in_body: dict[str, Any] = {"name": _BODY, "in": _BODY, "schema": _schema(schema)}
        parameters.insert(0, {**in_body, "required": True} if body.get("required") else in_body)
        operation["consumes"] = list(body["content"])
    operation["produces"] = list(openapi3["responses"]["200"]["content"])
    if parameters:
        operation["parameters"] = parameters
    operation["responses"] = {code: _response(answer) for code, answer in openapi3["responses"].items()}
    return operation | {name: value for name, value in openapi3.items() if name.startswith("x-")}


def _parameter(openapi3: dict[str, Any]) -> dict[str, Any]:
    """Converts a parameter to OpenAPI 2: moves the keywords of its schema into the parameter itself."""
    schema: Schema = openapi3["schema"]
    return {name: value for name, value in openapi3.items() if name != "schema"} | schema


def _response(openapi3: dict[str, Any]) -> dict[str, Any]:
    response: dict[str, Any] = {"description": openapi3["description"]}
    if "content" in openapi3:
        response["schema"] = _schema(next(iter(openapi3["content"].values()))["schema"])
    return response


def _schema(schema: Schema) -> Schema:
    """Converts a schema to OpenAPI 2: drops defaults, and replaces `allOf` and `oneOf`."""
    if "$ref" in schema:
        return {"$ref": schema["$ref"].replace(REFERENCE, DEFINITIONS)}
    reduced = {name: value for name, value in schema.items() if name not in ("default", "allOf", "oneOf")}
    if "oneOf" in schema:
        return {"type": "string", **reduced}
    if "allOf" in schema:
        return _schema(schema["allOf"][0]) | reduced
    if "items" in schema:
        reduced["items"] = _schema(schema["items"])
    if isinstance(schema.get("additionalProperties"), dict):
        reduced["additionalProperties"] = _schema(schema["additionalProperties"])
    if "properties" in schema:
        reduced["properties"] = {name: _schema(value) for name, value in schema["properties"].items()}
    return reduced
