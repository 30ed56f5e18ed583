"""The defaults that a release sets, as rules by type: which field becomes what, and on what condition.

From the functions `SetDefaults_*` of k8s.io/kubernetes `pkg/apis/<group>/<version>` and its kin, read as far
as they are rules: assignments of constants to fields that are not set, under conditions on other fields and
on gates. A function that does more is named, and what was understood of it is kept. Defaults that a field's
own marker states are in the table of its type instead.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from tools.gosyntax import Expression, GoPackage, parse_packages
from tools.gotypes import PREDECLARED, GoSource, UnknownGoError
from tools.modules import Modules, package_of

_PREFIX = "SetDefaults_"
_POINTERS = frozenset({"ptr", "pointer", "utilpointer"})
_NUMBERS = frozenset({"intstr", "resource"})
_UNSET: tuple[Expression, ...] = (["name", "nil"], ["string", ""], ["int", "0"], ["name", "false"])


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
class _Rule:
    """What is assigned under the same conditions, which are asked once, before the first assignment."""

    conditions: list[Any]
    values: dict[str, Any] = field(default_factory=dict)
    copied: dict[str, str] = field(default_factory=dict)
    same_as: str = ""

    def stated(self) -> dict[str, Any]:
        """As the table has it; that a field is set where it is not set yet goes without saying."""
        if self.same_as:
            return {"as": self.same_as}
        paths = [*self.values, *self.copied]
        always = [path for path in paths if {"unset": path} not in self.conditions]
        when = self.conditions if len(paths) > 1 else [c for c in self.conditions if c != {"unset": paths[0]}]
        parts = {"set": self.values, "copy": self.copied, "when": when, "always": always}
        return {name: part for name, part in parts.items() if part}


@dataclass
class _Function:
    """The rules found in one function. `known` are its variables: places, or constants."""

    package: GoPackage
    file: str
    known: dict[str, Any]
    rules: list[_Rule] = field(default_factory=list)
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
            self._block(each["body"], function, [])
            if function.rules:
                rules.setdefault(owner, []).extend(rule.stated() for rule in function.rules)
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

    def _block(self, statements: list[Any], function: _Function, conditions: list[Any]) -> None:
        """Rules of statements that run one after the other; what is no rule is passed over."""
        conditions = list(conditions)
        for statement in statements:
            try:
                left = self._statement(statement, function, conditions)
            except (NotARuleError, UnknownGoError):
                function.is_complete = False
                if "return" in _words(statement):
                    return
                continue
            if left is None:
                return
            conditions = left

    def _statement(self, statement: Any, function: _Function, conditions: list[Any]) -> list[Any] | None:
        """The conditions of what follows; None behind a return."""
        match statement:
            case ["return"]:
                return None
            case ["var", str(name), _, value]:
                function.known[name] = None if value is None else self._value(value, function)
            case ["assign", [["name", str(name)]], [value]]:
                function.known[name] = self._value(value, function)
            case ["assign", [["star", ["name", str(name)]]], [value]] if not isinstance(
                function.known.get(name), Place
            ):
                function.known[name] = self._value(value, function)
            case ["assign", [["star", target]], [value]] | ["assign", [target], [value]]:
                self._assign(target, self._value(value, function), function, conditions)
            case ["if", condition, then, otherwise]:
                met = self._conditions(condition, function)
                self._block(then, function, [*conditions, *met])
                if otherwise or (then and then[-1] == ["return"]):
                    unmet = [*conditions, _negated(met)]
                    self._block(otherwise, function, unmet)
                    if then and then[-1] == ["return"]:
                        return unmet
            case ["range", ["name", str(name)], over, body]:
                place = self._place(over, function)
                function.known[name] = Place(_item(place.type), (*place.path, "[]"))
                self._block(body, function, conditions)
            case ["do", ["call", ["name", str(name)], ["call", ["star", _] as go, ["unary", "&", _]]]]:
                owner = self._type(go, function.package, function.file, "")
                if not name.startswith(_PREFIX) or owner is None or conditions:
                    raise NotARuleError(str(statement))
                function.rules.append(_Rule([], same_as=owner))
            case ["do", ["call", ["name", str(name)], *_]] if name.startswith(_PREFIX):
                pass  # applied to every value of its type
            case _:
                raise NotARuleError(str(statement))
        return conditions

    def _assign(self, target: Any, value: Any, function: _Function, conditions: list[Any]) -> None:
        place = self._place(target, function)
        if value is None:
            return  # a new pointer, which is filled next
        rules = function.rules
        if not rules or rules[-1].same_as or rules[-1].conditions != conditions:
            rules.append(_Rule(list(conditions)))
        if isinstance(value, Place):
            rules[-1].copied[str(place)] = str(value)
        else:
            rules[-1].values[str(place)] = value

    def _conditions(self, go: Expression, function: _Function) -> list[Any]:
        match go:
            case ["binary", "&&", one, other]:
                return [*self._conditions(one, function), *self._conditions(other, function)]
            case ["binary", "||", one, other]:
                return [{"any": [_all(self._conditions(each, function)) for each in (one, other)]}]
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
        if right in _UNSET:
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
        text = package.text(name)
        if text is not None:
            return text
        match package.values_by_name.get(name, {}).get("value"):
            case ["int", str(number)]:
                return _integer(number)
            case ["call", _, ["int", str(number)]]:
                return _integer(number)
            case ["name", ("true" | "false") as word]:
                return word == "true"
        raise NotARuleError(f"constant {name}")


def defaults_of_release(
    modules: Modules, source: GoSource, packages: list[str], types: Collection[str]
) -> dict[str, Any]:
    """`rules` by type, and `more` by type: the functions that do more than the rules say.

    The rules of a type hold wherever a value of it is, the outer value's before those inside it, and in their
    order. A rule sets each field of `set` to a constant and each of `copy` to what another field holds, if
    all conditions of `when` hold; a field that is set already is left alone, unless it is one of `always`.
    Paths are of JSON fields, `[]` being every item. A condition is one of `{"set": path}`, `{"unset": path}`,
    `{"path": …, "is": value}`, `{"path": …, "is_not": value}`, `{"gate": name}`, `{"not": …}`, `{"any": […]}`
    and `{"all": […]}`; nil, "", 0, false and an empty list are unset. A rule `{"as": type}` stands for the
    rules of another type with the same fields.
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


def _all(conditions: list[Any]) -> Any:
    return conditions[0] if len(conditions) == 1 else {"all": conditions}


_OPPOSITES = {"set": "unset", "unset": "set"}


def _negated(conditions: list[Any]) -> Any:
    match conditions:
        case [{"unset": path}]:
            return {"set": path}
        case [{"set": path}]:
            return {"unset": path}
        case [{"not": inner}]:
            return inner
    return {"not": _all(conditions)}
