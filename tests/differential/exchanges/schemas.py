"""Random schemas of CustomResourceDefinitions with CEL rules, and random values of these schemas."""

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

Schema = dict[str, Any]
Path = tuple[Any, ...]

DEPTH_MAX = 3
NAMES = ("a", "b", "count", "items", "mode", "name", "size", "when")
TEXTS = ("", "a", "b", "abc", "A_b", "x" * 70, "1", "2025-01-01T00:00:00Z", "é")
NUMBERS = (0, 1, 2, 3, 5, 10, -1, 2**31, 2**63 - 1)
ODD: tuple[Any, ...] = (None, "text", 1, 1.5, True, [], {}, [None], {"a": 1})
"""Values that often have a wrong type."""

RULES: dict[str, tuple[str, ...]] = {
    "integer": ("self >= 0", "self < 10", "self % 2 == 0", "self == oldSelf", "self in [0, 1, 2, 3]"),
    "number": ("self >= 0.0", "self < 10.5"),
    "string": (
        "self.size() < 5",
        "self.matches('^[a-z0-9]*$')",
        "self == oldSelf",
        "self.startsWith('a')",
        "self != 'b'",
        "self.lowerAscii() == self",
    ),
    "boolean": ("self", "self || !oldSelf"),
    "array": ("self.size() <= 2", "self.size() >= oldSelf.size()", "self.all(x, x == x)"),
    "object": ("self == oldSelf", "true", "self != oldSelf || true"),
}
"""CEL rules by type. A rule with `oldSelf` is a transition rule."""

WRONG_RULES = ("self.nope", "self +", "unknown(self)", "self == 'a' && self > 1", "oldSelf.all(x, y)", "")
_MESSAGES: tuple[dict[str, Any], ...] = (
    {},
    {},
    {"message": "must be right"},
    {"messageExpression": "'not ' + 'right'"},
    {"reason": "FieldValueForbidden"},
    {"reason": "FieldValueDuplicate", "message": "again"},
)
_RARE_MESSAGES: tuple[dict[str, Any], ...] = (
    {"messageExpression": "'got ' + string(self)"},
    {"messageExpression": "self"},
    {"optionalOldSelf": True},
    {"fieldPath": ".a"},
    {"message": "two\nlines"},
)
RULED = 0.15
"""The part of the schemas that have CEL rules."""

BOUNDED = 0.9
"""The part of the strings, lists and maps with a maximum, without which CEL rules may cost too much."""

_FORMATS = ("date-time", "ipv4", "uuid", "byte", "email", "duration")


class SchemaWriter:
    """Generates schemas, and values that are near a schema. Equal states of `random` give equal results."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._in_lists = 0

    def schema(self, depth: int = 0) -> Schema:
        """Returns a random schema, mostly valid. `depth`: the number of schemas above."""
        types = ["string", "string", "integer", "integer", "boolean", "number", "any"]
        if depth < DEPTH_MAX:
            types += ["object", "object", "array", "array", "map"]
        name = self._random.choice(types)
        makers: dict[str, Callable[[], Schema]] = {
            "string": self._string,
            "integer": self._integer,
            "number": lambda: self._bounded({"type": "number"}),
            "boolean": lambda: {"type": "boolean"},
            "any": self._any,
            "object": lambda: self.object(depth),
            "array": lambda: self._array(depth),
            "map": lambda: self._map(depth),
        }
        made = makers[name]()
        if self._random.random() < 0.1:
            made["nullable"] = True
        plain = not made.keys() & {"pattern", "format", "minLength", "multipleOf", "minItems"}
        if self._random.random() < (0.2 if plain else 0.02) and "type" in made:
            made["default"] = self.value(made)
        return self._with_rules(made)

    def object(self, depth: int) -> Schema:
        """Returns the schema of an object with one to four properties."""
        names = self._random.sample(NAMES, self._random.randint(1, 4))
        made: Schema = {
            "type": "object",
            "properties": {name: self.schema(depth + 1) for name in sorted(names)},
        }
        if self._random.random() < 0.4:
            made["required"] = [self._random.choice(names)]
        if self._random.random() < 0.15:
            made["x-kubernetes-preserve-unknown-fields"] = True
        if self._random.random() < 0.1:
            made["x-kubernetes-map-type"] = self._random.choice(["atomic", "granular"])
        return made

    def _map(self, depth: int) -> Schema:
        bounds = {"maxProperties": 10} if self._random.random() < BOUNDED else {}
        return {"type": "object", "additionalProperties": self._item(depth + 1), **bounds}

    def _string(self) -> Schema:
        made: Schema = {"type": "string"}
        if self._random.random() < BOUNDED:
            made["maxLength"] = 64
        chance = self._random.random()
        if chance < 0.2:
            made["enum"] = self._random.sample(["a", "b", "abc", ""], 2)
        elif chance < 0.4:
            made["maxLength"] = self._random.choice([1, 3, 64])
        elif chance < 0.5:
            made["minLength"] = 1
        elif chance < 0.65:
            made["pattern"] = self._random.choice(["^[a-z]*$", "^a", r"^\d+$"])
        elif chance < 0.75:
            made["format"] = self._random.choice(_FORMATS)
        return made

    def _integer(self) -> Schema:
        made: Schema = {"type": "integer"}
        if self._random.random() < 0.3:
            made["format"] = self._random.choice(["int32", "int64"])
        if self._random.random() < 0.15:
            made["multipleOf"] = self._random.choice([2, 3])
        return self._bounded(made)

    def _bounded(self, made: Schema) -> Schema:
        if self._random.random() < 0.3:
            made["minimum"] = self._random.choice([0, 1])
        if self._random.random() < 0.3:
            made["maximum"] = self._random.choice([3, 10])
            if self._random.random() < 0.3:
                made["exclusiveMaximum"] = True
        return made

    def _any(self) -> Schema:
        shapes: tuple[Schema, ...] = (
            {"x-kubernetes-int-or-string": True},
            {"x-kubernetes-preserve-unknown-fields": True},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        )
        return dict(self._random.choice(shapes))

    def _array(self, depth: int) -> Schema:
        kind = self._random.choice(["", "atomic", "set", "map"])
        made: Schema = {"type": "array"}
        if kind:
            made["x-kubernetes-list-type"] = kind
        if kind == "map":
            item: Schema = {
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
            }
            item["properties"]["value"] = self._item(depth + 2)
            made |= {"items": item, "x-kubernetes-list-map-keys": ["name"]}
        elif kind == "set":
            made["items"] = self._random.choice([self._string, self._integer])()
        else:
            made["items"] = self._item(depth + 1)
        if self._random.random() < BOUNDED:
            made["maxItems"] = self._random.choice([1, 2, 5])
        if self._random.random() < 0.15:
            made["minItems"] = 1
        return made

    def _item(self, depth: int) -> Schema:
        self._in_lists += 1
        made = self.schema(depth)
        self._in_lists -= 1
        return made

    def _with_rules(self, made: Schema) -> Schema:
        rules = RULES.get(made.get("type", ""))
        if rules is None or "format" in made or self._random.random() > RULED:
            return made
        chosen = []
        for _ in range(self._random.choice([1, 1, 2])):
            wrong = self._random.random() < 0.03
            rule = self._random.choice(WRONG_RULES if wrong else rules)
            if "oldSelf" in rule and self._in_lists and self._random.random() < 0.95:
                continue  # refused: the items of most lists have no old value
            is_rare = self._random.random() < 0.05
            chosen.append({"rule": rule, **self._random.choice(_RARE_MESSAGES if is_rare else _MESSAGES)})
        bounds = {"array": {"maxItems": 10}, "string": {"maxLength": 64}}.get(made["type"], {})
        return {**bounds, **made, "x-kubernetes-validations": chosen} if chosen else made

    def value(self, schema: Schema) -> Any:
        """Returns a random value, mostly valid."""
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        match schema.get("type"):
            case "string":
                return self._random.choice(
                    ["a", "a", "abc", "1", "", "2025-01-01T00:00:00Z", "10.0.0.1", "10s"]
                )
            case "integer":
                return self._random.choice([2, 2, 0, 6, 3])
            case "number":
                return self._random.choice([2, 1.5, 0])
            case "boolean":
                return self._random.random() < 0.6
            case "array":
                return self._list(schema)
            case "object" if "properties" in schema:
                return self._members(schema)
            case "object" if "additionalProperties" in schema:
                return (
                    {"k": self.value(schema["additionalProperties"])} if self._random.random() < 0.8 else {}
                )
            case _:
                return self._random.choice([1, "a", {"a": 1}]) if "type" not in schema else {"a": 1}

    def _list(self, schema: Schema) -> list[Any]:
        made = [self.value(schema["items"]) for _ in range(self._random.choice([0, 1, 1, 2]))]
        for index, item in enumerate(made):
            if "x-kubernetes-list-map-keys" in schema and isinstance(item, dict):
                item["name"] = f"n{index}"
        return made

    def _members(self, schema: Schema) -> dict[str, Any]:
        made = {}
        for name, below in schema["properties"].items():
            if name in schema.get("required", ()) or self._random.random() < 0.7:
                made[name] = self.value(below)
        return made

    def changed(self, value: Any, schema: Schema) -> Any:
        """Returns a copy of a value with one random change, which may make it invalid."""
        holder = {"": copy.deepcopy(value)}
        path, below = self._random.choice([(("",), schema), *_places(holder[""], schema, ("",))])
        at: Any = holder
        for step in path[:-1]:
            at = at[step]
        chance = self._random.random()
        if chance < 0.15 and len(path) > 1:
            del at[path[-1]]
        elif chance < 0.25 and isinstance(at[path[-1]], dict):
            at[path[-1]][self._random.choice(["unknown", *NAMES])] = self._random.choice(ODD)
        elif chance < 0.35 and isinstance(at[path[-1]], list) and at[path[-1]]:
            at[path[-1]] += copy.deepcopy(at[path[-1]][:1])
        elif chance < 0.5:
            at[path[-1]] = self._random.choice(ODD)
        elif chance < 0.65:
            at[path[-1]] = self._random.choice([*TEXTS, *NUMBERS])
        else:
            at[path[-1]] = self.value(below)
        return holder[""]


def _places(value: Any, schema: Schema, path: Path) -> Iterator[tuple[Path, Schema]]:
    """Yields (path, schema) of each member and item below a value."""
    if isinstance(value, dict):
        for name, member in value.items():
            below = schema.get("properties", {}).get(name) or schema.get("additionalProperties") or {}
            yield (*path, name), below
            yield from _places(member, below, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield (*path, index), schema.get("items", {})
            yield from _places(item, schema.get("items", {}), (*path, index))
