"""Changes objects at random, by the schema of their kind and with values of other objects."""

import copy
import random
from collections.abc import Iterator
from typing import Any

from fakeapi.machinery.schema.nodes import List, Map, Node, Scalar, ScalarKind, Struct
from fakeapi.releases import Kind
from tests.differential.searching.places import HIDDEN, HIDDEN_BELOW, Path, name_of, places_of
from tests.differential.searching.values import TEXTS, Values

MANY = (2, 9, 17, 33, 65, 101, 129, 513, 1001)
"""Numbers of items of a long list."""

_ABSENT = object()
"""Means that a field or a list item is removed."""


class Mutator:
    """Changes objects at random. Equal seeds and calls give equal results. `values`: the new values."""

    def __init__(self, rng: random.Random, words: tuple[str, ...]) -> None:
        self._random = rng
        self.values = Values(rng, words)

    def changed(self, obj: dict[str, Any], kind: Kind, part: str = "") -> dict[str, Any]:
        """Returns a copy of an object with one to four random changes. `part`: only below this field."""
        new = copy.deepcopy(obj)
        self.values.own = [value for _, _, value in places_of(kind.schema, obj, ()) if isinstance(value, str)]
        own = [name for name in kind.schema.fields if name not in HIDDEN and (name == part if part else True)]
        for _ in range(self._random.choice([1, 1, 1, 2, 2, 3, 4])):
            if self._random.random() < (0.06 if own else 1):
                self._change_metadata(new)
                continue
            name = self._random.choice([each for each in own if each in new] or own)
            if self._random.random() < 0.1:
                name = self._random.choice(own)
            node = kind.schema.fields[name].node
            if name not in new:
                new[name] = {} if isinstance(node, Struct) else self.values.value(node, name, 1)
            places = list(places_of(node, new[name], (name,)))
            deep = [place for place in places if len(place[0]) > 2]
            if not deep:
                places = [*places, ((name,), node, new[name])]
            path, at, _ = self._random.choice(deep if deep and self._random.random() < 0.8 else places)
            self._change_at(new, path, at)
        return new

    def neighbours(
        self, obj: dict[str, Any], kind: Kind, share: float, part: str = ""
    ) -> Iterator[dict[str, Any]]:
        """Yields copies of an object with one change: for each place, the values of `_edges`.

        - `share`: the share of the changes, which are chosen at random.
        - `part`: only below this field.
        """
        for path, node, value in places_of(kind.schema, obj, ()):
            if part and path[0] != part:
                continue
            for edge in [_ABSENT, *self._edges(node, value, name_of(path))]:
                if self._random.random() >= share:
                    continue
                new = copy.deepcopy(obj)
                holder: Any = new
                for step in path[:-1]:
                    holder = holder[step]
                if edge is _ABSENT:
                    del holder[path[-1]]
                else:
                    holder[path[-1]] = edge
                yield new

    def _edges(self, node: Node, value: Any, name: str) -> Iterator[Any]:
        match node:
            case Struct() if isinstance(value, dict):
                yield {}
                for field in node.fields.values():
                    if field.name not in value and field.name not in HIDDEN_BELOW:
                        yield {**value, field.name: self.values.value(field.node, field.name, 2)}
            case List() if isinstance(value, list):
                yield []
                if value:
                    yield [*value, copy.deepcopy(value[0])]
                    yield [_renamed(value[0], index) for index in range(self._random.choice(MANY))]
                yield [*value, self.values.value(node.items, name, 2)]
            case Map():
                yield {}
                yield {**(value or {}), self.values.key(name): self.values.value(node.values, name, 2)}
            case Scalar(kind=ScalarKind.STRING):
                yield from ("", "A_b", "x" * 254, "/", "a.b", "-1", "10.0.0.1", "../a", "x y")
                yield from (self.values.scalar(node, name) for _ in range(5))
            case Scalar(kind=ScalarKind.INTEGER):
                yield from (-1, 0, 1, 65536, 2**31 - 1)
                if isinstance(value, int):
                    yield from (value - 1, value + 1)
            case Scalar():
                yield from (self.values.scalar(node, name) for _ in range(4))
            case _:
                return

    def _change_metadata(self, new: dict[str, Any]) -> None:
        metadata = new.setdefault("metadata", {})
        part = self._random.choice(["annotations", "annotations", "labels", "finalizers"])
        if part == "finalizers":
            metadata[part] = [self._random.choice(["example.com/a", "a", "x/y/z", *self.values.words])]
            return
        keys = [word for word in self.values.words if "/" in word and " " not in word] or ["a"]
        key = self._random.choice(keys)
        values = [*self.values.words, *TEXTS, "true", "false", "{}", "[]"]
        members = metadata.setdefault(part, {})
        if members and self._random.random() < 0.3:
            del members[self._random.choice(sorted(members))]
        else:
            members[key] = self._random.choice(values)

    def _change_at(self, new: dict[str, Any], path: Path, node: Node) -> None:
        holder: Any = new
        for step in path[:-1]:
            holder = holder[step]
        key, name, chance = path[-1], name_of(path), self._random.random()
        if isinstance(node, Struct) and chance < 0.6 and isinstance(holder[key], dict):
            self._change_member(holder[key], node)
        elif chance < 0.12:
            del holder[key]
        elif isinstance(node, List) and isinstance(holder[key], list) and chance < 0.5:
            self._change_list(holder[key], node, name)
        elif isinstance(holder, list) and chance < 0.3:
            holder.append(copy.deepcopy(holder[key]))
        elif isinstance(node, Map) and isinstance(holder[key], dict) and chance < 0.5:
            holder[key][self.values.key(name)] = self.values.value(node.values, name, 1)
        else:
            holder[key] = self.values.value(node, name, 1)

    def _change_member(self, holder: dict[str, Any], node: Struct) -> None:
        names = [name for name in node.fields if name not in HIDDEN_BELOW]
        absent = [name for name in names if name not in holder]
        if not names:
            return
        name = self._random.choice(absent if absent and self._random.random() < 0.8 else names)
        if name in holder and self._random.random() < 0.5:
            del holder[name]
        else:
            holder[name] = self.values.value(node.fields[name].node, name, 1)

    def _change_list(self, items: list[Any], node: List, name: str) -> None:
        chance = self._random.random()
        if items and chance < 0.3:
            items.append(copy.deepcopy(self._random.choice(items)))
        elif items and chance < 0.4:
            items.reverse()
        elif chance < 0.55:
            count = self._random.choice(MANY)
            item = copy.deepcopy(items[0]) if items else self.values.value(node.items, name, 2)
            items += [_renamed(item, index) for index in range(count)]
        else:
            items.append(self.values.value(node.items, name, 2))


def _renamed(item: Any, index: int) -> Any:
    """Returns a copy of a list item with another name or text, so that the items of a list differ."""
    if isinstance(item, str):
        return f"{item}{index}"
    if isinstance(item, dict):
        new = copy.deepcopy(item)
        for name in ("name", "key", "type", "mountPath", "containerPort", "port", "topologyKey"):
            if isinstance(new.get(name), str):
                new[name] = f"{new[name]}{index}"
                break
        return new
    return item
