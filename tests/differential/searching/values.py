"""Random values of fields, by the schema of a field and by the values of other objects."""

import copy
import random
from collections import defaultdict
from typing import Any

from fakeapi.machinery.schema.nodes import AnyValue, List, Map, Node, Scalar, ScalarKind, Struct
from fakeapi.releases import Kind
from tests.differential.searching.places import HIDDEN_BELOW, name_of, places_of
from tools import pod_samples, strategy_samples

TEXTS = (
    *strategy_samples.TEXTS,
    *pod_samples.TEXTS,
    "x" * 33,
    "x" * 129,
    "x" * 1025,
    "x" * 4097,
    "x" * 32769,
    "https://a.example.com/b",
    "http://a/b?c#d",
    "*.example.com",
    "*",
    "1.5",
    "10.0.0.0/24",
    "fd00::/64",
    "kubernetes.io/a",
    "a=b",
    "../a",
    "a:b",
    "$(A)",
    "x%",
    "80",
    "-1",
    "CREATE",
    "system:a",
    "object.a == 1",
    "Etc/Nowhere",
    "TZ=UTC * * * * *",
    "a\nb",
)
NUMBERS = (-1, 0, 1, 2, 3, 9, 10, 33, 80, 100, 101, 256, 600, 1001, 65535, 65536, 2**31 - 1, -(2**31))
LARGE = (10**9, 2**31, 2**40, 2**63 - 1)
AMOUNTS = (*strategy_samples.AMOUNTS, "1Mi", "2Gi", "0.1m")
PORTS = (0, 1, 80, 70000, -1, "http", "", "a--b", "a b", "x" * 16, "0%", "50%", "100%", "150%")
TIMES = ("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z", "2035-01-01T00:00:00Z", "2024-01-01T00:00:00Z")
BYTES = ("", "YQ==", "e30=", "eyJhdXRocyI6e319", "LS0tLS1CRUdJTg==")

POOL_MAX = 60
"""Maximum number of kept values of a type; a new one replaces a random one."""

DEPTH_MAX = 5
"""Depth below which a random value has no further structs."""


class Values:
    """Random values of fields. Equal seeds and calls give equal values.

    - `words`: texts that validations of the API group compare with, such as enum values.
    - `own`: texts of the object that changes; some random texts are equal to one of them.

    `learn` keeps the values of an object by their type and by the names of their fields. Later values are
    often equal to the kept values.
    """

    def __init__(self, rng: random.Random, words: tuple[str, ...]) -> None:
        self._random = rng
        self.words = words
        self.own: list[str] = []
        self._by_type: dict[str, list[Any]] = defaultdict(list)
        self._by_name: dict[str, list[Any]] = defaultdict(list)
        for table in (strategy_samples.LIKELY, pod_samples.LIKELY):
            for name, values in table.items():
                self._by_name[name] += values
        self._keys: dict[str, list[str]] = {**pod_samples.KEYS, **strategy_samples.KEYS}

    def learn(self, obj: dict[str, Any], kind: Kind) -> None:
        """Keeps the values of an object for other objects."""
        for path, node, value in places_of(kind.schema, obj, ()):
            name = name_of(path)
            if isinstance(node, Scalar):
                self._keep(self._by_name[name], value)
            elif value:
                self._keep(self._by_type[node.go_type], value)

    def _keep(self, values: list[Any], value: Any) -> None:
        if value in values:
            return
        if len(values) < POOL_MAX:
            values.append(value)
        else:
            values[self._random.randrange(POOL_MAX)] = value

    def key(self, name: str) -> str:
        """Returns a key for the map in the field `name`."""
        words = self._random.sample(self.words, min(6, len(self.words)))
        keys: list[str] = [*self._keys.get(name, ()), *self._random.sample(TEXTS, 6), *words]
        return self._random.choice(keys)

    def value(self, node: Node, name: str, depth: int) -> Any:
        """Returns a value for the field `name`. `depth`: the number of structs and lists around the value."""
        known = self._by_type.get(node.go_type)
        if known and self._random.random() < 0.5:
            return copy.deepcopy(self._random.choice(known))
        match node:
            case Struct():
                return self._struct(node, depth)
            case List():
                count = self._random.choice([0, 1, 1, 1, 2, 2, 3])
                return [self.value(node.items, name, depth + 1) for _ in range(count)]
            case Map():
                count = self._random.choice([0, 1, 1, 2])
                return {self.key(name): self.value(node.values, name, depth + 1) for _ in range(count)}
            case AnyValue():
                return self._random.choice([{}, {"a": 1}, {"kind": "A", "apiVersion": "v1"}])
            case Scalar():
                return self.scalar(node, name)

    def _struct(self, node: Struct, depth: int) -> dict[str, Any]:
        names = [name for name in node.fields if name not in HIDDEN_BELOW]
        if depth >= DEPTH_MAX:
            names = [name for name in names if isinstance(node.fields[name].node, Scalar)]
        few = self._random.choice([1, 1, 2, 3, len(names)])
        chosen = set(self._random.sample(names, min(few, len(names))))
        chosen |= {name for name in names if node.fields[name].required and self._random.random() < 0.9}
        return {name: self.value(node.fields[name].node, name, depth + 1) for name in names if name in chosen}

    def scalar(self, node: Scalar, name: str) -> Any:
        """Returns a number, a text or a truth value for the field `name`."""
        chance = self._random.random()
        if chance < 0.45 and self._by_name.get(name):
            return self._random.choice(self._by_name[name])
        match node.kind:
            case ScalarKind.STRING:
                words = self.own if chance > 0.85 else self.words if chance < 0.75 else TEXTS
                return self._random.choice(words or TEXTS)
            case ScalarKind.INTEGER:
                return self._random.choice((*NUMBERS, *(LARGE if node.bits > 32 else ())))
            case ScalarKind.NUMBER:
                return self._random.choice([0, 1.5, -1])
            case ScalarKind.BOOLEAN:
                return self._random.random() < 0.6
            case ScalarKind.QUANTITY:
                return self._random.choice(AMOUNTS)
            case ScalarKind.TIME:
                return self._random.choice(TIMES)
            case ScalarKind.MICRO_TIME:
                return self._random.choice(TIMES).replace("Z", ".000000Z")
            case ScalarKind.INT_OR_STRING:
                return self._random.choice(PORTS)
            case ScalarKind.BYTES:
                return self._random.choice(BYTES)
