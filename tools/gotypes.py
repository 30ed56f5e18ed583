"""Reads API types from Go source: field order, JSON names, `omitempty`, pointers, inlining and markers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tools.gosyntax import Expression, GoPackage, parse_packages
from tools.modules import Modules, package_of

OPAQUE = frozenset({
    "apiextensions/v1.JSON",
    "apiextensions/v1.JSONSchemaPropsOrArray",
    "apiextensions/v1.JSONSchemaPropsOrBool",
    "apiextensions/v1.JSONSchemaPropsOrStringArray",
    "intstr.IntOrString",
    "meta/v1.FieldsV1",
    "meta/v1.MicroTime",
    "meta/v1.Time",
    "resource.Quantity",
    "runtime.RawExtension",
})  # fmt: skip
"""Go types with their own JSON encoding; the tools do not read their fields."""

PREDECLARED = frozenset({
    "bool", "byte", "float32", "float64", "int", "int32", "int64", "string", "uint32", "uint64",
})  # fmt: skip
_TAG = re.compile(r'(\w+):"([^"]*)"')
_LIFECYCLE = "APILifecycle"
_MESSAGE = re.compile(r"^message (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_MEMBER = re.compile(r"^  (?:optional |repeated |map<\w+, [\w.]+> |map<)?.*?(\w+) = (\d+);", re.MULTILINE)


class UnknownGoError(Exception):
    """Raised if Go source has a form that the readers in tools/ do not know."""


@dataclass(frozen=True)
class GoField:
    """A field of a Go struct.

    - `type`: the Go type, with the short package names of the tables, such as `[]resource/v1alpha3.Device`.
    - `numbers`: the protobuf number of the field, after the numbers of the structs that inline it; empty if
      protobuf lacks the field.
    - `markers`: the lines of the field's comment that begin with a plus sign.
    """

    name: str
    type: str
    go_name: str = ""
    omitempty: bool = False
    omitzero: bool = False
    patch_strategy: str = ""
    patch_merge_key: str = ""
    numbers: tuple[int, ...] = ()
    markers: tuple[str, ...] = ()


@dataclass(frozen=True)
class GoType:
    """A declared Go type: a struct, or a new name for another type.

    - `fields`: the fields of a struct, including the fields of inlined structs.
    - `underlying`: the Go type for which a new name stands.
    - `enum`: the values of a type with the marker `+enum`.
    - `is_message`: whether protobuf has a message with the type's name.
    """

    fields: tuple[GoField, ...] = ()
    underlying: str = ""
    enum: tuple[str, ...] = ()
    is_message: bool = False
    markers: tuple[str, ...] = ()


@dataclass
class GoSource:
    """The Go packages of one Kubernetes release. Parses a package on first use."""

    modules: Modules
    _packages: dict[str, GoPackage] = field(default_factory=dict)
    _messages: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)

    def load(self, packages: list[str]) -> None:
        """Parses several Go packages in one call of Go, which is faster than one call per package."""
        folders = [self.modules.folder(name) for name in packages]
        self._packages.update(zip(packages, parse_packages(folders), strict=True))

    def package(self, name: str) -> GoPackage:
        if name not in self._packages:
            self.load([name])
        return self._packages[name]

    def type(self, name: str) -> GoType:
        """Returns a Go type by its name in the tables, such as `core/v1.Pod`.

        Raises UnknownGoError if no package declares the type, or if the type has an unknown form.
        """
        package, _, short = name.rpartition(".")
        declared = self.package(package).types_by_name.get(short)
        if declared is None:
            raise UnknownGoError(f"no type {name}")
        is_message = short in self.messages(package)
        markers = tuple(declared.get("markers", ()))
        if not declared.get("struct"):
            underlying = self._text(declared["type"], package, declared["file"])
            if named(underlying) == [underlying] and underlying not in OPAQUE:
                other = self.type(underlying)
                if not other.underlying:
                    return replace(other, is_message=is_message, markers=markers)
            return GoType(
                underlying=underlying,
                enum=self._enum(package, short) if "enum" in markers else (),
                is_message=is_message,
                markers=markers,
            )
        fields = tuple(self._fields(declared, package))
        return GoType(fields=fields, is_message=is_message, markers=markers)

    def inlined(self, name: str) -> list[str]:
        """Returns the names of the structs that a Go struct inlines, directly or through other structs."""
        package, _, short = name.rpartition(".")
        declared = self.package(package).types_by_name.get(short, {})
        names = []
        for each in declared.get("fields", ()):
            if each.get("embedded") and _is_inlined(each.get("tag", "")):
                inner = self._text(each["type"], package, declared["file"]).removeprefix("*")
                names += [*self.inlined(inner), inner]
        return names

    def messages(self, package: str) -> dict[str, dict[str, int]]:
        """Returns the field numbers in a package's generated.proto, by message name and field name."""
        if package not in self._messages:
            path = self.modules.folder(package) / "generated.proto"
            text = path.read_text() if path.exists() else ""
            self._messages[package] = {
                name: {member: int(number) for member, number in _MEMBER.findall(body)}
                for name, body in _MESSAGE.findall(text)
            }
        return self._messages[package]

    def lifecycle(self, package: str) -> dict[str, dict[str, str]]:
        """Returns the lifecycle of each kind of a Go package; empty if the release does not declare it.

        A lifecycle has the releases in which the kind was introduced, deprecated and removed, and its
        replacement as `group/version kind`. Raises UnknownGoError if a declaration has an unknown form.
        """
        lifecycles: dict[str, dict[str, str]] = {}
        for each in self.package(package).functions:
            match each.get("receiver") if each["name"].startswith(_LIFECYCLE) else None, each["body"]:
                case ["star", ["name", str(kind)]], [["return", ["int", major], ["int", minor]]]:
                    text = f"{major}.{minor}"
                case ["star", ["name", str(kind)]], [["return", ["literal", _, members]]]:
                    group, version, replacement = (_text_of(value) for _, value in members)
                    text = f"{group}/{version} {replacement}" if group else f"{version} {replacement}"
                case None, _:
                    continue
                case other:
                    raise UnknownGoError(f"{each['name']} in {package}: {other}")
            lifecycles.setdefault(kind, {})[each["name"].removeprefix(_LIFECYCLE).lower()] = text
        return lifecycles

    def _enum(self, package: str, name: str) -> tuple[str, ...]:
        """Returns the values of the string constants of a Go type, sorted as in kube-openapi.

        Raises UnknownGoError if the type has no such constants.
        """
        source = self.package(package)
        values = {
            text
            for each in source.values
            if each.get("const") and ["name", name] in (each.get("type"), _converted_to(each.get("value")))
            if (text := self._constant(source, each)) is not None
        }
        if not values:
            raise UnknownGoError(f"no values of {package}.{name}")
        return tuple(sorted(values))

    def _constant(self, source: GoPackage, declared: dict[str, Any]) -> str | None:
        """Returns the value of a Go string constant, or None if its value is not a string.

        The constant may convert another package's constant: `AddressType(v1.IPv4Protocol)`.
        """
        match declared.get("value"):
            case ["call", _, ["select", ["name", str(alias)], str(name)]]:
                package = package_of(source.imports[declared["file"]].get(alias, ""))
                return None if package is None else self.package(package).text(name)
        return source.text(declared["name"])

    def _fields(self, declared: dict[str, Any], package: str) -> Iterator[GoField]:
        for each in declared.get("fields", ()):
            tags = dict(_TAG.findall(each.get("tag", "")))
            go = self._text(each["type"], package, declared["file"])
            if "json" not in tags:
                raise UnknownGoError(f"a field in {package}.{declared['name']} without a name: {go}")
            name, *options = tags["json"].split(",")
            numbers = tuple(int(number) for number in tags.get("protobuf", "").split(",")[1:2])
            if name == "-":
                continue
            if "inline" in options or (each.get("embedded") and not name):
                for inlined in self.type(go.removeprefix("*")).fields:
                    yield replace(inlined, numbers=(*numbers, *inlined.numbers) if inlined.numbers else ())
                continue
            yield GoField(
                name=name,
                type=go,
                go_name=each["name"] or go.rpartition(".")[2],
                omitempty="omitempty" in options,
                omitzero="omitzero" in options,
                patch_strategy=tags.get("patchStrategy", ""),
                patch_merge_key=tags.get("patchMergeKey", ""),
                numbers=numbers,
                markers=tuple(each.get("markers", ())),
            )

    def _text(self, go: Expression, package: str, file: str) -> str:
        match go:
            case ["name", str(name)]:
                return name if name in PREDECLARED else self._resolved(package, name)
            case ["select", ["name", str(alias)], str(name)]:
                path = self.package(package).imports[file].get(alias, "")
                package_name = package_of(path)
                if package_name is None:
                    raise UnknownGoError(f"package of {alias}.{name} in {package}: {path}")
                return self._resolved(package_name, name)
            case ["star", item]:
                return "*" + self._text(item, package, file)
            case ["list", item]:
                return "[]" + self._text(item, package, file)
            case ["map", key, value]:
                return f"map[{self._text(key, package, file)}]{self._text(value, package, file)}"
        raise UnknownGoError(f"a type in {package}: {go}")

    def _resolved(self, package: str, name: str) -> str:
        """Returns the qualified name of a Go type.

        For an alias, returns the type that the alias stands for.
        """
        if f"{package}.{name}" in OPAQUE:
            return f"{package}.{name}"
        declared = self.package(package).types_by_name.get(name, {})
        if declared.get("alias"):
            return self._text(declared["type"], package, declared["file"])
        return f"{package}.{name}"


def _is_inlined(tag: str) -> bool:
    """Whether the tag of an embedded struct has an empty JSON name, so that the struct is inlined.

    Up to 1.36, such tags also contain `inline`.
    """
    return not str(dict(_TAG.findall(tag)).get("json", "-")).partition(",")[0]


def _text_of(value: Expression) -> str:
    match value:
        case ["string", str(text)]:
            return text
    raise UnknownGoError(f"not a text: {value}")


def _converted_to(value: Expression) -> Expression:
    """Returns the target type of a Go conversion; None for other expressions.

    `PathType("Exact")` gives `PathType`.
    """
    return value[1] if value and value[0] == "call" else None


def named(go: str) -> list[str]:
    """Returns the names of the declared types in a Go type; `map[types.UID]*meta/v1.Time` gives two names."""
    return [word for word in re.split(r"[\[\]*]|map(?=\[)", go) if "." in word]
