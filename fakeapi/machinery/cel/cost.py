"""Estimates the maximum cost of a CEL expression before the values of its variables are known.

Follows cel-go `checker/cost.go`. `cost_by_path` follows cel-go 0.22, which knows sizes only along paths from
variables. `cost_traced` follows cel-go 0.23, which also tracks the sizes of elements and of bound variables.
"""

from collections.abc import Callable

import msgspec

from fakeapi.machinery.cel.calls import Operand, cel_estimate, kubernetes_estimate
from fakeapi.machinery.cel.checker import Checked
from fakeapi.machinery.cel.environment import Extents, extent
from fakeapi.machinery.cel.sizes import MOST, ONE, UNKNOWN, Size, capped, fixed
from fakeapi.machinery.cel.syntax import (
    Call,
    Comprehension,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Node,
    Select,
    StructLiteral,
)
from fakeapi.machinery.cel.types import Type

Path = tuple[str, ...]

Pricing = Callable[[Checked, Extents], int]
"""A function that estimates the maximum cost of an expression: (type-checked expression, sizes) -> cost.

The sizes are the maximum sizes of variables. The cost is in CEL cost units.
"""

_LIST, _MAP, _STRUCT = 10, 30, 40
_SCALARS = frozenset(("bool", "double", "duration", "int", "timestamp", "uint"))


def cost_by_path(checked: Checked, extents: Extents) -> int:
    """Estimates the maximum cost of a CEL expression with the algorithm of Kubernetes 1.32.

    `checked`: the type-checked expression
    `extents`: the size limits of its variables
    """
    return _Coster(checked, extents).cost(checked.root)


def cost_by_path_alone(checked: Checked, extents: Extents) -> int:
    """Estimates the maximum cost of a CEL expression with the algorithm of Kubernetes 1.30 and 1.31.

    From 1.32 on, comparisons of Kubernetes' own CEL types, such as quantities, have a lower cost.

    `checked`: the type-checked expression
    `extents`: the size limits of its variables
    """
    return _PlainCoster(checked, extents).cost(checked.root)


def cost_without_loops(checked: Checked, extents: Extents) -> int:
    """Estimates the maximum cost of a CEL expression with the algorithm of Kubernetes up to 1.29.

    This algorithm does not know the size of a comprehension's result; 1.30 and later do.

    `checked`: the type-checked expression
    `extents`: the size limits of its variables
    """
    return _LooplessCoster(checked, extents).cost(checked.root)


def cost_traced(checked: Checked, extents: Extents) -> int:
    """Estimates the maximum cost of a CEL expression with the algorithm of Kubernetes 1.33 and later.

    `checked`: the type-checked expression
    `extents`: the size limits of its variables
    """
    return _TracingCoster(checked, extents).cost(checked.root)


class _Coster:
    """Estimates the cost of one expression; visits each syntax node once, in upstream's order."""

    prices_versions = False
    prices_equality = True
    sizes_loops = True

    def __init__(self, checked: Checked, extents: Extents) -> None:
        self._checked = checked
        self._extents = extents
        self._paths: dict[int, Path] = {}
        self._sizes: dict[int, Size] = {}
        self._ranges: dict[str, list[Node]] = {}

    def cost(self, node: Node) -> int:
        """Returns the maximum cost of a syntax node, including all nodes within it."""
        name = self._checked.names.get(node.id)
        if name is not None:
            return self._ident(node, name)
        match node:
            case Select():
                return self._select(node)
            case Call():
                return self._call(node)
            case ListLiteral():
                return self._list(node)
            case MapLiteral() | StructLiteral():
                return self._entries(node)
            case Comprehension():
                return self._comprehension(node)
            case _:
                return 0

    def path(self, node: Node) -> Path:
        """Returns the path from a CEL variable to the value of a syntax node.

        Returns an empty path if the value is not part of a variable.
        """
        return self._paths.get(node.id, ())

    def size(self, node: Node) -> Size | None:
        """Returns the size range of a syntax node's value; None if it is unknown."""
        if node.id in self._sizes:
            return self._sizes[node.id]
        size = _literal_size(node) or extent(self._extents, self.path(node))
        return size or self._size_of_type(self._type(node))

    def _size_of_type(self, of: Type) -> Size | None:
        return ONE if of.kind in _SCALARS else None

    def _type(self, node: Node) -> Type:
        return self._checked.type(node)

    def _ident(self, node: Node, name: str) -> int:
        ranges = self._ranges.get(name)
        if not ranges:
            self._paths[node.id] = (name,)
            return 1
        over = ranges[-1]
        subpath = {"list": "@items", "map": "@keys"}.get(self._type(over).kind)
        if subpath is not None:
            self._paths[node.id] = (*self.path(over), subpath)
        return 1

    def _select(self, node: Select) -> int:
        cost = self.cost(node.operand)
        if node.test_only:
            return cost
        if self._type(node.operand).kind in {"map", "struct", "param"}:
            cost += 1
        self._paths[node.id] = (*self.path(node.operand), node.field)
        return capped(cost)

    def _call(self, node: Call) -> int:
        costs = [self.cost(argument) for argument in node.arguments]
        arguments = [self._operand(argument) for argument in node.arguments]
        overloads = self._checked.overloads.get(node.id)
        if not overloads:
            return 0
        function = self._checked.functions.get(node.id, node.function)
        target = None
        cost = 0
        if node.target is not None and node.id not in self._checked.functions:
            cost = self.cost(node.target)
            target = self._operand(node.target)
        return capped(cost + self._dispatch(node, function, overloads, target, arguments, costs))

    def _dispatch(
        self,
        node: Call,
        function: str,
        overloads: list[str],
        target: Operand | None,
        arguments: list[Operand],
        costs: list[int],
    ) -> int:
        """Returns the maximum cost of a call and its arguments, over all `overloads`.

        - `overloads`: the ids of the overloads that the call may resolve to
        - `target`: the receiver of a method call; None for other calls
        - `costs`: the costs of the arguments, without the receiver
        """
        most = 0
        size: Size | None = None
        for overload in overloads:
            cost, result = self._overload(node, function, overload, target, arguments, costs)
            most = max(most, cost)
            if result is not None:
                size = result if size is None else size | result
            size = self._after_overload(node, overload, size)
        if size is not None:
            self._sizes[node.id] = size
        return most

    def _after_overload(self, node: Call, overload: str, size: Size | None) -> Size | None:
        subpath = {"index_list": "@items", "index_map": "@values"}.get(overload)
        if subpath is not None:
            self._paths[node.id] = (*self.path(node.arguments[0]), subpath)
        return size

    def _overload(
        self,
        node: Call,
        function: str,
        overload: str,
        target: Operand | None,
        arguments: list[Operand],
        costs: list[int],
    ) -> tuple[int, Size | None]:
        if overload in {"logical_and", "logical_or"}:
            return capped(costs[0] + costs[1]), None
        if overload == "conditional":
            return capped(costs[0] + max(costs[1:])), arguments[1].size | arguments[2].size
        estimate = None
        if self.prices_equality or function != "_==_":
            estimate = kubernetes_estimate(function, target, arguments, prices_versions=self.prices_versions)
        estimate = estimate or cel_estimate(overload, target, arguments)
        return capped(estimate.cost + sum(costs)), estimate.size

    def _operand(self, node: Node) -> Operand:
        path = self.path(node)
        elements = extent(self._extents, (*path, "@items")) if path else None
        return Operand(node, self._type(node), self.size(node) or UNKNOWN, elements or UNKNOWN)

    def _list(self, node: ListLiteral) -> int:
        return capped(_LIST + sum(map(self.cost, node.elements)))

    def _entries(self, node: MapLiteral | StructLiteral) -> int:
        parts = [part for entry in node.entries for part in (entry.key, entry.value) if part is not None]
        return capped((_MAP if isinstance(node, MapLiteral) else _STRUCT) + sum(map(self.cost, parts)))

    def _comprehension(self, node: Comprehension) -> int:
        cost = self.cost(node.range) + self.cost(node.initial)
        self._ranges.setdefault(node.variable, []).append(node.range)
        iteration = self.cost(node.condition) + self.cost(node.step)
        self._ranges[node.variable].pop()
        cost += self.cost(node.result)
        count = self.size(node.range) or UNKNOWN
        if self.sizes_loops:
            self._sizes[node.id] = count
        return capped(cost + count.most * iteration)


class _PlainCoster(_Coster):
    prices_equality = False


class _LooplessCoster(_PlainCoster):
    sizes_loops = False


class _Elements(msgspec.Struct, frozen=True):
    """The size ranges of a list's indices and elements, or of a map's keys and values."""

    kind: str
    keys: Size
    values: Size


class _Variable(msgspec.Struct, frozen=True):
    path: Path
    size: Size | None
    elements: _Elements | None = None


_ACCUMULATORS = frozenset(("@result", "__result__"))


class _TracingCoster(_Coster):
    prices_versions = True

    def __init__(self, checked: Checked, extents: Extents) -> None:
        super().__init__(checked, extents)
        self._elements: dict[int, _Elements] = {}
        self._variables: dict[str, list[_Variable]] = {}

    def path(self, node: Node) -> Path:
        variable = self._variable(node)
        return super().path(node) if variable is None else variable.path

    def size(self, node: Node) -> Size | None:
        size = super().size(node)
        if size is None:
            variable = self._variable(node)
            size = None if variable is None else variable.size
        return size

    def _size_of_type(self, of: Type) -> Size | None:
        """Returns the size range of all values of a type; None if it is unknown.

        For an optional type, returns the size range of the type inside.
        """
        return super()._size_of_type(of.parameters[0] if of.is_optional else of)

    def _variable(self, node: Node) -> _Variable | None:
        bound = self._variables.get(node.name) if isinstance(node, Ident) else None
        return bound[-1] if bound else None

    def _elements_of(self, node: Node) -> _Elements | None:
        if node.id in self._elements:
            return self._elements[node.id]
        variable = self._variable(node)
        return None if variable is None else variable.elements

    def _ident(self, node: Node, name: str) -> int:
        bound = self._variables.get(name)
        self._paths[node.id] = bound[-1].path if bound else (name,)
        return 1

    def _call(self, node: Call) -> int:
        if node.function != "dyn" or node.target is not None:
            return super()._call(node)
        argument = node.arguments[0]
        cost = self.cost(argument)
        self._copy(node, argument)
        return capped(cost + 1)

    def _copy(self, to: Node, of: Node) -> None:
        size, elements = self.size(of), self._elements_of(of)
        if size is not None:
            self._sizes[to.id] = size
        if elements is not None:
            self._elements[to.id] = elements

    def _after_overload(self, node: Call, overload: str, size: Size | None) -> Size | None:
        super()._after_overload(node, overload, size)
        if overload in {"index_list", "index_map"}:
            elements = self._elements_of(node.arguments[0])
            size = None if elements is None else elements.values
        return self.size(node) if size is None else size

    def _overload(
        self,
        node: Call,
        function: str,
        overload: str,
        target: Operand | None,
        arguments: list[Operand],
        costs: list[int],
    ) -> tuple[int, Size | None]:
        if overload == "conditional":
            self._join(node, node.arguments[1], node.arguments[2])
        elif overload in {"add_string", "add_bytes", "add_list"}:
            self._join(node, node.arguments[0], node.arguments[1])
        return super()._overload(node, function, overload, target, arguments, costs)

    def _join(self, to: Node, one: Node, other: Node) -> None:
        """Records the size range of the elements of `to`: the union of the ranges of `one` and `other`.

        `to` is a conditional with the branches `one` and `other`, or the sum of both. Records nothing if a
        range is unknown.
        """
        mine, theirs = self._elements_of(one), self._elements_of(other)
        if mine is not None and theirs is not None:
            self._elements[to.id] = _Elements(mine.kind, mine.keys | theirs.keys, mine.values | theirs.values)

    def _list(self, node: ListLiteral) -> int:
        cost = super()._list(node)
        self._elements[node.id] = _Elements("list", ONE, self._any_of(node.elements))
        return cost

    def _entries(self, node: MapLiteral | StructLiteral) -> int:
        cost = super()._entries(node)
        if isinstance(node, MapLiteral):
            keys = self._any_of([entry.key for entry in node.entries if entry.key is not None])
            self._elements[node.id] = _Elements(
                "map", keys, self._any_of([entry.value for entry in node.entries])
            )
        return cost

    def _any_of(self, nodes: list[Node]) -> Size:
        size = Size(MOST if nodes else 0, 0)
        for node in nodes:
            size |= self.size(node) or UNKNOWN
        return size

    def _comprehension(self, node: Comprehension) -> int:
        if _binds(node):
            return self._bind(node)
        cost = self.cost(node.range) + self.cost(node.initial)
        self._push(node.accumulator, node.initial)
        for name, variable in self._iterated(node):
            self._variables.setdefault(name, []).append(variable)
        iteration = self.cost(node.condition) + self.cost(node.step)
        for name in filter(None, (node.variable, node.second)):
            self._variables[name].pop()
        cost += self.cost(node.result)
        self._variables[node.accumulator].pop()
        count = self.size(node.range) or UNKNOWN
        self._keep_result(node, count)
        return capped(cost + count.most * iteration)

    def _keep_result(self, node: Comprehension, count: Size) -> None:
        if isinstance(node.initial, Literal):
            self._sizes[node.id] = self.size(node.initial) or UNKNOWN
        elif isinstance(node.initial, ListLiteral | MapLiteral):
            self._sizes[node.id] = count
            elements = self._elements_of(node.step)
            if elements is not None:
                self._elements[node.id] = elements

    def _iterated(self, node: Comprehension) -> list[tuple[str, _Variable]]:
        """Returns the variables that a comprehension binds, as (name, path and size of the variable)."""
        elements, path = self._elements_of(node.range), self.path(node.range)
        is_list = (self._type(node.range).kind if elements is None else elements.kind) == "list"
        keys = None if elements is None else elements.keys
        values = None if elements is None else elements.values
        by_value = _Variable((*path, "@items" if is_list else "@values"), values)
        if node.second:
            by_key = _Variable((*path, "@indices" if is_list else "@keys"), keys)
            return [(node.variable, by_key), (node.second, by_value)]
        return [(node.variable, by_value if is_list else _Variable((*path, "@keys"), keys))]

    def _bind(self, node: Comprehension) -> int:
        cost = self.cost(node.range) + self.cost(node.initial)
        self._push(node.accumulator, node.initial)
        cost += self.cost(node.result)
        self._variables[node.accumulator].pop()
        self._copy(node, node.result)
        return capped(cost)

    def _push(self, name: str, of: Node) -> None:
        variable = _Variable(self.path(of), self.size(of), self._elements_of(of))
        self._variables.setdefault(name, []).append(variable)


def _binds(node: Comprehension) -> bool:
    """Whether the comprehension is an expanded `cel.bind`."""
    return (
        isinstance(node.range, ListLiteral)
        and not node.range.elements
        and isinstance(node.condition, Literal)
        and node.condition.value is False
        and node.accumulator not in _ACCUMULATORS
    )


def _literal_size(node: Node) -> Size | None:
    match node:
        case Literal(value=str() | bytes() as value):
            return fixed(len(value))
        case Literal():
            return ONE
        case ListLiteral(elements=elements):
            return fixed(len(elements))
        case MapLiteral(entries=entries):
            return fixed(len(entries))
        case _:
            return None
