"""Generates minimal values for the schemas of CustomResourceDefinitions."""

import re
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]
_TEXTS = (
    "a",
    "a.b",
    "example.com/a",
    "1",
    "10s",
    "1h",
    "100m",
    "ReasonOfIt",
    "a.example.com",
    "10.0.0.0/8",
    "aa",
)
_TEXTS_OF_FORMATS = {
    "date-time": "2030-01-01T00:00:00Z",
    "byte": "YQ==",
    "uri": "https://a.example",
    "date": "2030-01-01",
}


def sample_of(schema: Schema) -> Any:
    """Returns a value with only the required fields of a schema.

    The value may violate CEL rules, `anyOf` and `oneOf`.
    """
    if "default" in schema:
        return schema["default"]
    if schema.get("enum"):
        return next((each for each in schema["enum"] if each not in ("", None)), schema["enum"][0])
    if schema.get("x-kubernetes-int-or-string"):
        return 1
    match schema.get("type"):
        case "object":
            return _object(schema)
        case "array":
            return [sample_of(schema["items"]) for _ in range(schema.get("minItems", 0))]
        case "integer" | "number":
            return max(schema.get("minimum", 1), min(1, schema.get("maximum", 1)))
        case "boolean":
            return True
        case "string":
            return _text(schema)
    return {}


def _object(schema: Schema) -> dict[str, Any]:
    required = list(schema.get("required") or ())
    for choice in ("oneOf", "anyOf"):
        required += ((schema.get(choice) or [{}])[0]).get("required") or ()
    known = schema.get("properties") or {}
    return {name: sample_of(known.get(name, {})) for name in required}


def _text(schema: Schema) -> str:
    texts = [_TEXTS_OF_FORMATS.get(schema.get("format", ""), "a"), *_TEXTS]
    patterns = [schema, *(schema.get("allOf") or ()), *(schema.get("anyOf") or ())[:1]]
    low, high = schema.get("minLength", 0), schema.get("maxLength", 1 << 20)
    fitting = (
        text
        for text in (*texts, "a" * low)
        if low <= len(text) <= high
        and all(re.search(each["pattern"], text) for each in patterns if each.get("pattern"))
    )
    return next(fitting, texts[0])


def defaults_of(
    schema: Schema, value: Any, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yields the field path and the value of each default that the server adds to the sample `value`."""
    if not isinstance(value, dict):
        return
    for name, part in (schema.get("properties") or {}).items():
        if not path and name in ("metadata", "status"):  # the samples have neither
            continue
        if name in value:
            yield from defaults_of(part, value[name], (*path, name))
        elif part.get("default") is not None:
            yield (*path, name), part["default"]


def found_at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = value[name]
    return value


def typed_member(schema: Schema) -> str | None:
    """Returns a top-level field of a schema whose type is not a number, or None if every field is a number.

    Ignores `metadata` and `status`.
    """
    for name, part in (schema.get("properties") or {}).items():
        if name not in ("metadata", "status") and part.get("type") in (
            "object",
            "array",
            "string",
            "boolean",
        ):
            return str(name)
    return None


def keeps_unknown(schema: Schema) -> bool:
    return bool(schema.get("x-kubernetes-preserve-unknown-fields"))
