"""Plans a type-checked CEL expression: creates closures that evaluate its syntax nodes and count their cost.

Follows cel-go `interpreter/planner.go`, `interpretable.go` and `decorators.go`. Planning evaluates constant
parts once, so they cost nothing at run time.
"""

from collections.abc import Callable, Sequence
from typing import Any

from fakeapi.machinery.cel.checker import Checked
from fakeapi.machinery.cel.environment import Environment
from fakeapi.machinery.cel.runtime import cost
from fakeapi.machinery.cel.runtime.aggregates import list_of, map_of
from fakeapi.machinery.cel.runtime.attributes import Attribute, Qualifier, Step
from fakeapi.machinery.cel.runtime.calls import (
    charged,
    differ,
    dispatched,
    either,
    lenient,
    logical,
    membership,
    not_strictly_false,
)
from fakeapi.machinery.cel.runtime.frame import Frame
from fakeapi.machinery.cel.runtime.functions import NO_ERRORS, NO_RANGE, SINGLETONS, overloads_of
from fakeapi.machinery.cel.runtime.loops import Loop
from fakeapi.machinery.cel.runtime.matching import accepts, guarded, no_such_overload
from fakeapi.machinery.cel.runtime.messages import message
from fakeapi.machinery.cel.runtime.planned import Constant, Planned, step_of, variable
from fakeapi.machinery.cel.runtime.program import Dialect, Program
from fakeapi.machinery.cel.runtime.values import Err, Optional, TypeValue, UInt, equal
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


def plan(checked: Checked, environment: Environment, dialect: Dialect) -> Program:
    """Plans a CEL expression that passed the type check and `compiler.planning_fault`."""
    return Program(_Planner(checked, environment, dialect).step(checked.root))


_CONVERSIONS = frozenset(
    ("bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint")
)


_MATCHING = frozenset(("matches", "find", "findAll"))
"""CEL functions that match a regular expression.

Calls with a constant pattern stop at the first argument that is an error, because cel-go compiles the pattern
when it plans the call.
"""


_INDEXING = {"_[_]": False, "_?._": True, "_[?_]": True}


class _Planner:
    def __init__(self, checked: Checked, environment: Environment, dialect: Dialect) -> None:
        self._checked = checked
        self._environment = environment
        self._dialect = dialect
        self._overloads = overloads_of(dialect.variants)

    def step(self, node: Node) -> Step:
        return step_of(self._plan(node))

    def _plan(self, node: Node) -> Planned:
        name = self._checked.names.get(node.id)
        if name is not None and isinstance(node, Ident | Select):
            return self._named(node, name)
        match node:
            case Literal():
                return Constant(UInt(node.value) if node.kind == "uint" else node.value)  # type: ignore[arg-type]
            case Select():
                return self._select(node)
            case Call():
                return self._call(node)
            case ListLiteral():
                return self._list(node)
            case MapLiteral():
                return self._map(node)
            case StructLiteral():
                return self._message(node)
            case Comprehension():
                return self._fold(node)
            case _:
                raise AssertionError(f"an identifier without a name: {node}")

    def _named(self, node: Node, name: str) -> Planned:
        if self._checked.type(node).kind == "type" and self._environment.lookup(name) is not None:
            of = self._checked.type(node).parameters
            return Constant(TypeValue(of[0].declared().partition("(")[0] if of else name))
        return Attribute(variable(name, weight=0), variable=name)

    def _attribute(self, planned: Planned) -> Attribute:
        return planned if isinstance(planned, Attribute) else Attribute(step_of(planned))

    def _select(self, node: Select) -> Planned:
        attribute = self._attribute(self._plan(node.operand))
        attribute.add(Qualifier(node.field, tests=node.test_only))
        if not node.test_only:
            return attribute
        resolve = attribute.resolver()

        def test(frame: Frame) -> Any:
            result = resolve(frame)
            return result.present if type(result) is Optional else result

        return Attribute(test, weight=0)

    def _index(self, node: Call) -> Attribute:
        operand, index = node.arguments
        attribute = self._attribute(self._plan(operand))
        optional = _INDEXING[node.function]
        planned = self._plan(index)
        if isinstance(planned, Constant):
            attribute.add(Qualifier(planned.value, optional=optional))
        else:
            dynamic = planned.resolver() if isinstance(planned, Attribute) else planned
            attribute.add(Qualifier(dynamic=dynamic, optional=optional))
        return attribute

    def _call(self, node: Call) -> Planned:
        if node.target is None and node.function in _INDEXING:
            return self._index(node)
        name = self._checked.functions.get(node.id, node.function)
        nodes = list(node.arguments)
        if node.target is not None and node.id not in self._checked.functions:
            nodes.insert(0, node.target)
        planned = [self._plan(argument) for argument in nodes]
        if name == "_?_:_":
            return self._conditional(planned)
        if name in {"_&&_", "_||_"}:
            return logical([step_of(operand) for operand in planned], decisive=name == "_||_")
        if name in {"or", "orValue"} and len(planned) == 2:
            return either(step_of(planned[0]), step_of(planned[1]), unwraps=name == "orValue")
        if name == "@not_strictly_false":
            return lenient(not_strictly_false, step_of(planned[0]), cost.one)
        return self._function(node, name, planned)

    def _conditional(self, planned: Sequence[Planned]) -> Attribute:
        condition, truthy, falsy = planned
        branches = tuple(
            branch if isinstance(branch, Attribute) else Attribute(step_of(branch))
            for branch in (truthy, falsy)
        )
        return Attribute(step_of(condition), branches=(branches[0], branches[1]), weight=0)

    def _function(self, node: Call, name: str, planned: Sequence[Planned]) -> Planned:
        resolved = self._checked.overloads.get(node.id, [])
        overload = resolved[0] if len(resolved) == 1 else ""
        steps = [step_of(argument) for argument in planned]
        charge: cost.Cost = cost.one
        if name not in self._dialect.unpriced:
            charge = cost.cost_of(name, overload, reads_affix=self._dialect.reads_affix)
        if name == "@in" and overload == "in_list" and isinstance(planned[1], Constant):
            member = membership(planned[1].value, steps[0], forgives=NO_ERRORS in self._dialect.variants)
            if member is not None:
                return member
        if name == "_==_":
            return charged(equal, steps, charge)
        if name == "_!=_":
            return charged(differ, steps, charge)
        strict = True
        if name in SINGLETONS:
            implementation = SINGLETONS[name]
        else:
            implementation, strict = self._implementation(name, overload)
        if name in _CONVERSIONS and len(planned) == 1 and isinstance(planned[0], Constant):
            return Constant(implementation(planned[0].value))
        if name in _MATCHING and isinstance(planned[1], Constant):
            strict = False
        if strict:
            return charged(implementation, steps, charge)
        return dispatched(implementation, steps, charge)

    def _implementation(self, name: str, overload: str) -> tuple[Callable[..., Any], bool]:
        """Returns (implementation of a call, whether the call is strict).

        A strict call evaluates all arguments before it checks them for errors.
        """
        known = self._overloads
        declared = [candidate for candidate in self._environment.functions[name] if candidate.id in known]
        chosen = [candidate for candidate in declared if candidate.id == overload]
        if chosen:
            return guarded(name, chosen[0], known[chosen[0].id]), len(chosen[0].arguments) <= 2
        if len(declared) == 1:
            return guarded(name, declared[0], known[declared[0].id]), len(declared[0].arguments) <= 2

        def dispatch(*arguments: Any) -> Any:
            for candidate in declared:
                if accepts(candidate, arguments):
                    return known[candidate.id](*arguments)
            return no_such_overload(name, arguments)

        return dispatch, False

    def _list(self, node: ListLiteral) -> Planned:
        planned = [self._plan(element) for element in node.elements]
        values = [element.value for element in planned if isinstance(element, Constant)]
        if len(values) == len(planned):
            return Constant(list_of(values, node.optional))
        steps = [step_of(element) for element in planned]
        optional = node.optional

        def make(frame: Frame) -> Any:
            evaluated = []
            for step in steps:
                value = step(frame)
                if type(value) is Err:
                    frame.cost += cost.LIST
                    return value
                evaluated.append(value)
            frame.cost += cost.LIST
            return list_of(evaluated, optional)

        return make

    def _map(self, node: MapLiteral) -> Planned:
        entries = []
        for entry in node.entries:
            assert entry.key is not None
            entries.append((self._plan(entry.key), self._plan(entry.value), entry.optional))
        if all(isinstance(key, Constant) and isinstance(value, Constant) for key, value, _ in entries):
            pairs = [(key.value, value.value, optional) for key, value, optional in entries]  # type: ignore[union-attr]
            return Constant(map_of(pairs))
        steps = [(step_of(key), step_of(value), optional) for key, value, optional in entries]

        def make(frame: Frame) -> Any:
            evaluated = []
            for key_step, value_step, optional in steps:
                key = key_step(frame)
                value = key if type(key) is Err else value_step(frame)
                if type(value) is Err:
                    frame.cost += cost.MAP
                    return value
                evaluated.append((key, value, optional))
            frame.cost += cost.MAP
            return map_of(evaluated)

        return make

    def _message(self, node: StructLiteral) -> Step:
        """Plans the construction of a protobuf message, or of an object such as `Object.spec`."""
        name = node.name.removeprefix(".")
        steps = [(entry.field, self.step(entry.value), entry.optional) for entry in node.entries]

        def make(frame: Frame) -> Any:
            fields = {}
            for field, step, optional in steps:
                value = step(frame)
                if type(value) is Err:
                    frame.cost += cost.STRUCT
                    return value
                if optional and type(value) is Optional:
                    if not value.present:
                        continue
                    value = value.value
                fields[field] = value
            frame.cost += cost.STRUCT
            return message(name, fields)

        return make

    def _fold(self, node: Comprehension) -> Step:
        initial, over = self.step(node.initial), self.step(node.range)
        loop = Loop(
            accumulator=node.accumulator,
            variables=(node.variable, node.second) if node.second else (node.variable,),
            initial=initial,
            condition=self.step(node.condition),
            next=self.step(node.step),
            result=self.step(node.result),
            is_lazy=self._dialect.binds_lazily,
        )

        hides_error = bool(node.second) and NO_RANGE in self._dialect.variants

        def fold(frame: Frame) -> Any:
            values = over(frame)
            if type(values) is Err:
                return Err("unsupported comprehension range type: *types.Err") if hides_error else values
            return loop.run(frame, values)

        return fold
