"""CEL types: how they are parsed and printed, and which types are compatible.

Follows cel-go `common/types` and `checker/types.go`.
"""

from collections.abc import Iterator

import msgspec

from fakeapi.machinery.lazy_pattern import lazy_pattern


class Type(msgspec.Struct, frozen=True):
    """A CEL type.

    - `kind`: `list`, `map`, `type`, `wrapper` (a simple type or null), `opaque`, `struct` or `param`. Any
      other kind is the name of a simple type, such as `int`.
    - `name`: the name of an opaque type, a struct or a type parameter.
    - `parameters`: the types in parentheses, such as `string` in `list(string)`.
    """

    kind: str
    name: str = ""
    parameters: tuple["Type", ...] = ()

    def __str__(self) -> str:
        """Formats the type for errors of the type checker, such as `list(duration)`."""
        return _written(self, _AS_CHECKED)

    def declared(self) -> str:
        """Formats the type for errors of Kubernetes, such as `list(google.protobuf.Duration)`."""
        return _written(self, _AS_DECLARED)

    @property
    def is_dyn(self) -> bool:
        return self.kind in _DYN

    @property
    def is_optional(self) -> bool:
        return self.kind == "opaque" and self.name == "optional_type"


def _written(of: Type, simple: dict[str, str]) -> str:
    name = of.name or simple.get(of.kind, of.kind)
    if not of.parameters:
        return name
    return f"{name}({', '.join(_written(parameter_type, simple) for parameter_type in of.parameters)})"


_DYN = frozenset(("dyn", "any"))
_NULLABLE = frozenset(("opaque", "struct", "any", "duration", "timestamp"))
_PARAMETRIC = frozenset(("opaque", "list", "map"))
_AS_CHECKED = {"error": "!error!"}
_AS_DECLARED = {
    "any": "google.protobuf.Any",
    "duration": "google.protobuf.Duration",
    "timestamp": "google.protobuf.Timestamp",
    "null": "null_type",
    "error": "*error*",
}

ANY = Type("any")
BOOL = Type("bool")
BYTES = Type("bytes")
DOUBLE = Type("double")
DURATION = Type("duration")
DYN = Type("dyn")
ERROR = Type("error")
INT = Type("int")
NULL = Type("null")
STRING = Type("string")
TIMESTAMP = Type("timestamp")
TYPE = Type("type")
UINT = Type("uint")

_SIMPLE = {
    scalar.kind: scalar
    for scalar in (ANY, BOOL, BYTES, DOUBLE, DURATION, DYN, INT, NULL, STRING, TIMESTAMP, UINT)
}


def list_of(element: Type) -> Type:
    return Type("list", "", (element,))


def map_of(key: Type, value: Type) -> Type:
    return Type("map", "", (key, value))


def type_of(of: Type) -> Type:
    return Type("type", "", (of,))


def optional_of(of: Type) -> Type:
    return Type("opaque", "optional_type", (of,))


def parameter(name: str) -> Type:
    return Type("param", name)


def unwrapped(of: Type) -> tuple[Type, bool]:
    """Returns (type inside an optional, True); for any other type, (the type itself, False)."""
    return (of.parameters[0], True) if of.is_optional else (of, False)


_Tokens = Iterator[str]
_TOKEN = lazy_pattern(r"[\w.]+|[(),]")
_OPAQUE = frozenset(("net.IP", "net.CIDR"))


def read(text: str) -> Type:
    """Parses a CEL type such as `map(string, list(A))`; a single letter is a type parameter."""
    return _read(iter(_TOKEN.findall(text)))[0]


def read_all(text: str) -> tuple[Type, ...]:
    """Parses a list of types such as `string, int`; returns () for an empty text."""
    return _read_list(iter(_TOKEN.findall(f"{text})"))) if text else ()


def _read(tokens: _Tokens) -> tuple[Type, str]:
    """Reads a type; returns the type and the token after it, which is "" at the end."""
    name = next(tokens)
    after = next(tokens, "")
    parameters: tuple[Type, ...] = ()
    if after == "(":
        parameters = _read_list(tokens)
        after = next(tokens, "")
    return _named(name, parameters), after


def _read_list(tokens: _Tokens) -> tuple[Type, ...]:
    types: list[Type] = []
    after = ","
    while after == ",":
        one, after = _read(tokens)
        types.append(one)
    return tuple(types)


def _named(name: str, parameters: tuple[Type, ...]) -> Type:
    if name == "optional":
        return Type("opaque", "optional_type", parameters)
    if name in {"list", "map", "type", "wrapper"}:
        return Type(name, "", parameters)
    if len(name) == 1:
        return parameter(name)
    if name in _OPAQUE:
        return Type("opaque", name)
    return _SIMPLE.get(name) or Type("struct", name)


class Substitution(msgspec.Struct):
    """The CEL types bound to type parameters. A failed match leaves the bindings unchanged."""

    bound: dict[Type, Type] = msgspec.field(default_factory=dict)
    _undo: list[tuple[Type, Type | None]] = msgspec.field(default_factory=list)
    _fresh: int = 0

    def fresh(self) -> Type:
        """Returns a new type parameter, which is not bound yet."""
        self._fresh += 1
        return parameter(f"_var{self._fresh - 1}")

    def assignable(self, one: Type, other: Type) -> bool:
        """Whether two CEL types are compatible; if so, binds type parameters as needed."""
        return self.all_assignable((one,), (other,))

    def all_assignable(self, ones: tuple[Type, ...], others: tuple[Type, ...]) -> bool:
        """Whether the types in `ones` and `others` are compatible, pair by pair.

        If so, binds type parameters as needed.
        """
        self._undo.clear()
        if self._agree_all(ones, others):
            return True
        for name, before in reversed(self._undo):
            if before is None:
                del self.bound[name]
            else:
                self.bound[name] = before
        return False

    def resolve(self, one: Type, *, final: bool = False) -> Type:
        """Replaces the bound parameters of a type. If `final` is True, unbound parameters become dyn."""
        while one.kind == "param" and one in self.bound:
            one = self.bound[one]
        if one.kind == "param":
            return DYN if final else one
        if not one.parameters:
            return one
        return Type(one.kind, one.name, tuple(self.resolve(inner, final=final) for inner in one.parameters))

    def _bind(self, name: Type, to: Type) -> None:
        self._undo.append((name, self.bound.get(name)))
        self.bound[name] = to

    def _agree_all(self, ones: tuple[Type, ...], others: tuple[Type, ...]) -> bool:
        return len(ones) == len(others) and all(map(self._agree, ones, others))

    def _agree(self, one: Type, other: Type) -> bool:
        if other.kind == "param":
            valid, known = self._substitutes(one, other)
            if valid or known:
                return valid
        if one.kind == "param":
            return self._substitutes(other, one)[0]
        if one.is_dyn or other.is_dyn or "error" in {one.kind, other.kind}:
            return True
        if "wrapper" in {one.kind, other.kind}:
            return self._agree_wrapped(one, other)
        if one.kind == "null":
            return other.kind in _NULLABLE or other.kind == "null"
        if other.kind == "null":
            return one.kind in _NULLABLE
        if one.kind == "type":
            return other.kind == "type"
        if one.kind in _PARAMETRIC:
            same = one.kind == other.kind and one.name == other.name
            return same and self._agree_all(one.parameters, other.parameters)
        return one == other

    def _agree_wrapped(self, one: Type, other: Type) -> bool:
        if "null" in {one.kind, other.kind}:
            return True
        return _plain(one) == _plain(other)

    def _substitutes(self, one: Type, name: Type) -> tuple[bool, bool]:
        """Binds the type parameter `name` to the type `one`, if possible.

        Returns (whether this is possible, whether the parameter was already bound).
        """
        if one == name:
            return True, True
        known = self.bound.get(name)
        if known is None:
            if not self._free_of(name, one):
                return False, False
            self._bind(name, one)
            return True, False
        if one == known:
            return True, True
        if not self._agree(one, known):
            return False, True
        general = most_general(one, known)
        if self._free_of(name, general):
            self._bind(name, general)
        return True, True

    def _free_of(self, name: Type, within: Type) -> bool:
        while True:
            if name == within:
                return False
            if within.kind != "param" or within not in self.bound:
                return all(self._free_of(name, inner) for inner in within.parameters)
            within = self.bound[within]


def _plain(of: Type) -> Type:
    return of.parameters[0] if of.kind == "wrapper" else of


def most_general(one: Type, other: Type) -> Type:
    """Returns the less specific of two compatible types."""
    return one if _covers(one, other) else other


def _covers(one: Type, other: Type) -> bool:
    if one.is_dyn or one.kind == "param":
        return True
    if other.is_dyn or other.kind == "param" or one.kind != other.kind:
        return False
    if one.kind in _PARAMETRIC:
        same = one.name == other.name and len(one.parameters) == len(other.parameters)
        return same and all(map(_covers, one.parameters, other.parameters))
    return one.kind == "type" or one == other
