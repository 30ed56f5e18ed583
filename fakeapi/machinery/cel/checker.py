"""Type-checks a CEL expression: resolves its names, function overloads and types.

Follows cel-go `checker/checker.go`, including its messages.
"""

from collections.abc import Sequence

import msgspec

from fakeapi.machinery.cel.declarations import Overload
from fakeapi.machinery.cel.environment import Environment
from fakeapi.machinery.cel.syntax import (
    Call,
    Comprehension,
    Entry,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Node,
    Select,
    StructLiteral,
    qualified_name,
)
from fakeapi.machinery.cel.types import (
    BOOL,
    DYN,
    ERROR,
    INT,
    Substitution,
    Type,
    list_of,
    map_of,
    most_general,
    optional_of,
    unwrapped,
)

_NO_TYPE = Type("none", "<nil>")
_LOGICAL = frozenset(("_&&_", "_||_"))


class Fault(msgspec.Struct, frozen=True):
    """A type error in a CEL expression; `id` is the id of the syntax node with the error."""

    id: int
    message: str


class Checked(msgspec.Struct):
    """The result of type-checking a CEL expression. All mappings have the ids of syntax nodes as keys.

    - `types`: the type of each node.
    - `overloads`: ids of the overloads that a call may resolve to.
    - `functions`: the qualified name of a called function, such as `sets.contains`; only if the call is
      written like a method call.
    - `names`: qualified names of identifiers, including identifiers written as selections (`a.b`).
    - `faults`: the type errors.
    """

    root: Node
    types: dict[int, Type] = msgspec.field(default_factory=dict)
    overloads: dict[int, list[str]] = msgspec.field(default_factory=dict)
    functions: dict[int, str] = msgspec.field(default_factory=dict)
    names: dict[int, str] = msgspec.field(default_factory=dict)
    faults: list[Fault] = msgspec.field(default_factory=list)

    def type(self, node: Node) -> Type:
        return self.types[node.id]


def check(root: Node, environment: Environment) -> Checked:
    """Type-checks all nodes of a CEL expression. If the result has faults, its types are unreliable."""
    checker = _Checker(root, environment)
    checker.check(root)
    checked, known = checker.checked, checker.known
    checked.types = {id_: known.resolve(of, final=True) for id_, of in checked.types.items()}
    return checked


class _Checker:
    def __init__(self, root: Node, environment: Environment) -> None:
        self.checked = Checked(root)
        self.known = Substitution()
        self._environment = environment
        self._scopes: list[dict[str, Type]] = []

    def check(self, node: Node) -> Type:
        """Returns the type of a syntax node; records the type and all type errors in `checked`."""
        match node:
            case Literal():
                of = Type(node.kind)
            case Ident():
                of = self._ident(node)
            case Select():
                of = self._select(node)
            case Call():
                of = self._call(node)
            case ListLiteral():
                of = self._list(node)
            case MapLiteral():
                of = self._map(node)
            case StructLiteral():
                of = self._struct(node)
            case Comprehension():
                of = self._comprehension(node)
        self.checked.types[node.id] = of
        return of

    def _fault(self, id_: int, message: str) -> Type:
        self.checked.faults.append(Fault(id_, message))
        return ERROR

    def _mismatch(self, id_: int, expected: Type, actual: Type) -> Type:
        return self._fault(id_, f"expected type '{expected}' but found '{actual}'")

    def _undeclared(self, id_: int, name: str) -> Type:
        return self._fault(id_, f"undeclared reference to '{name}' (in container '')")

    def _unknown_call(self, id_: int, name: str) -> Type:
        error = self._undeclared(id_, name)
        return _NO_TYPE if self._environment.forgets_unknown_calls else error

    def _lookup(self, name: str) -> Type | None:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return self._environment.lookup(name.removeprefix("."))

    def _ident(self, node: Ident) -> Type:
        of = self._lookup(node.name)
        if of is None:
            return self._undeclared(node.id, node.name.removeprefix("."))
        self.checked.names[node.id] = node.name.removeprefix(".")
        return of

    def _select(self, node: Select) -> Type:
        name = qualified_name(node)
        of = self._lookup(name) if name else None
        if of is not None:
            self.checked.names[node.id] = name.removeprefix(".")
            return of
        field_type = self._field(node.id, node.operand, node.field, optional=False)
        return BOOL if node.test_only else self.known.resolve(field_type)

    def _field(self, id_: int, operand: Node, name: str, *, optional: bool) -> Type:
        of, is_optional = unwrapped(self.known.resolve(self.check(operand)))
        if of.kind == "map":
            result = of.parameters[1]
        elif of.kind == "struct":
            result = self._struct_field(id_, of.name, name) or ERROR
        elif of.kind == "param":
            self.known.assignable(DYN, of)
            result = DYN
        else:
            if not of.is_dyn and of != ERROR:
                self._fault(id_, f"type '{of}' does not support field selection")
            result = DYN
        return optional_of(result) if is_optional or optional else result

    def _struct_field(self, id_: int, struct: str, name: str) -> Type | None:
        fields = self._environment.fields(struct)
        if fields is None:
            self._fault(id_, f"unexpected failed resolution of '{struct}'")
            return None
        if name not in fields:
            self._fault(id_, f"undefined field '{name}'")
        return fields.get(name)

    def _call(self, node: Call) -> Type:
        if node.function == "_?._":
            return self._optional_field(node)
        arguments = [self.check(argument) for argument in node.arguments]
        functions = self._environment.functions
        if node.target is None:
            name = node.function.removeprefix(".")
            if name not in functions:
                return self._unknown_call(node.id, name)
            return self._resolve(node, name, functions[name], None, arguments)
        prefix = qualified_name(node.target)
        whole = f"{prefix}.{node.function}".removeprefix(".")
        if prefix and whole in functions:
            self.checked.functions[node.id] = whole
            return self._resolve(node, whole, functions[whole], None, arguments)
        target = self.check(node.target)
        if node.function not in functions:
            return self._unknown_call(node.id, node.function)
        return self._resolve(node, node.function, functions[node.function], target, arguments)

    def _optional_field(self, node: Call) -> Type:
        operand, name = node.arguments
        if not isinstance(name, Literal) or not isinstance(name.value, str):
            return self._fault(name.id, "unsupported optional field selection")
        self.checked.types[name.id] = Type(name.kind)
        self.checked.overloads[node.id] = ["select_optional_field"]
        return self.known.resolve(self._field(node.id, operand, name.value, optional=True))

    def _resolve(
        self,
        node: Call,
        name: str,
        overloads: Sequence[Overload],
        target: Type | None,
        arguments: list[Type],
    ) -> Type:
        if name in _LOGICAL:
            return self._logical(node, overloads[0], arguments)
        actual = tuple(arguments) if target is None else (target, *arguments)
        result: Type | None = None
        for overload in overloads:
            if overload.member != (target is not None):
                continue
            returned, expected = self._instance(overload)
            if not self.known.all_assignable(actual, expected):
                continue
            self.checked.overloads.setdefault(node.id, []).append(overload.id)
            returned = self.known.resolve(returned)
            if result is None:
                result = returned
            elif not result.is_dyn and returned != result:
                result = DYN
        return self._no_overload(node.id, name, actual, target) if result is None else result

    def _logical(self, node: Call, overload: Overload, arguments: list[Type]) -> Type:
        result = BOOL
        for argument, of in zip(node.arguments, arguments, strict=True):
            if not self.known.assignable(of, BOOL):
                result = self._mismatch(argument.id, BOOL, of)
        self.checked.overloads[node.id] = [overload.id]
        return result

    def _instance(self, overload: Overload) -> tuple[Type, tuple[Type, ...]]:
        """Returns (result type, argument types) of an overload, with new type parameters."""
        if not overload.parameters:
            return overload.result, overload.arguments
        fresh = Substitution()
        for name in overload.parameters:
            fresh.bound[name] = self.known.fresh()
        return fresh.resolve(overload.result), tuple(map(fresh.resolve, overload.arguments))

    def _no_overload(
        self, id_: int, name: str, argument_types: tuple[Type, ...], target: Type | None
    ) -> Type:
        texts = [str(self.known.resolve(of, final=True)) for of in argument_types]
        receiver = "" if target is None else f"{texts.pop(0)}."
        signature = f"{receiver}({', '.join(texts)})"
        return self._fault(id_, f"found no matching overload for '{name}' applied to '{signature}'")

    def _list(self, node: ListLiteral) -> Type:
        common: Type | None = None
        for index, element in enumerate(node.elements):
            of = self._held(element, self.check(element), optional=index in node.optional)
            common = self._joined(common, of)
        return list_of(common or self.known.fresh())

    def _map(self, node: MapLiteral) -> Type:
        keys: Type | None = None
        values: Type | None = None
        for entry in node.entries:
            assert entry.key is not None
            keys = self._joined(keys, self.check(entry.key))
            value_type = self._held(entry.value, self.check(entry.value), optional=entry.optional)
            values = self._joined(values, value_type)
        if keys is None or values is None:
            return map_of(self.known.fresh(), self.known.fresh())
        return map_of(keys, values)

    def _held(self, node: Node, of: Type, *, optional: bool) -> Type:
        """Returns the type that an element adds to a list or map literal.

        - `of`: the type of the element's expression
        - `optional`: whether the element is written `?x`. If so, returns the type inside the optional type
          `of`; any other type except dyn is an error.
        """
        if not optional:
            return of
        inner, is_optional = unwrapped(of)
        if not is_optional and not inner.is_dyn:
            self._mismatch(node.id, optional_of(inner), inner)
        return inner

    def _joined(self, before: Type | None, of: Type) -> Type:
        """Returns the common type of the elements of a list or map literal; dyn without a common type.

        Mixed types are not an error here; `literal_faults` reports them.

        - `before`: the common type of all earlier elements; None for the first element
        - `of`: the type of the next element
        """
        if before is None:
            return of
        return most_general(before, of) if self.known.assignable(before, of) else DYN

    def _struct(self, node: StructLiteral) -> Type:
        name = node.name.removeprefix(".")
        declared = self._lookup(name)
        if declared is None:
            return self._undeclared(node.id, name)
        result = ERROR
        if declared.kind != "type":
            self._fault(node.id, f"'{declared.declared()}' is not a type")
        elif self._environment.fields(name) is None:
            self._fault(node.id, f"'{declared.parameters[0].declared()}' is not a message type")
        else:
            result = declared.parameters[0]
        for entry in node.entries:
            self._struct_entry(entry, name)
        return result

    def _struct_entry(self, entry: Entry, struct: str) -> None:
        value = self.check(entry.value)
        expected = self._struct_field(entry.id, struct, entry.field) or ERROR
        value = self._held(entry.value, value, optional=entry.optional)
        if not self.known.assignable(expected, value):
            text = f"expected type of field '{entry.field}' is '{expected}' but provided type is '{value}'"
            self._fault(entry.id, text)

    def _comprehension(self, node: Comprehension) -> Type:
        over = self.known.resolve(self.check(node.range))
        folded = self.check(node.initial)
        variables = self._variables(node, over)
        self._scopes.append({node.accumulator: folded})
        self._scopes.append(variables)
        self._expect(node.condition, BOOL)
        self._expect(node.step, folded)
        self._scopes.pop()
        result = self.check(node.result)
        self._scopes.pop()
        return self.known.resolve(result)

    def _expect(self, node: Node, expected: Type) -> None:
        actual = self.check(node)
        if not self.known.assignable(expected, actual):
            self._mismatch(node.id, expected, actual)

    def _variables(self, node: Comprehension, over: Type) -> dict[str, Type]:
        if over.kind == "list":
            first, second = INT, over.parameters[0]
            if not node.second:
                first = second
        elif over.kind == "map":
            first, second = over.parameters
        elif over.kind in {"dyn", "error", "param"}:
            self.known.assignable(DYN, over)
            first = second = DYN
        else:
            text = f"expression of type '{over}' cannot be range of a comprehension"
            self._fault(node.range.id, f"{text} (must be list, map, or dynamic)")
            first = second = ERROR
        return {node.variable: first, node.second: second} if node.second else {node.variable: first}
