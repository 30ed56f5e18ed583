"""The defaults that a release sets, as rules by type: which field becomes what, and on what condition.

From the functions `SetDefaults_*` of k8s.io/kubernetes `pkg/apis/<group>/<version>` and its kin, read as far
as they are rules: assignments of constants to fields that are not set, under conditions on other fields and
on gates. A function that does more is named, and what was understood of it is kept. Defaults that a field's
own marker states are in the table of its type instead.
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
"""One step of a type's rules; `defaults_of_release` says what there are."""


class NotARuleError(Exception):
    """Go that is no assignment of a constant under conditions on fields."""


@dataclass(frozen=True)
class Place:
    """A field inside the object that a function defaults: its type, and its path in JSON."""

    type: str
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join(self.path).replace(".[]", "[]")


@dataclass
class _Function:
    """`known` are the variables of one function: places, or constants."""

    package: GoPackage
    file: str
    known: dict[str, Any]
    is_complete: bool = True


@dataclass
class DefaultsReader:
    """Reads the functions of one release."""

    source: GoSource
    constants: dict[str, GoPackage] = field(default_factory=dict)

    def of_package(self, package: GoPackage, name: str) -> tuple[dict[str, list[Any]], dict[str, list[str]]]:
        """The rules by type, and the functions that do more than these, by type."""
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
            found = _joined(self._block(each["body"], function))
            if found:
                rules.setdefault(owner, []).extend(found)
            if not function.is_complete:
                more.setdefault(owner, []).append(each["name"])
        return rules, more

    def _type(self, go: Expression, package: GoPackage, file: str, own: str) -> str | None:
        match go:
            case ["star", ["select", ["name", str(alias)], str(short)]]:
                found = package_of(package.imports[file][alias])
                return f"{found}.{short}" if found else None
            case ["star", ["name", str(short)]]:
                return f"{own}.{short}"
        return None

    def _block(self, statements: list[Any], function: _Function) -> list[Step]:
        """The steps of statements that run one after the other; what is no step is passed over."""
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
                pass  # applied to every value of its type
            case _:
                raise NotARuleError(str(statement))
        return []

    def _assign(self, target: Any, value: Any, function: _Function) -> list[Step]:
        path = str(self._place(target, function))
        if value is None:
            return []  # a new pointer, which is filled next
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
                found: Place = function.known[name]
                return found
            case ["select", inner, str(name)]:
                return self._member(self._place(inner, function), name)
            case ["index", inner, _]:
                place = self._place(inner, function)
                return Place(_item(place.type), (*place.path, "[]"))
            case ["star", inner] | ["unary", "&", inner]:
                return self._place(inner, function)
        raise NotARuleError(str(go))

    def _member(self, place: Place, name: str) -> Place:
        """The field of a struct by its Go name; an inlined struct is the struct around it."""
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
        """Whether a call of it is a conversion."""
        match go:
            case ["name", str(name)]:
                return name in PREDECLARED or name in function.package.types_by_name
            case ["select", ["name", str(alias)], str(name)]:
                return name in self._imported(function, alias).types_by_name
        return False

    def _imported(self, function: _Function, alias: str) -> GoPackage:
        path = function.package.imports[function.file][alias]
        if path not in self.constants:
            found = package_of(path)
            if found is None:
                raise NotARuleError(f"constants of {path}")
            self.constants[path] = self.source.package(found)
        return self.constants[path]

    def _constant(self, package: GoPackage, name: str) -> Any:
        declared = package.values_by_name.get(name)
        if declared is None or declared.get("value") is None:
            raise NotARuleError(f"constant {name}")
        return self._value(declared["value"], _Function(package, declared["file"], {}))


def defaults_of_release(
    modules: Modules, source: GoSource, packages: list[str], types: Collection[str]
) -> dict[str, Any]:
    """`rules` by type, and `more` by type: the functions that do more than the rules say.

    The rules of a type hold wherever a value of it is, the outer value's before those inside it. They are
    steps, taken in order: `default` sets fields that are unset, `set` sets them in any case, `copy` sets
    a field to what another one holds, `when` takes the steps of `do` if all its conditions hold and else
    those of `else`, `each` takes them for every item, and `as` takes those of another type with the same
    fields. Paths are of JSON fields. A condition is one of `{"set": path}`, `{"unset": path}`, `{"path":
    …, "is": value}`, `{"path": …, "is_not": value}`, `{"gate": name}`, `{"not": …}`, `{"any": […]}` and
    `{"all": […]}`. Unset is what is absent, and of what is no pointer "", 0, false and what is empty as
    well.
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
        found, unread = reader.of_package(package, name)
        rules |= found
        more |= unread
    return {"rules": _with_inlined(rules, source, types), "more": _with_inlined(more, source, types)}


def _with_inlined(
    found: dict[str, list[Any]], source: GoSource, types: Collection[str]
) -> dict[str, list[Any]]:
    """What was found for each of the types, and for those whose fields are inlined in it."""
    joined = {}
    for name in types:
        parts = [part for each in (*source.inlined(name), name) for part in found.get(each, ())]
        if parts:
            joined[name] = parts
    return joined


def _words(go: Any) -> Iterator[str]:
    """Every text in an expression or statement."""
    if isinstance(go, str):
        yield go
    elif isinstance(go, list):
        for each in go:
            yield from _words(each)


def _integer(text: str) -> int:
    """A number as Go writes it, in octal where it begins with 0."""
    is_octal = len(text) > 1 and text[0] == "0" and text.isdigit()
    return int(text, 8 if is_octal else 0)


def _item(go: str) -> str:
    if not go.startswith("[]"):
        raise NotARuleError(f"items of {go}")
    return go.removeprefix("[]")


def _branch(conditions: list[Any], then: list[Step], otherwise: list[Step]) -> list[Step]:
    """One step for an `if`; the shorter `default` where all it asks is whether what it sets is unset."""
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
    """Steps of one sort that follow each other as one."""
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
