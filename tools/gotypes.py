"""What Go source says of API types: the order of fields, their JSON names, `omitempty`, pointers, inlining.

Reads the part of Go that Kubernetes' API types are written in: type declarations at the top level of a
file, one field a line. Comments are not kept, but for the markers that state when an API came and goes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

PACKAGES = {
    "k8s.io/api/core/v1": "core/v1",
    "k8s.io/apimachinery/pkg/api/resource": "resource",
    "k8s.io/apimachinery/pkg/apis/meta/v1": "meta/v1",
    "k8s.io/apimachinery/pkg/runtime": "runtime",
    "k8s.io/apimachinery/pkg/types": "types",
    "k8s.io/apimachinery/pkg/util/intstr": "intstr",
}
"""Import paths of the packages that API types refer to, and the names that the data give them."""

OPAQUE = frozenset({
    "intstr.IntOrString",
    "meta/v1.FieldsV1",
    "meta/v1.MicroTime",
    "meta/v1.Time",
    "resource.Quantity",
    "runtime.RawExtension",
})  # fmt: skip
"""Types that write their JSON themselves: not taken apart."""

_PREDECLARED = frozenset({
    "bool", "byte", "float32", "float64", "int", "int32", "int64", "string", "uint32", "uint64",
})  # fmt: skip
_IMPORT = re.compile(r'^\t(?:(\w+) )?"([^"]+)"$|^import (?:(\w+) )?"([^"]+)"$', re.MULTILINE)
_DECLARED = re.compile(r"^type (\w+) (?:struct \{\n(.*?)^\}|(?:= )?([^\s{]+)$)", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^\s*(?:(\w+)\s+)?(\S+)\s+`(.*)`")
_TAG = re.compile(r'(\w+):"([^"]*)"')
_LIFECYCLE = re.compile(r"^func \(in \*(\w+)\) APILifecycle(\w+)\(\) .*\{\n\treturn (.*)$", re.MULTILINE)
_WORD = re.compile(r"\"([^\"]*)\"")


class UnknownGoError(Exception):
    """Source of a form that this reader does not know."""


@dataclass(frozen=True)
class GoField:
    """`type` is the type's text with packages named as PACKAGES has them: `[]resource/v1alpha3.Device`.

    `numbers` are the field's number in protobuf, behind those of the structs that it is inlined from; empty
    where protobuf does not have the field.
    """

    name: str
    type: str
    omitempty: bool
    patch_strategy: str
    patch_merge_key: str
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class GoType:
    """Either a struct, with its fields, inlined structs taken in, or another type's name: `underlying`."""

    fields: tuple[GoField, ...] = ()
    underlying: str = ""


@dataclass
class GoSource:
    """The packages of one release. `folders` are where the import paths' packages lie."""

    folders: dict[str, Path]
    _packages: dict[str, dict[str, tuple[str, dict[str, str]]]] = field(default_factory=dict)

    def type(self, name: str) -> GoType:
        """Raises UnknownGoError for a type that is not declared, or not in a form known here."""
        package, _, short = name.rpartition(".")
        try:
            text, imports = self._package(package)[short]
        except KeyError:
            raise UnknownGoError(f"no type {name}") from None
        if not text.startswith("struct\n"):
            return GoType(underlying=self._qualified(text, package, imports))
        return GoType(fields=tuple(self._fields(text.removeprefix("struct\n"), package, imports)))

    def lifecycle(self, package: str) -> dict[str, dict[str, str]]:
        """For each kind of a package: the releases that it was introduced, deprecated and removed in, and
        what replaces it, as `group/version kind`. Empty where the release states none.
        """
        path = self.folders[package] / "zz_generated.prerelease-lifecycle.go"
        found: dict[str, dict[str, str]] = {}
        for kind, what, value in _LIFECYCLE.findall(path.read_text() if path.exists() else ""):
            if what == "Replacement":
                group, version, replacement = _WORD.findall(value)
                text = f"{group}/{version} {replacement}"
            else:
                text = value.replace(", ", ".")
            found.setdefault(kind, {})[what.lower()] = text
        return found

    def _package(self, package: str) -> dict[str, tuple[str, dict[str, str]]]:
        if package not in self._packages:
            declared: dict[str, tuple[str, dict[str, str]]] = {}
            for path in sorted(self.folders[package].glob("*.go")):
                if path.name.endswith("_test.go") or path.name == "generated.pb.go":
                    continue
                source = path.read_text()
                imports = {
                    (a or c or (b or d).rpartition("/")[2]): b or d for a, b, c, d in _IMPORT.findall(source)
                }
                for name, body, other in _DECLARED.findall(source):
                    declared[name] = (other or f"struct\n{body}", imports)
            self._packages[package] = declared
        return self._packages[package]

    def _fields(self, body: str, package: str, imports: dict[str, str]) -> Iterator[GoField]:
        for line in body.splitlines():
            if not line.strip() or line.lstrip().startswith("//"):
                continue
            match = _FIELD.match(line)
            if match is None:
                raise UnknownGoError(f"a field in {package}: {line.strip()}")
            tags = dict(_TAG.findall(match[3]))
            name, *options = tags["json"].split(",")
            go = self._qualified(match[2], package, imports)
            numbers = tuple(int(each) for each in tags.get("protobuf", "").split(",")[1:2])
            if "inline" in options:
                for inlined in self.type(go).fields:
                    yield replace(inlined, numbers=(*numbers, *inlined.numbers) if inlined.numbers else ())
                continue
            yield GoField(
                name=name,
                type=go,
                omitempty="omitempty" in options,
                patch_strategy=tags.get("patchStrategy", ""),
                patch_merge_key=tags.get("patchMergeKey", ""),
                numbers=numbers,
            )

    def _qualified(self, go: str, package: str, imports: dict[str, str]) -> str:
        if go[0] == "*":
            return "*" + self._qualified(go[1:], package, imports)
        if go.startswith("[]"):
            return "[]" + self._qualified(go[2:], package, imports)
        if go.startswith("map["):
            key, _, value = go.removeprefix("map[").partition("]")
            return f"map[{self._qualified(key, package, imports)}]{self._qualified(value, package, imports)}"
        prefix, _, name = go.rpartition(".")
        if prefix:
            try:
                return f"{PACKAGES[imports[prefix]]}.{name}"
            except KeyError:
                raise UnknownGoError(f"package of {go} in {package}") from None
        return go if go in _PREDECLARED else f"{package}.{go}"


def named(go: str) -> list[str]:
    """The declared types that a type's text names: those of `map[types.UID]*meta/v1.Time` are two."""
    return [word for word in re.split(r"[\[\]*]|map", go) if "." in word]
