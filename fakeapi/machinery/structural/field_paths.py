"""Resolves JSON paths to fields of a schema, for the fieldPath of CEL rules and for selectable fields.

Follows ValidFieldPath of k8s.io/apiextensions-apiserver `pkg/apiserver/schema/cel`.
"""

import re
from collections.abc import Iterator

from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.structural.pruning import one
from fakeapi.machinery.structural.schema import Schema

_TOKEN = lazy_pattern(r"[.\[\]]|'(?:[^'\\]|\\.|\\\Z)*'?|[^.\[\]]+", re.DOTALL)
_ESCAPE = lazy_pattern(r"\\(.)", re.DOTALL)
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "'": "'", "\\": "\\"}
_NOWHERE = "does not refer to a valid field"
_ENDS_EARLY = "unexpected end of JSON path"


class FieldPathError(ValueError):
    """Raised if a JSON path does not lead to a field of the schema. The message comes from upstream."""


def field_path(text: str, schema: Schema, *, allows_brackets: bool = True) -> tuple[str, Schema]:
    """Resolves a JSON path such as `.spec.labels['a.b']`; returns (path for errors, schema of the field).

    The path for errors is `spec.labels[a.b]`. Raises FieldPathError if the path is not valid, or leads to no
    field.

    `allows_brackets`: whether the path may contain brackets.
    """
    path = ""
    tokens = iter(_TOKEN.findall(text))
    for sign in tokens:
        if sign == "[":
            if not allows_brackets:
                raise FieldPathError("array notation is not allowed")
            name = _quoted(_next(tokens))
        elif sign == ".":
            name = _next(tokens)
        else:
            raise FieldPathError(f"expected [ or . but got: {sign}")
        path, schema = _below(path, schema, name)
        if sign == "[":
            closing = _next(tokens)
            if closing != "]":
                raise FieldPathError(f"expected ] but got {closing}")
    return path, schema


def _next(tokens: Iterator[str]) -> str:
    token = next(tokens, None)
    if token is None:
        raise FieldPathError(_ENDS_EARLY)
    return token


def _below(path: str, schema: Schema, name: str) -> tuple[str, Schema]:
    if schema.properties:
        below = schema.properties.get(name)
        path = f"{path}.{name}" if path else name
    else:
        below = one(schema.additional_properties)
        path = f"{path}[{name}]"
    if below is None:
        raise FieldPathError(_NOWHERE)
    return path, below


def _quoted(token: str) -> str:
    if len(token) < 2 or token[0] != "'" or token[-1] != "'":
        raise FieldPathError(f"expected single quoted string but got {token}")

    def character(match: re.Match[str]) -> str:
        if match[1] not in _ESCAPES:
            raise FieldPathError(f"invalid string literal: invalid escape char {match[0]}")
        return _ESCAPES[match[1]]

    return _ESCAPE.sub(character, token[1:-1])
