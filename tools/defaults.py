"""Reads the defaulting rules of a release for each Go type: a field, its default value, and conditions.

The source is the functions `SetDefaults_*` in k8s.io/kubernetes `pkg/apis/<group>/<version>` and in other
modules. The reader understands assignments of constants to unset fields, under conditions on other fields and
on feature gates. If a function does more, the result also has the name of the function. Defaults from a
field's marker (`+default`) are in the table of the Go type instead.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tools.gosyntax import Expression, GoPackage, parse_packages
from tools.gotypes import PREDECLARED, GoSource, UnknownGoError
from tools.modules import Modules, package_of

_PREFIX = "SetDefaults_"
_POINTERS = frozenset({"ptr", "pointer", "utilpointer"})
_NUMBERS = frozenset({"intstr", "resource"})
_UNSET: tuple[Expression, ...] = (["name", "nil"], ["string", ""], ["int", "0"], ["name", "false"])


_JOINABLE = frozenset({"default", "set", "copy"})

Step: TypeAlias = dict[str, Any]
"""A defaulting rule of a Go type; `defaults_of_release` describes its forms."""


class NotARuleError(Exception):
    """Raised if Go code does not assign a constant under conditions on fields."""


@dataclass(frozen=True)
class Place:
    """A field of the object that a `SetDefaults_*` function receives: its Go type and its JSON path."""

    type: str
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join(self.path).replace(".[]", "[]")


@dataclass
class _Function:
    """A Go function that the reader is processing.

    - `known`: for each Go variable, the field (Place) or the constant that it stands for.
    - `is_complete`: whether the reader has understood all code so far.
    """

    package: GoPackage
    file: str
    known: dict[str, Any]
    is_complete: bool = True


@dataclass
class DefaultsReader:
    """Reads the `SetDefaults_*` functions of one release, one Go package at a time."""

    source: GoSource
    constants: dict[str, GoPackage] = field(default_factory=dict)

    def of_package(self, package: GoPackage, name: str) -> tuple[dict[str, list[Any]], dict[str, list[str]]]:
        """Returns the defaulting rules of a package by Go type.

        Also returns, by Go type, the names of the functions whose code the rules cannot express completely.
        `name`: the package's name in the tables, such as `core/v1`.
        """
        rules: dict[str, list[Any]] = {}
        more: dict[str, list[str]] = {}
        for each in package.functions:
            if not each["name"].startswith(_PREFIX) or len(each["parameters"]) != 1:
                continue
            parameter = each["parameters"][0]
            owner = self._type(parameter["type"], package, each["file"], name)
            if owner is None:
                continue
            function = _Function(package, each["file"], {parameter["name"]: Place(owner)})
            steps = _joined(self._block(each["body"], function))
            if steps:
                rules.setdefault(owner, []).extend(steps)
            if not function.is_complete:
                more.setdefault(owner, []).append(each["name"])
        return rules, more

    def _type(self, go: Expression, package: GoPackage, file: str, own: str) -> str | None:
        match go:
            case ["star", ["select", ["name", str(alias)], str(short)]]:
                package_name = package_of(package.imports[file][alias])
                return f"{package_name}.{short}" if package_name else None
            case ["star", ["name", str(short)]]:
                return f"{own}.{short}"
        return None

    def _block(self, statements: list[Any], function: _Function) -> list[Step]:
        """Converts a list of Go statements to defaulting rules (steps).

        Skips statements that the reader does not understand, and marks the function as incomplete.
        """
        steps: list[Step] = []
        for at, statement in enumerate(statements):
            try:
                match statement:
                    case ["return"]:
                        return steps
                    case ["if", condition, [*then, ["return"]], []]:
                        met = self._conditions(condition, function)
                        rest = self._block(statements[at + 1 :], function)
                        return [*steps, *_branch(met, self._block(then, function), rest)]
                    case _:
                        steps += self._statement(statement, function)
            except (NotARuleError, UnknownGoError):
                function.is_complete = False
                if "return" in _words(statement):
                    return steps
        return steps

    def _statement(self, statement: Any, function: _Function) -> list[Step]:
        match statement:
            case ["var", str(name), _, value]:
                function.known[name] = None if value is None else self._value(value, function)
            case ["assign", [["name", str(name)]], [value]]:
                function.known[name] = self._value(value, function)
            case ["assign", [["star", ["name", str(name)]]], [value]] if not isinstance(
                function.known.get(name), Place
            ):
                function.known[name] = self._value(value, function)
            case ["assign", [["star", target]], [value]] | ["assign", [target], [value]]:
                return self._assign(target, self._value(value, function), function)
            case ["if", condition, then, otherwise]:
                met = self._conditions(condition, function)
                return _branch(met, self._block(then, function), self._block(otherwise, function))
            case ["range", ["name", str(name)], over, body]:
                place = self._place(over, function)
                function.known[name] = Place(_item(place.type), (*place.path, "[]"))
                steps = _joined(self._block(body, function))
                return [{"each": str(function.known[name]), "do": steps}] if steps else []
            case ["do", ["call", ["name", str(name)], ["call", ["star", _] as go, ["unary", "&", _]]]]:
                owner = self._type(go, function.package, function.file, "")
                if not name.startswith(_PREFIX) or owner is None:
                    raise NotARuleError(str(statement))
                return [{"as": owner}]
            case ["do", ["call", ["name", str(name)], *_]] if name.startswith(_PREFIX):
                pass  # these rules apply to every value of the type anyway
            case _:
                raise NotARuleError(str(statement))
        return []

    def _assign(self, target: Any, value: Any, function: _Function) -> list[Step]:
        path = str(self._place(target, function))
        if value is None:
            return []  # the next statement sets the value of the new pointer
        return [{"copy": {path: str(value)}} if isinstance(value, Place) else {"set": {path: value}}]

    def _conditions(self, go: Expression, function: _Function) -> list[Any]:
        match go:
            case ["binary", "&&", one, other]:
                return [*self._conditions(one, function), *self._conditions(other, function)]
            case ["binary", "||", one, other]:
                either = [_all(self._conditions(each, function)) for each in (one, other)]
                return either[:1] if either[0] == either[1] else [{"any": either}]
            case ["unary", "!", inner]:
                return [_negated(self._conditions(inner, function))]
            case ["binary", ("==" | "!=" | ">") as operator, left, right]:
                return [self._comparison(operator, left, right, function)]
            case [
                "call",
                ["select", ["select", _, "DefaultFeatureGate"], "Enabled"],
                ["select", _, str(gate)],
            ]:
                return [{"gate": gate}]
        raise NotARuleError(str(go))

    def _comparison(self, operator: str, left: Any, right: Any, function: _Function) -> Any:
        match left:
            case ["call", ["name", "len"], inner]:
                left = inner
        path = str(self._place(left, function))
        if right in _UNSET or self._value(right, function) in (0, ""):
            return {"unset" if operator == "==" else "set": path}
        if operator == ">":
            raise NotARuleError(str(right))
        return {"path": path, "is" if operator == "==" else "is_not": self._value(right, function)}

    def _place(self, go: Expression, function: _Function) -> Place:
        match go:
            case ["name", str(name)] if isinstance(function.known.get(name), Place):
                known_place: Place = function.known[name]
                return known_place
            case ["select", inner, str(name)]:
                return self._member(self._place(inner, function), name)
            case ["index", inner, _]:
                place = self._place(inner, function)
                return Place(_item(place.type), (*place.path, "[]"))
            case ["star", inner] | ["unary", "&", inner]:
                return self._place(inner, function)
        raise NotARuleError(str(go))

    def _member(self, place: Place, name: str) -> Place:
        """Returns the field with the Go name `name` of the struct at `place`.

        An inlined struct has the JSON path of its parent. Raises NotARuleError if the struct lacks the field.
        """
        owner = place.type.removeprefix("*")
        package, _, short = owner.rpartition(".")
        if not package:
            raise NotARuleError(f"{owner}.{name}")
        declared = self.source.package(package).types_by_name.get(short, {})
        for each in declared.get("fields", ()):
            if each.get("embedded") and each["type"][-1] == name and ",inline" in each["tag"]:
                return place
        for entry in self.source.type(owner).fields:
            if entry.go_name == name:
                return Place(entry.type, (*place.path, entry.name))
        raise NotARuleError(f"{owner}.{name}")

    def _value(self, go: Expression, function: _Function) -> Any:
        match go:
            case ["string", str(text)]:
                return text
            case ["int", str(number)]:
                return _integer(number)
            case ["name", ("true" | "false") as word]:
                return word == "true"
            case ["name", str(name)] if name in function.known:
                return function.known[name]
            case ["name", str(name)]:
                return self._constant(function.package, name)
            case ["select", ["name", str(alias)], str(name)] if (
                alias in function.package.imports[function.file]
            ):
                return self._constant(self._imported(function, alias), name)
            case ["unary", "&", inner]:
                return self._value(inner, function)
            case ["literal", _, []]:
                return {}
            case ["call", ["select", ["name", str(alias)], _], argument] if alias in _POINTERS | _NUMBERS:
                return self._value(argument, function)
            case ["call", ["index", ["select", ["name", str(alias)], "To"], _], argument] if (
                alias in _POINTERS
            ):
                return self._value(argument, function)
            case ["call", ["name", "new"], _]:
                return None
            case ["call", go_type, argument] if self._is_type(go_type, function):
                return self._value(argument, function)
        return self._place(go, function)

    def _is_type(self, go: Expression, function: _Function) -> bool:
        """Whether the expression is a Go type, so that calling it is a type conversion."""
        match go:
            case ["name", str(name)]:
                return name in PREDECLARED or name in function.package.types_by_name
            case ["select", ["name", str(alias)], str(name)]:
                return name in self._imported(function, alias).types_by_name
        return False

    def _imported(self, function: _Function, alias: str) -> GoPackage:
        path = function.package.imports[function.file][alias]
        if path not in self.constants:
            package_name = package_of(path)
            if package_name is None:
                raise NotARuleError(f"constants of {path}")
            self.constants[path] = self.source.package(package_name)
        return self.constants[path]

    def _constant(self, package: GoPackage, name: str) -> Any:
        declared = package.values_by_name.get(name)
        if declared is None or declared.get("value") is None:
            raise NotARuleError(f"constant {name}")
        return self._value(declared["value"], _Function(package, declared["file"], {}))


def defaults_of_release(
    modules: Modules, source: GoSource, packages: list[str], types: Collection[str]
) -> dict[str, Any]:
    """Returns the defaulting rules of a release.

    The key `rules` has the rules by Go type. The key `more` has, also by Go type, the names of functions that
    do more than the rules. The rules of a type apply to every value of this type: first to outer values, then
    to inner values. A list of rules has steps in order:

    - `default` sets unset fields; `set` sets fields in any case.
    - `copy` sets a field to the value of another field.
    - `when` runs the steps of `do` if all its conditions hold, or else the steps of `else`.
    - `each` runs the steps of `do` for every item.
    - `as` runs the steps of another type with the same fields.

    Paths are paths of JSON fields. A condition is one of `{"set": path}`, `{"unset": path}`, `{"path": …,
    "is": value}`, `{"path": …, "is_not": value}`, `{"gate": name}`, `{"not": …}`, `{"any": […]}` and `{"all":
    […]}`. A field is unset if it is absent or, unless it is a pointer, if it is "", 0, false or empty.
    """
    folders = {}
    for name in packages:
        own = modules.kubernetes / "pkg/apis" / name
        folder = own if (own / "defaults.go").exists() else modules.folder(name)
        if (folder / "defaults.go").exists():
            folders[name] = folder
    reader = DefaultsReader(source)
    rules: dict[str, list[Any]] = {}
    more: dict[str, list[str]] = {}
    for name, package in zip(folders, parse_packages(list(folders.values())), strict=True):
        own_rules, unread = reader.of_package(package, name)
        rules |= own_rules
        more |= unread
    return {"rules": _with_inlined(rules, source, types), "more": _with_inlined(more, source, types)}


def _with_inlined(
    found: dict[str, list[Any]], source: GoSource, types: Collection[str]
) -> dict[str, list[Any]]:
    """Returns the entries of each Go type, preceded by the entries of the structs that it inlines.

    `found`: the entries of each type without its inlined structs.
    """
    joined = {}
    for name in types:
        parts = [part for each in (*source.inlined(name), name) for part in found.get(each, ())]
        if parts:
            joined[name] = parts
    return joined


def _words(go: Any) -> Iterator[str]:
    """Yields every string in a parsed Go expression or statement."""
    if isinstance(go, str):
        yield go
    elif isinstance(go, list):
        for each in go:
            yield from _words(each)


def _integer(text: str) -> int:
    """Parses a Go integer literal. A literal that begins with 0 is octal."""
    is_octal = len(text) > 1 and text[0] == "0" and text.isdigit()
    return int(text, 8 if is_octal else 0)


def _item(go: str) -> str:
    if not go.startswith("[]"):
        raise NotARuleError(f"items of {go}")
    return go.removeprefix("[]")


def _branch(conditions: list[Any], then: list[Step], otherwise: list[Step]) -> list[Step]:
    """Converts a Go `if` statement to defaulting rules (steps).

    If the only condition is that the assigned field is unset, the step is `default`. `then`, `otherwise`: the
    steps of the two branches.
    """
    then, otherwise = _joined(then), _joined(otherwise)
    if not then and not otherwise:
        return []
    match conditions, then, otherwise:
        case [{"unset": path}], [{"set": values}], [] if list(values) == [path]:
            return [{"default": values}]
        case [*others, {"unset": path}], [{"set": values}], [] if list(values) == [path]:
            return [{"when": others, "do": [{"default": values}]}]
        case _, [], _:
            return [{"when": [_negated(conditions)], "do": otherwise}]
    step = {"when": conditions, "do": then}
    return [{**step, "else": otherwise} if otherwise else step]


def _joined(steps: list[Step]) -> list[Step]:
    """Joins consecutive defaulting rules (steps) of the same form into one."""
    joined: list[Step] = []
    for step in steps:
        (kind, *more) = step
        if joined and not more and kind in _JOINABLE and list(joined[-1]) == [kind]:
            joined[-1] = {kind: {**joined[-1][kind], **step[kind]}}
        else:
            joined.append(step)
    return joined


def _all(conditions: list[Any]) -> Any:
    return conditions[0] if len(conditions) == 1 else {"all": conditions}


def _negated(conditions: list[Any]) -> Any:
    match conditions:
        case [{"unset": path}]:
            return {"set": path}
        case [{"set": path}]:
            return {"unset": path}
        case [{"not": inner}]:
            return inner
    return {"not": _all(conditions)}
