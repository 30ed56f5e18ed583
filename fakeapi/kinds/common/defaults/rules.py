"""Compiles the default rules of a Go type into one function.

A rule is a list of steps; tools/defaults.py documents their syntax. A compiled step is a function that sets
fields of its argument in place. The function copies default values, so that objects never share a value.
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
    """Compiles the default steps of a struct type into one function. Returns None without steps.

    - `node`: the schema of the struct type
    - `rules_as`: returns the steps of the Go type with the given name
    """
    compiled = [_step(step, node, rules_as) for step in steps]
    return _in_turn(compiled) if compiled else None


def is_unset(parent: Object, name: str, *, pointer: bool) -> bool:
    """Whether Go treats a field as unset: the field is absent, or is not a pointer and has the zero value.

    `parent`: the struct that contains the field `name`
    `pointer`: whether the Go type of the field is a pointer
    """
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
                _in_turn([_step(inner, node, rules_as) for inner in then]),
                _in_turn([_step(inner, node, rules_as) for inner in rest.get("else", ())]),
            )
        case {"each": path, "do": then}:
            return _each(path, then, node, rules_as)
        case {"as": other}:
            return _in_turn([_step(inner, node, rules_as) for inner in rules_as(other)])
    raise ValueError(f"a step of default rules that is not known: {step}")


class _Place:
    """A field of a struct or of a nested struct. `path`: the JSON names that lead to the field."""

    def __init__(self, path: str, node: Struct) -> None:
        self._parents = path.split(".")
        self.name = self._parents.pop()
        self.is_own = not self._parents
        for parent in self._parents:
            node = _struct(node.fields[parent].node)
        field = node.fields[self.name]
        self.pointer = field.pointer

    def parent(self, obj: Object) -> Object | None:
        """Returns the struct that contains the field; None if the struct is absent."""
        for name in self._parents:
            part = obj.get(name)
            if part is None:
                return None
            obj = part
        return obj

    def made_parent(self, obj: Object) -> Object:
        """Returns the struct that contains the field. Creates the struct if it is absent."""
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
    """Compiles the default of a scalar field that is not in a nested struct, the most frequent case.

    `value`: the default of the field `name`
    `pointer`: whether the Go type of the field is a pointer
    """

    def step(obj: Object, gates: Gates) -> None:
        current = obj.get(name)
        if current is None or (not current and not pointer):
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
    """Compiles the steps `then` into one function that applies them to every item of a list.

    `path`: the path of the list, with `[]` at the end. The paths in `then` begin with this path.
    """
    place = _Place(path.removesuffix(_ITEMS), node) if _ITEMS not in path.removesuffix(_ITEMS) else None
    if place is None:
        first, _, _ = path.partition(_ITEMS + ".")
        return _each(first + _ITEMS, [{"each": path, "do": then}], node, rules_as)
    items = _items(node, path.removesuffix(_ITEMS))
    inner = [_within(action, path + ".", path) for action in then]
    step = _in_turn([_step(action, items, rules_as) for action in inner if action is not None])

    def each_step(obj: Object, gates: Gates) -> None:
        for item in place.value(obj) or ():
            step(item, gates)

    return each_step


def _within(step: Any, prefix: str, items: str) -> Any:
    """Rewrites a step for list items: removes `prefix`, the path of the items, from all paths."""
    if isinstance(step, dict):
        # The nested `each` is over the same list, so the item is already selected.
        if step.get("each") == items:
            return {"when": [], "do": [_within(inner, prefix, items) for inner in step["do"]]}
        return {_relative(key, prefix): _within(value, prefix, items) for key, value in step.items()}
    if isinstance(step, list):
        return [_within(item, prefix, items) for item in step]
    return _relative(step, prefix) if isinstance(step, str) else step


def _relative(text: str, prefix: str) -> str:
    return text.removeprefix(prefix)


def _items(node: Struct, path: str) -> Struct:
    current: Node = node
    for name in path.split("."):
        current = _struct(current).fields[name].node
    assert isinstance(current, List), f"{path} is not a list"
    return _struct(current.items)


def _all_of(conditions: list[dict[str, Any]], node: Struct) -> Condition:
    compiled = [_condition(condition, node) for condition in conditions]
    if len(compiled) == 1:
        return compiled[0]
    return lambda obj, gates: all(condition(obj, gates) for condition in compiled)


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
            compiled = [_condition(part, node) for part in several]
            return lambda obj, gates: any(part(obj, gates) for part in compiled)
        case {"all": several}:
            return _all_of(several, node)
    raise ValueError(f"a condition of default rules that is not known: {condition}")


def _in_turn(steps: list[Step]) -> Step:
    if len(steps) == 1:
        return steps[0]

    def step(obj: Object, gates: Gates) -> None:
        for inner in steps:
            inner(obj, gates)

    return step


def _struct(node: Node) -> Struct:
    assert isinstance(node, Struct), f"{node} is not a struct"
    return node
