"""Reads the declarative validation of a release from the Go code that Kubernetes generates from markers.

The source is `zz_generated.validations.go` in k8s.io/kubernetes `pkg/apis` and in k8s.io/apimachinery. The
result is a table for each Go package. It has `kinds` with their validated subresources, and `types`, each
with a body. A body is a list of steps, in the order of the errors:

    ["rule", name, arguments, level, effect]
        Calls a function of k8s.io/apimachinery `pkg/api/validate`. The level is "", "alpha" or "beta". The
        effect of an error is "add" (it is reported), "stop" (it is reported, and the body ends at the next
        "gate") or "quiet" (it is not reported, but the body ends at the next "gate").
    ["gate"]
        Ends the body if a rule with the effect "stop" or "quiet" found an error.
    ["type", name]
        Validates the value with the body of another type: `core/v1.PodTemplateSpec`.
    ["field", name, form, body] and ["field", name, form, body, true]
        Validates a field; the name "" is an inlined struct. The form is "pointer", "text", "number", "flag",
        "struct", or "items" (a list or a map). The fifth element `true` means that the field or its items
        have a named string type.
    ["same", how]
        Ends the body if an update does not change the value. `how` is the comparison: "direct" or "deep".
    ["block", body]
        Runs the steps of an inner body, whose gates end only the inner body.

Arguments of a rule are numbers, texts and lists of both. A function as an argument is a body. A comparison of
items is `{"by": []}` with the fields that identify an item, or "direct" or "deep" for whole items. Members of
a union are `[name, form]`, or `[name, {field: value}]` for items of a list in which the field has this value.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from tools.gosyntax import Expression, GoPackage, parse_packages
from tools.gotypes import OPAQUE, GoField, GoSource, UnknownGoError
from tools.modules import Modules, package_of

Body: TypeAlias = list[Any]

GENERATED = "zz_generated.validations.go"
_META = "meta/v1"
_FUNCTION = "Validate_"
_IMPORTS = {
    "k8s.io/kubernetes/pkg/apis/": "",
    "k8s.io/apimachinery/pkg/apis/meta/v1/validation": _META,
}
_LEVELS = {"MarkAlpha": "alpha", "MarkBeta": "beta"}
_UNMARKED = "MarkShortCircuit"
_OPERANDS = 5
"""The number of arguments that all Go validation functions have: context, operation, path, new and old."""


def declared_of_release(modules: Modules, source: GoSource, packages: list[str]) -> dict[str, Any]:
    """Returns the validation table of each package, and of the other packages that the rules use.

    The keys are the names of the packages.

    Raises UnknownGoError if Go source has an unknown form.
    """
    folders = dict(_folders(modules, packages))
    if not folders:
        return {}
    parsed = dict(zip(folders, parse_packages(list(folders.values())), strict=True))
    tables = {name: _Reader(name, package, source).table() for name, package in parsed.items()}
    return _reached(tables, packages)


def _reached(tables: dict[str, Any], packages: list[str]) -> dict[str, Any]:
    """Returns only the tables and types that kinds of these packages refer to.

    Ignores references from list kinds, such as PodList.
    """
    kept: dict[str, Any] = {}
    waiting = [
        f"{package}.{kind}"
        for package in packages
        if package in tables
        for kind in tables[package]["kinds"]
        if not kind.endswith("List")
    ]
    for package, kinds in ((name, tables[name]["kinds"]) for name in packages if name in tables):
        objects = {kind: paths for kind, paths in kinds.items() if not kind.endswith("List")}
        if objects:
            kept[package] = {"kinds": objects, "types": {}}
    while waiting:
        package, _, short = waiting.pop().rpartition(".")
        types = kept.setdefault(package, {"kinds": {}, "types": {}})["types"]
        if short not in types:
            types[short] = tables[package]["types"][short]
            waiting += [step[1] for step in _parts(types[short], "type")]
    for table in kept.values():
        table["types"] = dict(sorted(table["types"].items()))
    return dict(sorted(kept.items()))


def _folders(modules: Modules, packages: list[str]) -> Iterator[tuple[str, Path]]:
    for name in sorted({*packages, "core/v1"}):
        folder = modules.kubernetes / "pkg/apis" / name
        if (folder / GENERATED).exists():
            yield name, folder
    meta = modules.folder(_META) / "validation"
    if (meta / GENERATED).exists():
        yield _META, meta


@dataclass(frozen=True)
class _Reader:
    """Reads the generated validation functions of one Go package."""

    name: str
    package: GoPackage
    source: GoSource

    def table(self) -> dict[str, Any]:
        functions = [each for each in self.package.functions if each["file"] == GENERATED]
        types = {
            each["name"].removeprefix(_FUNCTION): self._body(each["body"])
            for each in functions
            if each["name"].startswith(_FUNCTION)
        }
        kinds = {
            kind: paths
            for each in functions
            if each["name"] == "RegisterValidations"
            for kind, paths in _registered(each["body"])
        }
        return {"kinds": kinds, "types": types}

    # statements ---------------------------------------------------------------------------------

    def _body(self, statements: list[Any]) -> Body:
        steps: Body = []
        known: dict[str, Expression] = {}
        for each in statements:
            match each:
                case ["return"] | ["return", ["name", "errs"]]:
                    break
                case ["assign", [["name", "earlyReturn" | "errs"]], [["name", "false"] | ["literal", *_]]]:
                    pass
                case ["assign", [["name", "fn" | "oldVal" as name]], [value]]:
                    known[name] = value
                case ["assign", [["name", "errs"]], [["call", ["name", "append"], ["name", "errs"], added]]]:
                    steps.append(self._added(added, known))
                case ["guard", ["assign", [["name", "e"]], [call]], _, then]:
                    steps.append([*self._rule(call), _effect(then)])
                    if _returns(then):
                        steps.append(["gate"])
                case ["if", ["name", "earlyReturn"], [["return", *_]], []]:
                    steps.append(["gate"])
                case ["if", ["binary", "&&", _, _] as condition, then, []]:
                    steps.append(["same", _sameness([condition, then])])
                case ["block", inner]:
                    steps += self._body(inner)
                case ["do", ["call", ["func", _, inner]]]:
                    steps.append(["block", self._body(inner)])
                case ["return", call]:
                    steps.append([*self._rule(call), "add"])
                    break
                case _:
                    raise UnknownGoError(f"{self.name}: a statement {each}")
        return steps

    def _added(self, added: Expression, known: dict[str, Expression]) -> Body:
        match added:
            case ["call", ["name", "fn"], path, *_]:
                return self._field(known["fn"], path, known["oldVal"])
            case ["call", ["func", *_] as function, path, _, before, *_]:
                return self._field(function, path, before)
            case ["call", function, *_] if (type_name := self._type_named(function)) is not None:
                return ["type", type_name]
        return [*self._rule(added), "add"]

    def _field(self, function: Expression, path: Expression, before: Expression) -> Body:
        """Returns the step that validates one field of a struct: `["field", name, form, body]`.

        - `function`: the Go function that validates the field.
        - `path`: the Go expression for the field's path. An inlined struct has no `Child` call and no name.
        - `before`: the Go function that reads the field from the old object.
        """
        body = self._body(function[2])
        match path:
            case ["call", ["select", _, "Child"], ["string", str(name)]]:
                go_type = self._field_read(before[3]).type
                named = [True] if self._is_named_text(go_type) else []
                return ["field", name, self._form(go_type), body, *named]
        return ["field", "", "struct", body]

    def _form(self, go_type: str) -> str:
        if go_type.startswith("*"):
            return "pointer"
        if go_type.startswith(("[]", "map[")):
            return "items"
        while "." in go_type and go_type not in OPAQUE:
            underlying = self.source.type(go_type).underlying
            if not underlying:
                return "struct"
            go_type = underlying
        if go_type == "string":
            return "text"
        if go_type == "bool":
            return "flag"
        return "number" if go_type.startswith("int") else "struct"

    def _is_named_text(self, go_type: str) -> bool:
        go_type = go_type.removeprefix("[]").removeprefix("*")
        return "." in go_type and self._form(go_type) == "text"

    # rules --------------------------------------------------------------------------------------

    def _rule(self, call: Expression) -> Body:
        level = ""
        while call[0] == "call" and call[1][0] == "select" and call[1][2] in (*_LEVELS, _UNMARKED):
            level = _LEVELS.get(call[1][2], level)
            call = call[1][1]
        match call:
            case ["call", ["select", ["name", "validate"], str(name)], *arguments]:
                return ["rule", name, self._arguments(name, arguments[_OPERANDS:]), level]
            case ["call", ["name", str(name)], *_] if name.startswith("ValidateCustom_"):
                return ["rule", name.replace("ValidateCustom_", "Custom:"), [], level]
            case ["call", function, *_] if (type_name := self._type_named(function)) is not None:
                return ["rule", "Value", [[["type", type_name]]], level]
        raise UnknownGoError(f"{self.name}: a rule {call}")

    def _arguments(self, name: str, given: list[Expression]) -> list[Any]:
        match name:
            case "Union" | "ZeroOrOneOfUnion":
                members = self._members(given[0])
                return [
                    [member, self._is_set(function)]
                    for member, function in zip(members, given[1:], strict=True)
                ]
            case "DependentRequired" | "DependentForbidden":
                trigger, trigger_is_set, dependent, dependent_is_set = given
                return [
                    [trigger[1], self._is_set(trigger_is_set)],
                    [dependent[1], self._is_set(dependent_is_set)],
                ]
            case "Discriminated":
                return self._discriminated(given)
            case "Subfield":
                field, getter, same, validator = given
                form = self._form(self._field_read(getter).type)
                return [field[1], form, self._matching(same), self._validator(validator)]
            case "IfOption":
                option, enabled, validator = given
                return [option[1], enabled[1] == "true", self._validator(validator)]
            case "EachSliceVal" | "EachValSliceVal" | "EachPtrSliceVal":
                match_, *same, validator = given  # 1.33 compares only whole items
                equal = self._matching(same[0]) if same else None
                return [self._matching(match_), equal, self._validator(validator)]
            case "EachMapVal":
                same, validator = given
                return [self._matching(same), self._validator(validator)]
            case "EachMapKey":
                return [self._validator(given[0])]
            case "Unique" | "ValSliceUnique":
                return [self._matching(given[0])]
            case "ValSliceUpdate":
                return [self._matching(given[0]), [each[2] for each in given[1:]]]
            case "UpdatePointer" | "UpdateValueByCompare":
                return [[each[2] for each in given]]
            case "Enum":
                if given[1:] not in ([], [["name", "nil"]]):
                    raise UnknownGoError(f"{self.name}: exclusions {given}")
                return [self._symbols(given[0])]
        return [self._constant(each) for each in given]

    def _discriminated(self, given: list[Expression]) -> list[Any]:
        """Returns the arguments of the rule Discriminated as the tables store them.

        - `given`: the arguments in the Go call.

        The result has the field, its form, the discriminator field, the comparison, the default body, and a
        dict of bodies by the discriminator's value.
        """
        field, member, discriminator, same, otherwise, rules = given
        by_value: dict[str, Body] = {}
        for _, rule in rules[2]:
            parts = {key[1]: value for key, value in rule[2]}
            validator = parts.get("Validation", ["name", "nil"])
            by_value[parts["Value"][1]] = self._validator(validator)
        return [
            field[1],
            self._form(self._field_read(member).type),
            self._field_read(discriminator).name,
            self._matching(same),
            self._validator(otherwise),
            by_value,
        ]

    def _validator(self, function: Expression) -> Body:
        match function:
            case ["name", "nil"]:
                return []
            case ["select", ["name", "validate"], str(name)]:
                return [["rule", name, [], "", "add"]]
            case ["func", _, statements]:
                return self._body(statements)
        type_name = self._type_named(function)
        if type_name is None:
            raise UnknownGoError(f"{self.name}: a function {function}")
        return [["type", type_name]]

    def _type_named(self, function: Expression) -> str | None:
        match function:
            case ["name", str(name)] if name.startswith(_FUNCTION):
                return f"{self.name}.{name.removeprefix(_FUNCTION)}"
            case ["select", ["name", str(alias)], str(name)] if name.startswith(_FUNCTION):
                path = self.package.imports[GENERATED][alias]
                for prefix, package in _IMPORTS.items():
                    if path.startswith(prefix):
                        package_name = package or path.removeprefix(prefix)
                        return f"{package_name}.{name.removeprefix(_FUNCTION)}"
        return None

    def _matching(self, function: Expression) -> Any:
        match function:
            case ["name", "nil"]:
                return None
            case ["select", _, "DirectEqual" | "DirectEqualPtr"]:
                return "direct"
            case ["select", _, "SemanticDeepEqual"]:
                return "deep"
            case ["func", _, [["return", condition]]]:
                names = dict.fromkeys(_selected(condition, function[1][0]["name"]))
                return {"by": [self._json_name(name, function) for name in names]}
        raise UnknownGoError(f"{self.name}: a comparison {function}")

    def _is_set(self, function: Expression) -> Any:
        """Returns how the rules of a union recognize that a member is set.

        The result is the form of the member, such as "pointer", or the values of the fields of a list item.
        `function`: the Go function that checks the member. Raises UnknownGoError if the function has another
        form.
        """
        match function:
            case ["func", _, [["if", *_], ["return", ["binary", "!=", value, zero]]]]:
                match value, zero:
                    case ["call", ["name", "len"], _], _:
                        return "items"
                    case _, ["name", "nil"]:
                        return "pointer"
                return "struct"
            case ["func", _, [["range", _, _, [["if", condition, *_]]], _]]:
                return dict(self._equalities(condition, function))
        raise UnknownGoError(f"{self.name}: a condition {function}")

    def _equalities(self, condition: Expression, function: Expression) -> Iterator[tuple[str, str]]:
        match condition:
            case ["binary", "&&", left, right]:
                yield from self._equalities(left, function)
                yield from self._equalities(right, function)
            case ["binary", "==", ["select", _, str(name)], ["string", str(value)]]:
                yield self._json_name(name, function), value
            case _:
                raise UnknownGoError(f"{self.name}: a condition {condition}")

    def _field_read(self, getter: Expression) -> GoField:
        """Returns the struct field that a Go getter function reads from its parameter."""
        return self._go_field(str(next(_parts(getter[2], "select"))[2]), getter)

    def _json_name(self, go_name: str, function: Expression) -> str:
        return self._go_field(go_name, function).name

    def _go_field(self, go_name: str, function: Expression) -> GoField:
        """Returns the field `go_name` of the struct type of the Go function's first parameter.

        Raises UnknownGoError if the struct lacks the field.
        """
        declared = function[1][0]["type"]
        while declared[0] in ("star", "list"):
            declared = declared[1]
        match declared:
            case ["select", ["name", str(alias)], str(short)]:
                package = package_of(self.package.imports[GENERATED][alias])
                for field in self.source.type(f"{package}.{short}").fields:
                    if field.go_name == go_name:
                        return field
        raise UnknownGoError(f"{self.name}: no field {go_name} in {declared}")

    def _members(self, membership: Expression) -> list[str]:
        declared = self.package.values_by_name[membership[1]]["value"]
        return [_member(each) for each in declared[2:]]

    def _symbols(self, symbols: Expression) -> list[str]:
        declared = self.package.values_by_name[symbols[1]]["value"]
        return sorted(self._constant(each) for each in declared[2:])

    def _constant(self, value: Expression) -> Any:
        match value:
            case ["int", str(text)]:
                return int(text)
            case ["unary", "-", ["int", str(text)]]:
                return -int(text)
            case ["string", str(text)]:
                return text
            case ["select", ["name", str(alias)], str(name)]:
                package = package_of(self.package.imports[GENERATED][alias])
                if package is not None:
                    return self._text(package, name)
        raise UnknownGoError(f"{self.name}: a constant {value}")

    def _text(self, package: str, name: str) -> str:
        """Returns the value of a Go string constant, which may be a conversion of another package's constant.

        Raises UnknownGoError if the constant has another form.
        """
        declared = self.source.package(package)
        text = declared.text(name)
        if text is not None:
            return text
        match declared.values_by_name.get(name):
            case {"value": ["call", _, ["select", ["name", str(alias)], str(other)]], "file": str(file)}:
                elsewhere = package_of(declared.imports[file][alias])
                if elsewhere is not None:
                    return self._text(elsewhere, other)
        raise UnknownGoError(f"{self.name}: a constant {package}.{name}")


def _registered(statements: list[Any]) -> Iterator[tuple[str, list[str]]]:
    """Yields each kind with declared validation and its validated subresources; "" is the object itself."""
    for each in statements:
        match each:
            case ["do", ["call", ["select", _, "AddValidationFunc"], ["call", ["star", kind], _], function]]:
                yield kind[2], [path.removeprefix("/") for path in _paths(function[2])]


def _paths(statements: list[Any]) -> Iterator[str]:
    for each in statements:
        match each:
            case ["switch", _, cases]:
                for values, _ in cases:
                    yield from (value[1] for value in values)
            case ["if", condition, *_]:
                yield from (word[1] for word in _parts(condition, "string"))


def _effect(then: list[Any]) -> str:
    adds = any(each[0] == "assign" and each[1] == [["name", "errs"]] for each in then)
    stops = any(each[0] == "assign" and each[1] == [["name", "earlyReturn"]] for each in then)
    stops |= _returns(then)
    return ("stop" if adds else "quiet") if stops else "add"


def _member(member: Expression) -> str:
    """Returns the name of a union's member: the argument of a call; up to 1.34, the first text of a pair."""
    match member:
        case ["literal", _, [[None, ["string", str(name)]], *_]]:
            return name
    return str(member[2][1])


def _returns(then: list[Any]) -> bool:
    """Whether an error ends the body at once, as in the generated code of 1.33 and 1.34."""
    return any(each[0] == "return" for each in then)


def _sameness(expression: Expression) -> str:
    return "deep" if any(each[2] == "DeepEqual" for each in _parts(expression, "select")) else "direct"


def _selected(expression: Expression, variable: str) -> Iterator[str]:
    for each in _parts(expression, "select"):
        if each[1] == ["name", variable]:
            yield each[2]


def _parts(expression: Expression, form: str) -> Iterator[Expression]:
    """Yields the Go expressions of a form, such as "call", inside an expression, from left to right."""
    if isinstance(expression, list):
        if expression and expression[0] == form:
            yield expression
        for each in expression:
            yield from _parts(each, form)
