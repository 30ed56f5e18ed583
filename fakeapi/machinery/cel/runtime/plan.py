"""Plans the evaluation of a checked expression: closures that evaluate its nodes and count what they cost.

Follows cel-go `interpreter/planner.go`, `interpretable.go` and `decorators.go`: what is constant is evaluated
once, beforehand, and costs nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.cel import allowance
from fakeapi.machinery.cel.checker import Checked
from fakeapi.machinery.cel.declarations import Overload
from fakeapi.machinery.cel.environment import Environment
from fakeapi.machinery.cel.runtime import cost
from fakeapi.machinery.cel.runtime.attributes import Attribute, Qualifier, Step, native
from fakeapi.machinery.cel.runtime.frame import CostLimitError, Frame
from fakeapi.machinery.cel.runtime.functions import NO_ERRORS, NO_RANGE, SINGLETONS, overloads_of
from fakeapi.machinery.cel.runtime.messages import message
from fakeapi.machinery.cel.runtime.values import (
    MISSING,
    NO_OVERLOAD,
    Entries,
    Err,
    Growing,
    Items,
    ListValue,
    MapValue,
    Optional,
    TypeValue,
    UInt,
    equal,
    text_of,
    type_name,
)
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

CALL_LIMIT = 1_000_000
"""Cost limit of one expression."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """Differences between releases in how expressions are evaluated.

    `reads_affix`: see `cost.cost_of`. `binds_lazily`: the initial value of a loop, such as the value of
    `cel.bind`, is evaluated when it is first read. `variants`: the function variants in use, of
    `functions.VARIANTS`. `unpriced`: functions that cost 1 at run time.
    """

    reads_affix: bool
    binds_lazily: bool
    variants: frozenset[str] = frozenset()
    unpriced: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result of an evaluation.

    `value` is an Err if the expression failed. `cost` is the total. `exceeded`: it went over the cost limit,
    and there is no value.
    """

    value: Any
    cost: int
    exceeded: bool = False


class Program:
    """A planned expression, which can be evaluated any number of times."""

    __slots__ = ("_step",)

    def __init__(self, step: Step) -> None:
        self._step = step

    def evaluate(self, variables: Mapping[str, Any], limit: int = CALL_LIMIT) -> Evaluation:
        """Evaluates the expression. Raises AllowanceSpent within an `Allowance` that does not suffice."""
        within = allowance.current()
        if within is None:
            return self._evaluated(variables, limit, limit)
        within.pay(allowance.EVALUATION_UNITS)
        found = self._evaluated(variables, limit, min(limit, within.left))
        within.pay(found.cost)
        return found

    def _evaluated(self, variables: Mapping[str, Any], limit: int, stops_at: int) -> Evaluation:
        """Evaluates until the cost goes over `stops_at`, which may be less than `limit`."""
        frame = Frame(variables, stops_at)
        try:
            value = self._step(frame)
            frame.check()
        except CostLimitError:
            return Evaluation(None, frame.cost, exceeded=frame.cost > limit)
        except cost.UncountableError as error:
            return Evaluation(Err(f"internal error: {error}"), frame.cost)
        return Evaluation(value, frame.cost)


def plan(checked: Checked, environment: Environment, dialect: Dialect) -> Program:
    """Plans an expression without errors, whose literals `literals.constant_fault` accepts."""
    return Program(_Planner(checked, environment, dialect).step(checked.root))


@dataclass(slots=True)
class _Constant:
    value: Any


_Planned = _Constant | Attribute | Step

_CONVERSIONS = frozenset(
    ("bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint")
)
_MATCHING = frozenset(("matches", "find", "findAll"))
"""Functions with a regular expression; a constant one is compiled when the expression is planned, and calls
are dispatched over all arguments.
"""
_TERSE = frozenset(("contains_string", "ends_with_string", "starts_with_string"))
"""Overloads that check the types of their arguments themselves, with a shorter error message."""
_INDEXING = {"_[_]": False, "_?._": True, "_[?_]": True}


class _Lazy:
    """A variable's value that is evaluated when it is first read."""

    __slots__ = ("step",)

    def __init__(self, step: Step) -> None:
        self.step = step


class _Planner:
    def __init__(self, checked: Checked, environment: Environment, dialect: Dialect) -> None:
        self._checked = checked
        self._environment = environment
        self._dialect = dialect
        self._overloads = overloads_of(dialect.variants)

    def step(self, node: Node) -> Step:
        return _step_of(self._plan(node))

    def _plan(self, node: Node) -> _Planned:
        name = self._checked.names.get(node.id)
        if name is not None and isinstance(node, Ident | Select):
            return self._named(node, name)
        match node:
            case Literal():
                return _Constant(UInt(node.value) if node.kind == "uint" else node.value)  # type: ignore[arg-type]
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

    def _named(self, node: Node, name: str) -> _Planned:
        if self._checked.type(node).kind == "type" and self._environment.lookup(name) is not None:
            of = self._checked.type(node).parameters
            return _Constant(TypeValue(of[0].declared().partition("(")[0] if of else name))
        return Attribute(_variable(name, weight=0), variable=name)

    def _attribute(self, planned: _Planned) -> Attribute:
        return planned if isinstance(planned, Attribute) else Attribute(_step_of(planned))

    def _select(self, node: Select) -> _Planned:
        attribute = self._attribute(self._plan(node.operand))
        attribute.add(Qualifier(node.field, tests=node.test_only))
        if not node.test_only:
            return attribute
        resolve = attribute.resolver()

        def test(frame: Frame) -> Any:
            found = resolve(frame)
            return found.present if type(found) is Optional else found

        return Attribute(test, weight=0)

    def _index(self, node: Call) -> Attribute:
        operand, index = node.arguments
        attribute = self._attribute(self._plan(operand))
        optional = _INDEXING[node.function]
        planned = self._plan(index)
        if isinstance(planned, _Constant):
            attribute.add(Qualifier(planned.value, optional=optional))
        else:
            dynamic = planned.resolver() if isinstance(planned, Attribute) else planned
            attribute.add(Qualifier(dynamic=dynamic, optional=optional))
        return attribute

    def _call(self, node: Call) -> _Planned:
        if node.target is None and node.function in _INDEXING:
            return self._index(node)
        name = self._checked.functions.get(node.id, node.function)
        nodes = list(node.arguments)
        if node.target is not None and node.id not in self._checked.functions:
            nodes.insert(0, node.target)
        planned = [self._plan(each) for each in nodes]
        if name == "_?_:_":
            return self._conditional(planned)
        if name in {"_&&_", "_||_"}:
            return _logical([_step_of(each) for each in planned], decisive=name == "_||_")
        if name in {"or", "orValue"} and len(planned) == 2:
            return _either(_step_of(planned[0]), _step_of(planned[1]), unwraps=name == "orValue")
        if name == "@not_strictly_false":
            return _unary(_not_strictly_false, _step_of(planned[0]), cost.one)
        return self._function(node, name, planned)

    def _conditional(self, planned: Sequence[_Planned]) -> Attribute:
        condition, truthy, falsy = planned
        branches = tuple(
            each if isinstance(each, Attribute) else Attribute(_step_of(each)) for each in (truthy, falsy)
        )
        return Attribute(_step_of(condition), branches=(branches[0], branches[1]), weight=0)

    def _function(self, node: Call, name: str, planned: Sequence[_Planned]) -> _Planned:
        resolved = self._checked.overloads.get(node.id, [])
        overload = resolved[0] if len(resolved) == 1 else ""
        steps = [_step_of(each) for each in planned]
        charge: cost.Cost = cost.one
        if name not in self._dialect.unpriced:
            charge = cost.cost_of(name, overload, reads_affix=self._dialect.reads_affix)
        if name == "@in" and overload == "in_list" and isinstance(planned[1], _Constant):
            member = _membership(planned[1].value, steps[0], forgives=NO_ERRORS in self._dialect.variants)
            if member is not None:
                return member
        if name == "_==_":
            return _charged(equal, steps, charge)
        if name == "_!=_":
            return _charged(_differ, steps, charge)
        strict = True
        if name in SINGLETONS:
            implementation = SINGLETONS[name]
        else:
            implementation, strict = self._implementation(name, overload)
        if name in _CONVERSIONS and len(planned) == 1 and isinstance(planned[0], _Constant):
            return _Constant(implementation(planned[0].value))
        if name in _MATCHING and isinstance(planned[1], _Constant):
            strict = False
        if strict:
            return _charged(implementation, steps, charge)
        return _dispatched(implementation, steps, charge)

    def _implementation(self, name: str, overload: str) -> tuple[Callable[..., Any], bool]:
        """The implementation of a call, and whether it evaluates all arguments before it looks at any."""
        known = self._overloads
        declared = [each for each in self._environment.functions[name] if each.id in known]
        chosen = [each for each in declared if each.id == overload]
        if chosen:
            return _guarded(name, chosen[0], known[chosen[0].id]), len(chosen[0].arguments) <= 2
        if len(declared) == 1:
            return _guarded(name, declared[0], known[declared[0].id]), len(declared[0].arguments) <= 2

        def dispatch(*arguments: Any) -> Any:
            for each in declared:
                if _accepts(each, arguments):
                    return known[each.id](*arguments)
            return _no_such(name, arguments)

        return dispatch, False

    def _list(self, node: ListLiteral) -> _Planned:
        planned = [self._plan(each) for each in node.elements]
        values = [each.value for each in planned if isinstance(each, _Constant)]
        if len(values) == len(planned):
            return _Constant(_made_list(values, node.optional))
        steps = [_step_of(each) for each in planned]
        optional = node.optional

        def make(frame: Frame) -> Any:
            found = []
            for step in steps:
                value = step(frame)
                if type(value) is Err:
                    frame.cost += cost.LIST
                    return value
                found.append(value)
            frame.cost += cost.LIST
            return _made_list(found, optional)

        return make

    def _map(self, node: MapLiteral) -> _Planned:
        entries = []
        for entry in node.entries:
            assert entry.key is not None
            entries.append((self._plan(entry.key), self._plan(entry.value), entry.optional))
        if all(isinstance(key, _Constant) and isinstance(value, _Constant) for key, value, _ in entries):
            pairs = [(key.value, value.value, optional) for key, value, optional in entries]  # type: ignore[union-attr]
            return _Constant(_made_map(pairs))
        steps = [(_step_of(key), _step_of(value), optional) for key, value, optional in entries]

        def make(frame: Frame) -> Any:
            found = []
            for key_step, value_step, optional in steps:
                key = key_step(frame)
                value = key if type(key) is Err else value_step(frame)
                if type(value) is Err:
                    frame.cost += cost.MAP
                    return value
                found.append((key, value, optional))
            frame.cost += cost.MAP
            return _made_map(found)

        return make

    def _message(self, node: StructLiteral) -> Step:
        """Plans the construction of a well-known message, or of an object without a schema."""
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
        loop = _Loop(
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


def _step_of(planned: _Planned) -> Step:
    if isinstance(planned, _Constant):
        value = planned.value
        return lambda frame: value
    if not isinstance(planned, Attribute):
        return planned
    if planned.weight and planned.variable and not planned.qualifiers:
        return _variable(planned.variable, weight=planned.weight)
    resolve = planned.resolver()
    if planned.weight == 0 or planned.branches is not None:
        return resolve

    def evaluate(frame: Frame) -> Any:
        value = resolve(frame)
        frame.cost += 1
        return value

    return evaluate


def _variable(name: str, *, weight: int) -> Step:
    missing = Err(f"no such attribute(s): {name}")

    def find(frame: Frame) -> Any:
        value = frame.variables.get(name, missing)
        frame.cost += weight
        kind = type(value)
        if kind is _Lazy:
            value = frame.variables[name] = value.step(frame)
            kind = type(value)
        if kind is Optional and value.present:
            return Optional(native(value.value))
        return value

    return find


def _logical(steps: Sequence[Step], *, decisive: bool) -> Step:
    """Plans `&&` or `||`: one decisive operand gives the result, even if others are errors."""

    def evaluate(frame: Frame) -> Any:
        error: Any = None
        for step in steps:
            value = step(frame)
            if value is decisive:
                return decisive
            if type(value) is not bool and error is None:
                error = value if type(value) is Err else NO_OVERLOAD
        return not decisive if error is None else error

    return evaluate


def _either(first: Step, second: Step, *, unwraps: bool) -> Step:
    def evaluate(frame: Frame) -> Any:
        value = first(frame)
        if type(value) is Err:
            return value
        if type(value) is not Optional:
            return NO_OVERLOAD
        if value.present:
            return value.value if unwraps else value
        return second(frame)

    return evaluate


def _charged(implementation: Callable[..., Any], steps: list[Step], charge: cost.Cost) -> Step:
    """Plans a call whose result is the first argument that is an error."""
    if len(steps) == 2:
        return _strict_binary(implementation, steps[0], steps[1], charge)
    if len(steps) == 1:
        return _strict_unary(implementation, steps[0], charge)
    return _dispatched(implementation, steps, charge)


def _differ(one: Any, other: Any) -> bool:
    return equal(one, other) is not True


def _not_strictly_false(value: Any) -> Any:
    return value if type(value) is bool else True


def _membership(values: Any, step: Step, *, forgives: bool) -> _Constant | Step | None:
    """Plans `in` for a constant list of scalars, at no cost; None for other lists.

    `forgives`: the result for an operand that is an error is false.

    `forgives`: an error is in no list.
    """
    items = list(values)
    if not items:
        return _Constant(False)
    if any(type(item) not in {bool, int, UInt, float, str, type(None)} for item in items):
        return None
    present = Entries((item, True) for item in items)

    def evaluate(frame: Frame) -> Any:
        value = step(frame)
        if type(value) is Err:
            return False if forgives else value
        return present.find(value) is not MISSING

    return evaluate


def _unary(implementation: Callable[..., Any], step: Step, charge: cost.Cost) -> Step:
    def evaluate(frame: Frame) -> Any:
        argument = step(frame)
        value = implementation(argument)
        frame.cost += charge((argument,), value)
        return value

    return evaluate


def _strict_unary(implementation: Callable[..., Any], step: Step, charge: cost.Cost) -> Step:
    def evaluate(frame: Frame) -> Any:
        argument = step(frame)
        value = argument if type(argument) is Err else implementation(argument)
        frame.cost += charge((argument,), value)
        return value

    return evaluate


def _strict_binary(implementation: Callable[..., Any], first: Step, second: Step, charge: cost.Cost) -> Step:
    def evaluate(frame: Frame) -> Any:
        one = first(frame)
        other = second(frame)
        if type(one) is Err:
            value: Any = one
        elif type(other) is Err:
            value = other
        else:
            value = implementation(one, other)
        frame.cost += charge((one, other), value)
        return value

    def evaluate_at_one(frame: Frame) -> Any:
        one = first(frame)
        other = second(frame)
        frame.cost += 1
        if type(one) is Err:
            return one
        return other if type(other) is Err else implementation(one, other)

    return evaluate_at_one if charge is cost.one else evaluate


def _dispatched(implementation: Callable[..., Any], steps: Sequence[Step], charge: cost.Cost) -> Step:
    """Plans a call that stops at the first argument that is an error, and costs nothing unless that is the
    last.
    """
    last = len(steps) - 1

    def evaluate(frame: Frame) -> Any:
        arguments = []
        for position, step in enumerate(steps):
            argument = step(frame)
            arguments.append(argument)
            if type(argument) is Err:
                if position == last:
                    frame.cost += charge(arguments, argument)
                return argument
        value = implementation(*arguments)
        frame.cost += charge(arguments, value)
        return value

    return evaluate


def _guarded(name: str, overload: Overload, implementation: Callable[..., Any]) -> Callable[..., Any]:
    if all(each.kind == "param" or each.is_dyn for each in overload.arguments):
        return implementation

    terse = overload.id in _TERSE

    def call(*arguments: Any) -> Any:
        if _accepts(overload, arguments):
            return implementation(*arguments)
        return NO_OVERLOAD if terse else _no_such(name, arguments)

    return call


def _accepts(overload: Overload, arguments: Sequence[Any]) -> bool:
    if len(arguments) != len(overload.arguments):
        return False
    return all(_fits(of, value) for of, value in zip(overload.arguments, arguments, strict=True))


def _fits(of: Type, value: Any) -> bool:
    """Whether a value is of a declared type; of lists and maps only the first item or entry is checked."""
    if of.kind == "param" or of.is_dyn:
        return True
    if of.kind == "list":
        return isinstance(value, ListValue) and (not len(value) or _fits(of.parameters[0], value.at(0)))
    if of.kind == "map":
        if not isinstance(value, MapValue):
            return False
        key = next(iter(value), MISSING)
        return key is MISSING or (_fits(of.parameters[0], key) and _fits(of.parameters[1], value.find(key)))
    return type_name(value) == _RUNTIME_NAMES.get(of.kind, of.name or of.kind)


_RUNTIME_NAMES = {
    "duration": "google.protobuf.Duration",
    "timestamp": "google.protobuf.Timestamp",
    "null": "null_type",
}


def _no_such(name: str, arguments: Sequence[Any]) -> Err:
    return Err(f"no such overload: {name}({', '.join(map(type_name, arguments))})")


def _made_list(values: list[Any], optional: frozenset[int]) -> Any:
    if not optional:
        return Items(values)
    found = []
    for position, value in enumerate(values):
        if position not in optional:
            found.append(value)
        elif type(value) is not Optional:
            return Err(f"cannot initialize optional list element from non-optional value {text_of(value)}")
        elif value.present:
            found.append(value.value)
    return Items(found)


def _made_map(entries: list[tuple[Any, Any, bool]]) -> Any:
    found = []
    for key, value, optional in entries:
        if not optional:
            found.append((key, value))
        elif type(value) is not Optional:
            non = f"from non-optional value {text_of(value)}"
            return Err(f"cannot initialize optional entry '{text_of(key)}' {non}")
        elif value.present:
            found.append((key, value.value))
    return Entries(found)


_UNSET = object()


def _growing(value: Any) -> Any:
    """The initial value of a loop; an empty list becomes a `Growing`, which is appended to in place."""
    return Growing([]) if type(value) is Items and not len(value) else value


def _grown(value: Any) -> Any:
    return Items(value.items) if type(value) is Growing else value


@dataclass(frozen=True, slots=True)
class _Loop:
    """A comprehension: folds values into an accumulator."""

    accumulator: str
    variables: tuple[str, ...]
    initial: Step
    condition: Step
    next: Step
    result: Step
    is_lazy: bool

    def run(self, frame: Frame, values: Any) -> Any:
        if not isinstance(values, ListValue | MapValue):
            return Err(f"got '{type_name(values)}', expected iterable type")
        variables = frame.variables
        names = (self.accumulator, *self.variables)
        outer = [variables.get(name, _UNSET) for name in names]
        variables[self.accumulator] = self._start(frame, dict(zip(names, outer, strict=True)))
        try:
            self._iterate(frame, values)
            for name, value in zip(names[1:], outer[1:], strict=True):
                _restore(variables, name, value)
            return _grown(self.result(frame))
        finally:
            for name, value in zip(names, outer, strict=True):
                _restore(variables, name, value)

    def _start(self, frame: Frame, outer: dict[str, Any]) -> Any:
        """The initial value of the accumulator, evaluated without the loop's own variables."""
        if not self.is_lazy:
            return _growing(self.initial(frame))

        def evaluate(frame: Frame) -> Any:
            hidden = {name: frame.variables.get(name, _UNSET) for name in outer}
            for name, value in outer.items():
                _restore(frame.variables, name, value)
            value = _growing(self.initial(frame))
            for name, before in hidden.items():
                _restore(frame.variables, name, before)
            return value

        return _Lazy(evaluate)

    def _iterate(self, frame: Frame, values: Any) -> None:
        variables = frame.variables
        for given in self._given(values):
            for name, value in zip(self.variables, given, strict=True):
                variables[name] = value
            going = self.condition(frame)
            if going is False:
                return
            variables[self.accumulator] = self.next(frame)
            frame.check()

    def _given(self, values: Any) -> Any:
        if len(self.variables) == 1:
            return ((value,) for value in values)
        if isinstance(values, ListValue):
            return enumerate(values)
        return ((key, values.find(key)) for key in values)


def _restore(variables: dict[str, Any], name: str, value: Any) -> None:
    if value is _UNSET:
        variables.pop(name, None)
    else:
        variables[name] = value
