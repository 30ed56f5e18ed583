"""Reads the tables in data/ that record structured-merge-diff's results, and the schemas in these tables.

A schema is `{"root": name, "types": {name: node}}`. `root` is the name of the object's type. If it is null,
the name of the type is the API version. A schema node is one of:

- "string", "number" or "boolean"
- "untyped": any scalar
- "any": any value, which is owned as a whole
- "@name": the type `name`
- `{"struct": {field: node}}` or `{"map": node}`, optionally with `"atomic": true`
- `{"list": node, "type": "atomic" | "set" | "map", "keys": [...], "defaults": {...}}`

Field sets have the form of FieldsV1.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from fakeapi.machinery.schema.nodes import (
    AnyValue,
    Field,
    List,
    ListType,
    Map,
    Node,
    Scalar,
    ScalarKind,
    Struct,
)

_SCALARS: dict[str, Node] = {
    "string": Scalar(ScalarKind.STRING, "string"),
    "number": Scalar(ScalarKind.NUMBER, "float64"),
    "boolean": Scalar(ScalarKind.BOOLEAN, "bool"),
    "untyped": Scalar(ScalarKind.INT_OR_STRING, "intstr.IntOrString"),
    "any": AnyValue("interface {}"),
}

Table = dict[str, Any]


def read(name: str) -> Table:
    with (Path(__file__).parent / "data" / name).open() as file:
        table: Table = json.load(file)
    return table


class Types:
    """The compiled schema nodes of a schema, by type name.

    Recursive maps and lists are expanded `DEPTH` times; deeper values have the node "any".
    """

    DEPTH = 6

    def __init__(self, schema: Table) -> None:
        self.root: str | None = schema["root"]
        self._sources: Table = schema["types"]
        self._structs: dict[str, Struct] = {}
        self._within: list[str] = []

    def __contains__(self, name: str) -> bool:
        return name in self._sources

    def node(self, version: str = "") -> Node:
        """Returns the schema node of the root type. If the schema names no root, uses the type `version`."""
        return self._compile("@" + (self.root or version))

    def _named(self, name: str) -> Node:
        source = self._sources[name]
        if isinstance(source, dict) and "struct" in source:
            if name not in self._structs:
                self._structs[name] = Struct(name, atomic=source.get("atomic", False))
                self._fill(self._structs[name], source)
            return self._structs[name]
        if self._within.count(name) == self.DEPTH:
            return _SCALARS["any"]
        self._within.append(name)
        node = self._compile(source)
        self._within.pop()
        return node

    def _fill(self, struct: Struct, source: Table) -> None:
        for name, node in source["struct"].items():
            struct.fields[name] = Field(name, self._compile(node))

    def _compile(self, source: Any) -> Node:
        if isinstance(source, str):
            return self._named(source[1:]) if source.startswith("@") else _SCALARS[source]
        if "struct" in source:
            struct = Struct("", atomic=source.get("atomic", False))
            self._fill(struct, source)
            return struct
        if "map" in source:
            return Map(self._compile(source["map"]), "", source.get("atomic", False))
        return List(
            self._compile(source["list"]),
            "",
            ListType(source["type"]),
            tuple(source.get("keys", ())),
            tuple(source.get("defaults", {}).items()),
        )


TYPED = read("typed.json")
_SCHEMAS = {name: Types(schema) for name, schema in TYPED["schemas"].items()}


def rows(table: str) -> pytest.MarkDecorator:
    """Parametrizes a test with the rows of a table in typed.json. The parameter's name is `row`."""
    cases = TYPED[table]
    assert cases
    return pytest.mark.parametrize("row", cases, ids=[f"{row['schema']} {row['name']}" for row in cases])


def node_of(row: Table) -> Node:
    return _SCHEMAS[row["schema"]].node()
