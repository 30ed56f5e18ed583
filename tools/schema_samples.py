"""Records results of Kubernetes' own code for custom resource schemas.

The results are in fixtures/validation/schemas-<release>.jsonl.gz.

    python -m tools.schema_samples 1.33 [--count 160] [--seed 1]

The tool generates random, often invalid schemas, objects and old objects. It sends them to the Go program
schemavalidation.go, which it compiles with the release's modules (needs Go). A line of the file has a request
and its result. `tests/machinery/structural/test_samples.py` compares fakeapi with these results.
"""

import argparse
import gzip
import json
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fakeapi.machinery.structural.schema import parse_schema
from fakeapi.machinery.structural.structurality import structural_errors
from tools.modules import LAST_PATCHES

FIXTURES = Path("fixtures/validation")
FIRST_THAT_APPLIES = "1.36"
"""The first release whose Go program can also run server-side apply; older libraries have another API."""

WITHOUT_RATCHETING = ("1.27", "1.28")
FIRST_WITH_CONTEXT = "1.37"

FORMATS = """date date-time duration ipv4 ipv6 cidr mac uuid uuid4 uri email hostname byte password int32
int64 float double isbn creditcard ssn hexcolor rgbcolor bsonobjectid k8s-short-name
k8s-long-name nope""".split()  # noqa: SIM905
TEXTS = """a abc b A 2020-01-02 2020-02-30 2020-01-02T03:04:05Z 2020-01-02t03:04:05.123+01:00 1h 1.2.3.4
01.2.3.4 ::1 1::2.3.4.5 10.0.0.0/8 10.0.0.0/33 aa:bb:cc:dd:ee:ff 123e4567-e89b-12d3-a456-426614174000 x
123e4567-e89b-42d3-a456-426614174000 http://x.y/z /a?b mailto:a@b a@b.c foo.example.com foo a-b a-b-c -a YWJj
YWJ= YQ== 0321751043 978-0321751041 4111111111111111 123-45-6789 #fff #FFFFFF rgb(1,2,3) Long.Name long.name.x
507f1f77bcf86cd799439011 short-name""".split()  # noqa: SIM905
TEXTS += ["", "22 ns", "5 minutes", "A B <a@b.c>", "rgb(1, 2,256)", "\u00e9"]
PATTERNS = ["^a", "b$", "^[a-z]+$", "a|b", "^.{2,3}$", "[0-9]+", "^$", r"\d", r"^\S+$"]
BROKEN_PATTERNS = r"""[ (a a** * \ a{1001} (?=a) [z-a] \q a) [[:foo:]] \pX x{2}{3} a{2,1} (?P<n [a \8
a{1000}{1000} (?i)a*+ [^] (?i \x{110000} \C +a a|* ^*""".split()  # noqa: SIM905
NUMBERS = [0.5, 1.0, 1.5, 2.0, -1.25, 1e20, 3.5e38, 2**31, 2**40, -(2**31) - 1, 65, 97]
NAMES = ["a", "b", "c", "d", "e"]
FIELD_PATHS = [
    " ",
    ".a",
    ".a.b",
    "a",
    "['a']",
    ".a[",
    ".b['x\\'y']",
    ".q",
    "\n",
    ".a['b'",
    ".a[b]",
    "..a",
    ".a.",
]
RULES: list[dict[str, Any]] = [
    {"rule": ""},
    {"rule": "  "},
    {"rule": "a", "message": " "},
    {"rule": "a\nb"},
    {"rule": "a", "message": "x\ny"},
    {"rule": "", "messageExpression": " "},
    *({"rule": "", "fieldPath": path} for path in FIELD_PATHS),
]
NAMED = {"plural": "foos", "singular": "foo", "kind": "Foo", "listKind": "FooList"}


class Generator:
    """Generates random schemas and objects. Equal seeds give equal results."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def request(self, operation: str) -> dict[str, Any]:
        schema = json.loads(json.dumps(self.schema(kind="object", is_root=True)))
        if operation in ("definition", "openapi"):
            for _ in range(self._random.choice([0, 1, 1, 2, 4])):
                self._spoil(self._random.choice(list(_nodes(schema))))
            has_status = self._likely(0.2)
            return {"op": operation, "crd": _definition(schema, has_status=has_status)}
        obj = self._fitting(schema)
        if not isinstance(obj, dict):
            obj = {}
        obj |= {"apiVersion": "g.io/v1", "kind": "Foo", "metadata": {"name": "x"}}
        if operation == "object" and self._likely(0.3):
            obj["metadata"] = self._meta()
        old = obj
        for _ in range(self._random.randint(0, 3)):
            old = self._changed(old)
        if operation == "apply":
            same = {name: obj[name] for name in ("apiVersion", "kind", "metadata")}
            return {"op": "apply", "crd": _definition(schema), "obj": obj, "old": {**old, **same}}
        return {"op": "object", "schema": schema, "obj": obj, "old": old}

    def _likely(self, chance: float) -> bool:
        return self._random.random() < chance

    def _scalar(self) -> Any:
        some = [self._random.choice(TEXTS), self._random.randint(-3, 12), self._random.choice(NUMBERS)]
        return self._random.choice([*some, True, False, None])

    def _value(self, depth: int = 0) -> Any:
        chance = self._random.random()
        if depth > 3 or chance < 0.6:
            return self._scalar()
        if chance < 0.8:
            return [self._value(depth + 1) for _ in range(self._random.randint(0, 4))]
        names = [*NAMES, "metadata", "kind", "apiVersion", "x y"]
        return {self._random.choice(names): self._value(depth + 1) for _ in range(self._random.randint(0, 4))}

    def _validations(self, kind: str | None, depth: int) -> dict[str, Any]:
        choose, count = self._random.choice, self._random.randint
        of_text: dict[str, tuple[float, Any]] = {
            "format": (0.2, choose(FORMATS)),
            "maxLength": (0.15, count(0, 5)),
            "minLength": (0.15, count(0, 4)),
            "pattern": (0.15, choose(PATTERNS)),
            "enum": (0.1, self._random.sample(TEXTS, 3)),
        }
        of_number: dict[str, tuple[float, Any]] = {
            "format": (0.2, choose(["int32", "int64", "float", "double", "date"])),
            "maximum": (0.2, choose([1, 5, 1.5, 0, -2, 2**31, 1e6])),
            "exclusiveMaximum": (0.1, True),
            "minimum": (0.2, choose([1, 0, -1, 0.5, 2])),
            "multipleOf": (0.15, choose([2, 0.5, 3, 1.5, 0.1])),
            "enum": (0.1, [count(0, 4), 1.5, count(0, 9)]),
        }
        of_list = {"minItems": (0.15, count(0, 3)), "maxItems": (0.15, count(0, 3))}
        of_object: dict[str, tuple[float, Any]] = {
            "minProperties": (0.15, count(0, 3)),
            "maxProperties": (0.15, count(0, 3)),
            "required": (0.3, self._random.sample(NAMES, count(1, 2))),
        }
        by_kind = {"string": of_text, "integer": of_number, "number": of_number, "array": of_list}
        chosen = [by_kind.get(kind or "", of_object)] if kind else [of_text, of_number, of_list, of_object]
        validations = {
            name: value for part in chosen for name, (chance, value) in part.items() if self._likely(chance)
        }
        if depth < 3:
            for junctor in ("allOf", "anyOf", "oneOf"):
                if self._likely(0.12):
                    validations[junctor] = [self._branch(kind, depth + 1) for _ in range(count(1, 3))]
            if self._likely(0.06):
                validations["not"] = self._branch(kind, depth + 1)
        return validations

    def _branch(self, kind: str | None, depth: int) -> dict[str, Any]:
        branch = self._validations(kind, depth)
        if depth > 3:
            return branch
        if kind in ("object", None) and self._likely(0.5):
            branch["properties"] = {
                name: self._branch(None, depth + 1) for name in self._random.sample(NAMES[:4], 2)
            }
        if kind in ("array", None) and self._likely(0.3):
            branch["items"] = self._branch(None, depth + 1)
        return branch

    def schema(self, depth: int = 0, kind: str = "", *, is_root: bool = False) -> dict[str, Any]:
        kind = kind or self._random.choice("string integer number boolean object object array".split())  # noqa: SIM905
        if depth > 3 and kind in ("object", "array"):
            kind = "string"
        if not is_root and self._likely(0.06):
            choice = {"anyOf": [{"type": "integer"}, {"type": "string"}]} if self._likely(0.5) else {}
            return {"x-kubernetes-int-or-string": True, **self._validations("string", 3), **choice}
        if not is_root and self._likely(0.05):
            return {"x-kubernetes-preserve-unknown-fields": True}
        node: dict[str, Any] = {"type": kind, **self._validations(kind, depth)}
        if self._likely(0.15):
            node["nullable"] = True
        if kind == "object":
            self._shape_object(node, depth, is_root=is_root)
        elif kind == "array":
            self._shape_list(node, depth)
        if not is_root and self._likely(0.15):
            default = self._fitting(node) if self._likely(0.8) else self._value(2)
            if default is not None:
                node["default"] = default
        return node

    def _shape_object(self, made: dict[str, Any], depth: int, *, is_root: bool) -> None:
        if is_root or self._likely(0.7):
            names = self._random.sample(NAMES, self._random.randint(1, 4))
            made["properties"] = {name: self.schema(depth + 1) for name in names}
            if self._likely(0.1):
                made["x-kubernetes-preserve-unknown-fields"] = True
        elif self._likely(0.8):
            made["additionalProperties"] = self.schema(depth + 1) if self._likely(0.8) else self._likely(0.5)
        if not is_root and self._likely(0.12):
            made.pop("additionalProperties", None)
            made["x-kubernetes-embedded-resource"] = True
            if "properties" not in made or self._likely(0.5):
                made["x-kubernetes-preserve-unknown-fields"] = True
        if self._likely(0.1):
            made["x-kubernetes-map-type"] = self._random.choice(["atomic", "granular"])

    def _shape_list(self, made: dict[str, Any], depth: int) -> None:
        list_type = self._random.choice([None, None, "set", "map", "atomic"])
        if list_type:
            made["x-kubernetes-list-type"] = list_type
        if list_type != "map":
            kind = self._random.choice(["string", "integer"]) if list_type == "set" else ""
            made["items"] = self.schema(depth + 1, kind)
            return
        keys = self._random.sample(NAMES[:3], self._random.randint(1, 2))
        defaults = {"string": "abc", "integer": 1, "boolean": True}
        kinds = {key: self._random.choice(list(defaults)) for key in keys}
        with_default = [key for key in keys if self._likely(0.4)]
        made["x-kubernetes-list-map-keys"] = keys
        made["items"] = {
            "type": "object",
            "properties": {"d": self.schema(depth + 2)}
            | {key: {"type": kind} for key, kind in kinds.items()}
            | {key: {"type": kinds[key], "default": defaults[kinds[key]]} for key in with_default},
            "required": [key for key in keys if key not in with_default],
        }

    def _fitting(self, schema: dict[str, Any]) -> Any:
        """Returns a random JSON value that is mostly valid for the schema."""
        if self._likely(0.07):
            return self._value(2)
        if schema.get("x-kubernetes-int-or-string"):
            return self._random.choice(["a", "10%", 5])
        if schema.get("enum") and self._likely(0.8):
            return self._random.choice(schema["enum"])
        match schema.get("type"):
            case "string":
                return self._random.choice(TEXTS)
            case "integer":
                return self._random.randint(-1, 6)
            case "number":
                return self._random.choice([0.5, 1.5, 2, 3])
            case "boolean":
                return self._likely(0.5)
            case "array":
                return [self._fitting(schema["items"]) for _ in range(self._random.randint(0, 3))]
            case "object":
                return self._fitting_object(schema)
            case _:
                return self._value(2)

    def _fitting_object(self, schema: dict[str, Any]) -> dict[str, Any]:
        obj = {
            name: self._fitting(below)
            for name, below in schema.get("properties", {}).items()
            if name in schema.get("required", ()) or self._likely(0.7)
        }
        others = schema.get("additionalProperties")
        if isinstance(others, dict):
            names = self._random.sample(["x", "y", "z"], self._random.randint(0, 2))
            obj |= {name: self._fitting(others) for name in names}
        if schema.get("x-kubernetes-embedded-resource"):
            if self._likely(0.9):
                obj["apiVersion"] = self._random.choice(["v1", "g/v1", "a/b/c", "", 5])
            if self._likely(0.9):
                obj["kind"] = self._random.choice(["Foo", "foo_bar", "", True, "A"])
            if self._likely(0.7):
                obj["metadata"] = self._meta()
        if self._likely(0.15):
            obj[self._random.choice(["u", "v", "kind", "metadata"])] = self._value(2)
        return obj

    def _meta(self) -> Any:
        if self._likely(0.05):
            return self._random.choice([None, 5, [], "x"])
        choices: dict[str, list[Any]] = {
            "labels": [{"a": "b"}, {"a b": "c"}, {"a": 5}, []],
            "annotations": [{"x": "y"}],
            "foo": ["bar"],
            "namespace": ["ns", "N S", 5],
            "creationTimestamp": [None, "2020-01-01T00:00:00Z", "bad"],
            "finalizers": [["a", "b/c", "x y"]],
            "ownerReferences": [[{"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": ""}]],
        }
        metadata = {name: self._random.choice(each) for name, each in choices.items() if self._likely(0.2)}
        return {"name": self._random.choice(["x", "a/b", "", ".."]), **metadata}

    def _changed(self, value: Any) -> Any:
        match value:
            case dict() if value:
                name = self._random.choice(list(value))
                rest = {each: below for each, below in value.items() if each != name}
                return rest if self._likely(0.3) else {**value, name: self._changed(value[name])}
            case list() if value:
                index = self._random.randrange(len(value))
                kept = [] if self._likely(0.3) else [self._changed(value[index])]
                return [*value[:index], *kept, *value[index + 1 :]]
            case _:
                return self._scalar()

    def _spoil(self, node: dict[str, Any]) -> None:
        """Sets a random field of a schema to a value that may be invalid, or removes a random field."""
        choose = self._random.choice
        below = self.schema(2)
        wrong: dict[str, list[Any]] = {
            "type": ["string", "object", "array", "null", "foo", ""],
            "nullable": [True],
            "default": [self._value(1)],
            "properties": [{name: below} for name in ("a", "metadata", "kind", "apiVersion", "name")],
            "additionalProperties": [True, False, below],
            "items": [below, [below]],
            "format": FORMATS,
            "pattern": BROKEN_PATTERNS,
            "allOf": [[self._branch(None, 3)]],
            "anyOf": [[{"type": "integer"}, {"type": "string"}], [below]],
            "oneOf": [[below], [{"additionalProperties": False}], [{"properties": {"metadata": {}}}]],
            "not": [below, {"items": {"type": "string"}}],
            "x-kubernetes-preserve-unknown-fields": [True, False],
            "x-kubernetes-embedded-resource": [True],
            "x-kubernetes-int-or-string": [True],
            "x-kubernetes-list-type": ["set", "map", "atomic", "foo"],
            "x-kubernetes-list-map-keys": [["a"], ["a", "b"], ["a", "a"], ["zz"]],
            "x-kubernetes-map-type": ["granular", "atomic", "foo"],
            "x-kubernetes-validations": [[rule] for rule in RULES],
            "title": ["t"],
            "description": ["d"],
            "id": ["i"],
            "$schema": ["s"],
            "$ref": ["#/x"],
            "definitions": [{"x": below}],
            "dependencies": [{"x": ["a"]}, {"x": below}],
            "patternProperties": [{"x": below}],
            "additionalItems": [True, below],
            "uniqueItems": [True],
            "externalDocs": [{"url": "u"}],
            "example": [5],
        }
        name = choose(list(wrong))
        if self._likely(0.2):
            node.pop(name, None)
        else:
            node[name] = choose(wrong[name])


def _nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for name in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(name), dict):
            yield from _nodes(schema[name])
    for name in ("allOf", "anyOf", "oneOf"):
        for below in schema.get(name, ()):
            yield from _nodes(below)
    for below in schema.get("properties", {}).values():
        yield from _nodes(below)


def _definition(schema: dict[str, Any], *, has_status: bool = False) -> dict[str, Any]:
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    if has_status:
        version["subresources"] = {"status": {}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.g.io"},
        "spec": {"group": "g.io", "names": NAMED, "scope": "Namespaced", "versions": [version]},
        "status": {"storedVersions": ["v1"], "conditions": [], "acceptedNames": NAMED},
    }


def built(release: str, folder: Path) -> Path:
    """Compiles the Go program that validates schemas of a release in `folder`; returns the program's path."""
    minor, patch = release.partition(".")[2], LAST_PATCHES[release]
    environment = os.environ | {"GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "GONOSUMDB": "k8s.io/*"}
    module = f"k8s.io/apiextensions-apiserver v0.{minor}.{patch}"
    (folder / "go.mod").write_text(
        f"module schemavalidation\n\ngo 1.22\n\nrequire {module}\n", encoding="utf-8"
    )
    source = Path(__file__).with_name("schemavalidation.go").read_text(encoding="utf-8")
    if release in WITHOUT_RATCHETING:
        source = source.replace(", validation.WithRatcheting(nil)", "")
    if release >= FIRST_WITH_CONTEXT:
        source = source.replace("objectmeta.Validate(nil,", "objectmeta.Validate(ctx, nil,")
    if release == "1.27":
        argument = "&apiextensions.CustomResourceValidation{OpenAPIV3Schema: in}"
        source = source.replace("NewSchemaValidator(in)", f"NewSchemaValidator({argument})")
        source = source.replace(
            "validation.ValidateCustomResourceUpdate(nil, value(r.Obj), value(r.Old), ", "nil, ("
        )
        source = source.replace('res["update"] = errs(nil, (validator))', "_ = validator")
    if release < FIRST_THAT_APPLIES:
        source = _without_applying(source)
    (folder / "main.go").write_text(source, encoding="utf-8")
    subprocess.run(["go", "mod", "tidy", "-e"], cwd=folder, env=environment, check=True)
    subprocess.run(["go", "build", "-o", "schemavalidation", "."], cwd=folder, env=environment, check=True)
    return folder / "schemavalidation"


def _without_applying(source: str) -> str:
    """Returns the Go program's source without server-side apply, which needs the newest libraries."""
    start, end = source.index("func applyOp("), source.index("func handle(")
    source = source[:start] + "func applyOp(*Request, map[string]interface{}) {}\n\n" + source[end:]
    unused = ("apis/meta/v1/unstructured", "util/managedfields", "validation/spec", "structured-merge-diff")
    lines = source.splitlines(keepends=True)
    return "".join(
        line for line in lines if not (line.startswith('\t"') and any(each in line for each in unused))
    )


def samples(program: Path, release: str, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yields `count` random requests, each with the Go program's result.

    Leaves out requests for which Kubernetes' code panics, and apply requests with an invalid schema.
    """
    generator = Generator(seed)
    operations = ["object", "definition", "object", "openapi"]
    if release >= FIRST_THAT_APPLIES:
        operations.append("apply")
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        while count:
            request = generator.request(operations[count % len(operations)])
            if request["op"] == "apply" and _is_unusable(request["crd"]):
                continue
            running.stdin.write(f"{json.dumps(request)}\n")
            running.stdin.flush()
            answer = json.loads(running.stdout.readline())
            if "panic" not in answer:
                count -= 1
                yield request | {"answer": _kept(request["op"], answer)}
        running.stdin.close()


def _is_unusable(definition: dict[str, Any]) -> bool:
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return bool(structural_errors(parse_schema(schema), ""))


def _kept(operation: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Returns the part of a Go program's result that tests compare.

    For OpenAPI, this is the schema of the sample's kind without descriptions.
    """
    if operation != "openapi":
        return answer
    return {
        "v2": _undescribed(answer["v2"]["definitions"]["io.g.v1.Foo"]),
        "v3": _undescribed(answer["v3"]["components"]["schemas"]["io.g.v1.Foo"]),
    }


def _undescribed(value: Any) -> Any:
    match value:
        case dict():
            has_description = isinstance(value.get("description"), str) and len(value["description"]) > 1
            return {
                name: _undescribed(below)
                for name, below in value.items()
                if not (has_description and name == "description")
            }
        case list():
            return [_undescribed(below) for below in value]
        case _:
            return value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("release", choices=LAST_PATCHES)
    parser.add_argument("--count", type=int, default=160)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", type=Path, help="already compiled")
    options = parser.parse_args()
    if options.program is None and shutil.which("go") is None:
        parser.error("this needs Go")
    FIXTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        program = options.program or built(options.release, Path(folder))
        lines = [
            json.dumps(sample, separators=(",", ":"))
            for sample in samples(program, options.release, options.count, options.seed)
        ]
    target = FIXTURES / f"schemas-{options.release}.jsonl.gz"
    target.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))
    print(f"{target}: {len(lines)} samples")


if __name__ == "__main__":
    main()
