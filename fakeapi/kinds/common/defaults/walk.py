"""Applies default rules to an object and to every value inside it. Outer values come first.

Follows the defaulters that k8s.io/kubernetes generates (zz_generated.defaults.go). The defaulter of a type
does three things in this order:

- calls the default function of the type
- sets the fields that have a default marker (`+default`)
- calls the defaulters of the fields' values
"""

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any, TypeAlias

from fakeapi.kinds.common.defaults.functions import ALIKE, FUNCTIONS, OF_NODES
from fakeapi.kinds.common.defaults.rules import compile_steps, is_unset
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import AnyValue, Field, List, Map, Node, Scalar, Struct
from fakeapi.releases import Gates
from fakeapi.releases.tables import Defaults

Walk: TypeAlias = Callable[[Any, Gates], None]

INNER_DEPTH = 3
"""Maximum depth of the nested structs in which the default rules of a type set fields.

The rules of a Deployment set fields of `spec.strategy.rollingUpdate`, which has depth 3.
"""


def apply_defaults(obj: Object, node: Struct, table: Callable[[], Defaults], gates: Gates) -> Object:
    """Sets the fields that have defaults in a release, in place, and returns the object.

    - `obj`: an object in canonical form that shares no parts with other objects
    - `table`: returns the defaults of the release to which `node` belongs; called once for each type of
      object
    """
    compiled = node.walks.get(apply_defaults)
    if compiled is None:
        compiled = _Compiler(table()).compile(node)
        node.walks[apply_defaults] = compiled
    compiled(obj, gates)
    return obj


class _Compiler:
    """Compiles a function that applies all defaults to objects of a type.

    The compiler skips types without defaults.
    """

    def __init__(self, table: Defaults) -> None:
        self._table = table
        self._made: dict[int, Walk | None] = {}
        self._in_progress: set[int] = set()

    def compile(self, node: Struct) -> Walk:
        return self._of(node) or _nothing

    def _of(self, node: Node) -> Walk | None:
        if id(node) in self._in_progress:
            return self._later(id(node))
        if id(node) not in self._made:
            self._in_progress.add(id(node))
            self._made[id(node)] = self._build(node)
            self._in_progress.discard(id(node))
        return self._made[id(node)]

    def _later(self, key: int) -> Walk:
        """Returns a function that sets the defaults of a recursive type.

        Use this function while the type's own function is not compiled yet. Each call looks up the compiled
        function.

        `key`: the id of the type's schema node
        """

        def walk(value: Any, gates: Gates) -> None:
            (self._made[key] or _nothing)(value, gates)

        return walk

    def _build(self, node: Node) -> Walk | None:
        match node:
            case Struct():
                return self._struct(node)
            case List(items=items):
                return _of_each(self._of(items))
            case Map(values=values, go_type=go_type):
                return OF_NODES.get(go_type) or _of_values(self._of(values))
            case Scalar() | AnyValue():
                return None

    def _struct(self, node: Struct) -> Walk | None:
        own = [step for step in (self._rules(node), *self._functions(node)) if step]
        own += [_marker(field) for field in node.fields.values() if _has_marker(field, node)]
        parts = [(name, self._of(field.node)) for name, field in node.fields.items()]
        inner = [(name, part) for name, part in parts if part]
        if not own and not inner:
            return None
        order = {name: index for index, name in enumerate(node.fields)}
        sort_inside = _sorter(node) if own else None

        def walk(value: Object, gates: Gates) -> None:
            before = len(value)
            for step in own:
                step(value, gates)
            if sort_inside is not None:
                sort_inside(value)
            for name, walk_inner in inner:
                part = value.get(name)
                if part is not None:
                    walk_inner(part, gates)
            if len(value) > before:
                _sort(value, order)

        return walk

    def _rules(self, node: Struct) -> Walk | None:
        return compile_steps(self._table.rules.get(node.full_name, ()), node, self._rules_as)

    def _rules_as(self, name: str) -> Iterable[dict[str, Any]]:
        return self._table.rules.get(name, ())

    def _functions(self, node: Struct) -> list[Walk]:
        name = node.full_name
        functions = [FUNCTIONS.get((name, function)) for function in self._table.more.get(name, ())]
        return [walk for walk in (*functions, ALIKE.get(name)) if walk is not None]


def _has_marker(field: Field, node: Struct) -> bool:
    """Whether the Go source gives a field a default with a `+default` marker.

    False for defaults that are Go's zero value, unless the field is a pointer. Always false for types of the
    package meta.
    """
    if field.default is None or node.full_name.startswith("meta/"):
        return False
    return field.pointer or bool(field.default)


def _marker(field: Field) -> Walk:
    name, default, pointer = field.name, field.default, field.pointer

    def step(value: Object, gates: Gates) -> None:
        if is_unset(value, name, pointer=pointer):
            value[name] = deepcopy(default)

    return step


def _of_each(walk: Walk | None) -> Walk | None:
    if walk is None:
        return None

    def walk_items(items: list[Any], gates: Gates) -> None:
        for item in items:
            if item is not None:
                walk(item, gates)

    return walk_items


def _of_values(walk: Walk | None) -> Walk | None:
    if walk is None:
        return None

    def walk_values(values: Mapping[str, Any], gates: Gates) -> None:
        for value in values.values():
            if value is not None:
                walk(value, gates)

    return walk_values


def _sorter(node: Struct, depth: int = INNER_DEPTH) -> Callable[[Object], None] | None:
    """Returns a function that sorts the fields of nested structs; None without nested structs.

    Sorting is necessary because the default rules of the outer type may add fields to nested structs.
    `depth`: how many levels of nested structs to sort
    """
    if not depth or node.full_name.startswith("meta/"):
        return None
    inner: list[tuple[str, dict[str, int], Callable[[Object], None] | None]] = [
        (
            name,
            {member: index for index, member in enumerate(field.node.fields)},
            _sorter(field.node, depth - 1),
        )
        for name, field in node.fields.items()
        if isinstance(field.node, Struct) and name != "metadata"
    ]
    if not inner:
        return None

    def sort(value: Object) -> None:
        for name, order, sort_inside in inner:
            part = value.get(name)
            if not part:
                continue
            if sort_inside is not None:
                sort_inside(part)
            places = [order.get(member, -1) for member in part]
            if places != sorted(places):
                _sort(part, order)

    return sort


def _sort(value: Object, order: Mapping[str, int]) -> None:
    """Sorts the fields of a struct in place. `order`: the position of each field in the Go type."""
    places = [order.get(name, -1) for name in value]
    if places == (ranked := sorted(places)):
        return
    members = {order.get(name, -1): (name, item) for name, item in value.items()}
    if len(members) == len(value):
        ranking: Iterable[tuple[str, Any]] = [members[place] for place in ranked]
    else:  # The Go type does not have several of the members.
        ranking = sorted(value.items(), key=lambda member: order.get(member[0], -1))
    value.clear()
    value.update(ranking)


def _nothing(value: Any, gates: Gates) -> None:
    """Does nothing, for types without defaults."""
