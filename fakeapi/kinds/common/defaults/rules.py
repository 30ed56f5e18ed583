"""Compiles the steps of a type's default rules into one function.

The steps and conditions are those of tools/defaults.py. A compiled step changes the part of an object that
it is given, and never a value that the part shares with another object's.
"""

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any, TypeAlias

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import List, Node, Struct
from fakeapi.releases import Gates

Step: TypeAlias = Callable[[Object, Gates], None]
Condition: TypeAlias = Callable[[Object, Gates], bool]

_ITEMS = "[]"


def compile_steps(
    steps: Iterable[dict[str, Any]], node: Struct, rules_as: Callable[[str], Iterable[dict[str, Any]]]
) -> Step | None:
    """All steps as one, for values of the struct; None for no steps. `rules_as`: those of another type."""
    made = [_step(each, node, rules_as) for each in steps]
    return _in_turn(made) if made else None


def is_unset(parent: Object, name: str, *, pointer: bool) -> bool:
    """Whether Go would call a field unset: absent, or the zero value of what is no pointer."""
    value = parent.get(name)
    return value is None or (not pointer and not value)


def _step(step: dict[str, Any], node: Struct, rules_as: Callable[[str], Iterable[dict[str, Any]]]) -> Step:
    match step:
        case {"default": values}:
            return _in_turn([_default(_Place(path, node), value) for path, value in values.items()])
        case {"set": values}:
            return _in_turn([_set(_Place(path, node), value) for path, value in values.items()])
        case {"copy": values}:
            return _in_turn([_copy(_Place(to, node), _Place(of, node)) for to, of in values.items()])
        case {"when": conditions, "do": then, **rest}:
            return _branch(
                _all_of(conditions, node),
                _in_turn([_step(each, node, rules_as) for each in then]),
                _in_turn([_step(each, node, rules_as) for each in rest.get("else", ())]),
            )
        case {"each": path, "do": then}:
            return _each(path, then, node, rules_as)
        case {"as": other}:
            return _in_turn([_step(each, node, rules_as) for each in rules_as(other)])
    raise ValueError(f"a step of default rules that is not known: {step}")


class _Place:
    """A field inside an object, by its path of JSON names."""

    def __init__(self, path: str, node: Struct) -> None:
        self._parents = path.split(".")
        self.name = self._parents.pop()
        self.is_own = not self._parents
        for parent in self._parents:
            node = _struct(node.fields[parent].node)
        field = node.fields[self.name]
        self.pointer = field.pointer

    def parent(self, obj: Object) -> Object | None:
        """The struct that holds the field; None where it is absent."""
        for name in self._parents:
            found = obj.get(name)
            if found is None:
                return None
            obj = found
        return obj

    def made_parent(self, obj: Object) -> Object:
        """The struct that holds the field, made where it is absent."""
        for name in self._parents:
            obj = obj.setdefault(name, {})
        return obj

    def is_unset(self, obj: Object) -> bool:
        parent = self.parent(obj)
        return parent is None or is_unset(parent, self.name, pointer=self.pointer)

    def value(self, obj: Object) -> Any:
        parent = self.parent(obj)
        return None if parent is None else parent.get(self.name)


def _default(place: _Place, value: Any) -> Step:
    if place.is_own and not isinstance(value, dict | list):
        return _default_of_own(place.name, value, pointer=place.pointer)

    def step(obj: Object, gates: Gates) -> None:
        if place.is_unset(obj):
            place.made_parent(obj)[place.name] = deepcopy(value)

    return step


def _default_of_own(name: str, value: Any, *, pointer: bool) -> Step:
    """`_default` for a scalar member of the object itself, as most are."""

    def step(obj: Object, gates: Gates) -> None:
        found = obj.get(name)
        if found is None or (not found and not pointer):
            obj[name] = value

    return step


def _set(place: _Place, value: Any) -> Step:
    def step(obj: Object, gates: Gates) -> None:
        place.made_parent(obj)[place.name] = deepcopy(value)

    return step


def _copy(to: _Place, of: _Place) -> Step:
    def step(obj: Object, gates: Gates) -> None:
        value = of.value(obj)
        if value is not None:
            to.made_parent(obj)[to.name] = deepcopy(value)

    return step


def _branch(condition: Condition, then: Step, otherwise: Step) -> Step:
    return lambda obj, gates: then(obj, gates) if condition(obj, gates) else otherwise(obj, gates)


def _each(
    path: str, then: list[dict[str, Any]], node: Struct, rules_as: Callable[[str], Iterable[dict[str, Any]]]
) -> Step:
    """Steps for every item of a list; their paths begin at the same object as the list's."""
    place = _Place(path.removesuffix(_ITEMS), node) if _ITEMS not in path.removesuffix(_ITEMS) else None
    if place is None:
        first, _, _ = path.partition(_ITEMS + ".")
        return _each(first + _ITEMS, [{"each": path, "do": then}], node, rules_as)
    items = _items(node, path.removesuffix(_ITEMS))
    inner = [_within(each, path + ".", path) for each in then]
    step = _in_turn([_step(each, items, rules_as) for each in inner if each is not None])

    def each_step(obj: Object, gates: Gates) -> None:
        for item in place.value(obj) or ():
            step(item, gates)

    return each_step


def _within(step: Any, prefix: str, items: str) -> Any:
    """A step for an item of a list, with paths that begin at the item."""
    if isinstance(step, dict):
        if step.get("each") == items:  # once more for the list of the same items
            return {"when": [], "do": [_within(each, prefix, items) for each in step["do"]]}
        return {_relative(key, prefix): _within(value, prefix, items) for key, value in step.items()}
    if isinstance(step, list):
        return [_within(each, prefix, items) for each in step]
    return _relative(step, prefix) if isinstance(step, str) else step


def _relative(text: str, prefix: str) -> str:
    return text.removeprefix(prefix)


def _items(node: Struct, path: str) -> Struct:
    found: Node = node
    for name in path.split("."):
        found = _struct(found).fields[name].node
    assert isinstance(found, List), f"{path} is not a list"
    return _struct(found.items)


def _all_of(conditions: list[dict[str, Any]], node: Struct) -> Condition:
    made = [_condition(each, node) for each in conditions]
    if len(made) == 1:
        return made[0]
    return lambda obj, gates: all(each(obj, gates) for each in made)


def _condition(condition: dict[str, Any], node: Struct) -> Condition:
    match condition:
        case {"unset": path}:
            place = _Place(path, node)
            return lambda obj, gates: place.is_unset(obj)
        case {"set": path}:
            place = _Place(path, node)
            return lambda obj, gates: not place.is_unset(obj)
        case {"path": path, "is": value}:
            place = _Place(path, node)
            return lambda obj, gates: place.value(obj) == value
        case {"path": path, "is_not": value}:
            place = _Place(path, node)
            return lambda obj, gates: place.value(obj) != value
        case {"gate": name}:
            return lambda obj, gates: gates.enabled(name)
        case {"not": inner}:
            negated = _condition(inner, node)
            return lambda obj, gates: not negated(obj, gates)
        case {"any": several}:
            made = [_condition(each, node) for each in several]
            return lambda obj, gates: any(each(obj, gates) for each in made)
        case {"all": several}:
            return _all_of(several, node)
    raise ValueError(f"a condition of default rules that is not known: {condition}")


def _in_turn(steps: list[Step]) -> Step:
    if len(steps) == 1:
        return steps[0]

    def step(obj: Object, gates: Gates) -> None:
        for each in steps:
            each(obj, gates)

    return step


def _struct(node: Node) -> Struct:
    assert isinstance(node, Struct), f"{node} is not a struct"
    return node
