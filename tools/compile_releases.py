"""Compile what each Kubernetes release serves into `fakeapi/releases/data`, from the published Go modules.

Taken are facts alone: names, types, order, defaults, list types, verbs. No description comes over. Needs Go,
which fetches the modules through its own module cache; the package needs neither.

    python tools/compile_releases.py [1.33 ...]
"""

import base64
import hashlib
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.gotypes import OPAQUE, PACKAGES, GoField, GoSource, named
from tools.registered import registered_kinds

PATCHES = {"1.27": 16, "1.28": 15, "1.29": 15, "1.30": 14, "1.31": 14, "1.32": 13, "1.33": 13}
"""The releases, each at its last patch."""

DATA = Path(__file__).parent.parent / "fakeapi" / "releases" / "data"

GROUP = "resource.k8s.io"
CORE_KINDS = frozenset({"Namespace"})
ROOTS = ("meta/v1.DeleteOptions",)
"""Types that bodies are read as, though no kind refers to them."""

SHORT_NAMES = {"namespaces": ["ns"]}
"""Those of pkg/registry; api/discovery, which has them from 1.28 on, must agree."""

STORED_AS = {"1.32": "v1beta1", "1.33": "v1beta1"}
"""The version that kinds of the group are stored in, where it has the kind; otherwise their own."""

_ACTIONS = {"post": "create", "put": "update", "watchlist": "watch"}
_KNOWN_FACTS = frozenset({
    "$ref", "additionalProperties", "allOf", "default", "description", "format", "items", "type",
    "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type",
    "x-kubernetes-patch-merge-key", "x-kubernetes-patch-strategy",
})  # fmt: skip


class CompileError(Exception):
    """The sources of a release contradict each other, or say something that has no place in the data."""


@dataclass(frozen=True)
class Modules:
    """Where the modules of one release lie, and when and with which Go it was tagged."""

    kubernetes: Path
    api: Path
    apimachinery: Path
    time: str

    @property
    def go_version(self) -> str:
        return "go" + (self.kubernetes / ".go-version").read_text().strip()


def download(minor: str) -> Modules:
    """Raises CalledProcessError where Go cannot fetch a module."""
    patch = PATCHES[minor]
    found = {}
    for name in ("kubernetes", "api", "apimachinery"):
        version = f"v{minor}.{patch}" if name == "kubernetes" else f"v0{minor[1:]}.{patch}"
        with tempfile.TemporaryDirectory() as outside_any_module:
            output = subprocess.run(
                ["go", "mod", "download", "-json", f"k8s.io/{name}@{version}"],
                cwd=outside_any_module,
                check=True,
                capture_output=True,
            ).stdout
        found[name] = json.loads(output)
    return Modules(
        **{name: Path(module["Dir"]) for name, module in found.items()},
        time=json.loads(Path(found["kubernetes"]["Info"]).read_text())["Time"],
    )


def compile_release(minor: str, modules: Modules) -> dict[str, Any]:
    """Raises CompileError, or UnknownGoError, where a source is not as expected."""
    specs = {
        path.name.split("__")[2].removesuffix("_openapi.json"): json.loads(path.read_text())
        for path in sorted((modules.kubernetes / "api/openapi-spec/v3").glob(f"apis__{GROUP}__*"))
    }
    core = json.loads((modules.kubernetes / "api/openapi-spec/v3/api__v1_openapi.json").read_text())
    source = _source(modules, list(specs))
    kinds = _kinds(core, "", "v1", source.lifecycle("core/v1"))
    for version, spec in specs.items():
        kinds += _kinds(spec, GROUP, version, source.lifecycle(f"resource/{version}"))
    _add_hashes(minor, kinds)
    _check_discovery(modules.kubernetes / "api/discovery", kinds)
    schemas = dict(core["components"]["schemas"])
    for spec in specs.values():
        schemas.update(spec["components"]["schemas"])
    return {
        "release": minor,
        "version": f"v{minor}.{PATCHES[minor]}",
        "built": modules.time,
        "go": modules.go_version,
        "kinds": kinds,
        "registered": registered_kinds(modules.kubernetes, modules.api),
        "types": _types([*ROOTS, *(name for kind in kinds for name in (kind["type"], kind["list_type"]))],
                        source, schemas),
    }  # fmt: skip


def _source(modules: Modules, versions: list[str]) -> GoSource:
    folders = {}
    for path, name in PACKAGES.items():
        root = modules.api if path.startswith("k8s.io/api/") else modules.apimachinery
        folders[name] = root / path.split("/", 2)[2]
    for version in versions:
        folders[f"resource/{version}"] = modules.api / "resource" / version
    return GoSource(folders)


def _kinds(
    spec: dict[str, Any], group: str, version: str, lifecycle: dict[str, dict[str, str]]
) -> list[dict[str, Any]]:
    root = f"/apis/{group}/{version}/" if group else f"/api/{version}/"
    found: dict[str, dict[str, Any]] = {}
    for path, operations in sorted(spec["paths"].items()):
        if not path.startswith(root):
            continue
        inner = path.removeprefix(root).removeprefix("watch/")
        namespaced = inner.startswith("namespaces/{namespace}/")
        resource, *rest = inner.removeprefix("namespaces/{namespace}/").split("/")
        for operation in operations.values():
            if not isinstance(operation, dict) or "x-kubernetes-action" not in operation:
                continue
            gvk = operation["x-kubernetes-group-version-kind"]
            if not group and not (gvk["kind"] in CORE_KINDS and resource == gvk["kind"].lower() + "s"):
                continue
            verb = _ACTIONS.get(operation["x-kubernetes-action"], operation["x-kubernetes-action"])
            kind = found.setdefault(resource, _kind(gvk, group, version, resource))
            kind["namespaced"] = kind["namespaced"] or namespaced
            if len(rest) == 2:
                kind["subresources"].setdefault(rest[1], {"kind": gvk["kind"], "verbs": set()})["verbs"].add(
                    verb
                )
            else:
                kind["verbs"].add(verb)
    for kind in found.values():
        kind["verbs"] = sorted(kind["verbs"])
        for subresource in kind["subresources"].values():
            subresource["verbs"] = sorted(subresource["verbs"])
        kind.update(lifecycle.get(kind["kind"], {}))
    return [found[resource] for resource in sorted(found)]


def _kind(gvk: dict[str, str], group: str, version: str, resource: str) -> dict[str, Any]:
    package = f"resource/{version}" if group else f"core/{version}"
    return {
        "group": group,
        "version": version,
        "kind": gvk["kind"],
        "resource": resource,
        "singular": gvk["kind"].lower(),
        "short_names": SHORT_NAMES.get(resource, []),
        "categories": [],
        "type": f"{package}.{gvk['kind']}",
        "list_type": f"{package}.{gvk['kind']}List",
        "namespaced": False,
        "verbs": set(),
        "subresources": {},
    }


def _add_hashes(minor: str, kinds: list[dict[str, Any]]) -> None:
    served = {(kind["group"], kind["version"], kind["kind"]) for kind in kinds}
    for kind in kinds:
        version = STORED_AS.get(minor, "") if kind["group"] else ""
        if (kind["group"], version, kind["kind"]) not in served:
            version = kind["version"]
        stored = f"{kind['group']}/{version}/{kind['kind']}"
        kind["storage_version_hash"] = base64.b64encode(hashlib.sha256(stored.encode()).digest()[:8]).decode()


def _check_discovery(folder: Path, kinds: list[dict[str, Any]]) -> None:
    """What is compiled from paths and tables must be what the release's own discovery files say."""
    for kind in kinds:
        group, version = kind["group"], kind["version"]
        path = folder / (f"apis__{group}__{version}.json" if group else f"api__{version}.json")
        if not path.exists():
            continue
        listed = {entry["name"]: entry for entry in json.loads(path.read_text())["resources"]}
        expected = {
            kind["resource"]: {
                "kind": kind["kind"],
                "name": kind["resource"],
                "namespaced": kind["namespaced"],
                "singularName": kind["singular"],
                "storageVersionHash": kind["storage_version_hash"],
                "verbs": kind["verbs"],
                **({"shortNames": kind["short_names"]} if kind["short_names"] else {}),
                **({"categories": kind["categories"]} if kind["categories"] else {}),
            }
        }
        for name, subresource in kind["subresources"].items():
            full = f"{kind['resource']}/{name}"
            expected[full] = {
                "kind": subresource["kind"],
                "name": full,
                "namespaced": kind["namespaced"],
                "singularName": "",
                "verbs": subresource["verbs"],
            }
        for name, entry in expected.items():
            if listed.get(name) != entry:
                raise CompileError(f"{path.name}: {name}: {listed.get(name)} is not {entry}")


def _types(roots: list[str], source: GoSource, schemas: dict[str, Any]) -> dict[str, Any]:
    """Every type that the roots lead to: a struct's fields, or the name of what a type is made of."""
    found: dict[str, Any] = {}
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name in found or name in OPAQUE:
            continue
        go = source.type(name)
        if go.underlying:
            found[name] = go.underlying
            waiting += named(go.underlying)
            continue
        schema = schemas[_schema_name(name)]
        if {entry.name for entry in go.fields} != set(schema["properties"]):
            raise CompileError(f"{name}: Go and OpenAPI have different fields")
        found[name] = {
            **({"atomic": True} if schema.get("x-kubernetes-map-type") == "atomic" else {}),
            "fields": [_field(name, entry, schema) for entry in go.fields],
        }
        for entry in go.fields:
            waiting += named(entry.type)
    return {name: found[name] for name in sorted(found)}


def _schema_name(name: str) -> str:
    package, _, short = name.rpartition(".")
    area = "apimachinery.pkg.apis" if package.startswith("meta/") else "api"
    return f"io.k8s.{area}.{package.replace('/', '.')}.{short}"


def _field(owner: str, entry: GoField, schema: dict[str, Any]) -> dict[str, Any]:
    facts = schema["properties"][entry.name]
    place = f"{owner}.{entry.name}"
    if unknown := set(facts) - _KNOWN_FACTS:
        raise CompileError(f"{place}: no place for {', '.join(sorted(unknown))}")
    strategy = facts.get("x-kubernetes-patch-strategy", "")
    merge_key = facts.get("x-kubernetes-patch-merge-key", "")
    if (strategy, merge_key) != (entry.patch_strategy, entry.patch_merge_key):
        raise CompileError(f"{place}: Go and OpenAPI have different patch strategies")
    compiled: dict[str, Any] = {"name": entry.name, "type": entry.type}
    if entry.omitempty:
        compiled["omitempty"] = True
    if entry.name in schema.get("required", ()):
        compiled["required"] = True
    optional = {
        "default": facts.get("default"),
        "list": facts.get("x-kubernetes-list-type"),
        "keys": facts.get("x-kubernetes-list-map-keys"),
        "map": facts.get("x-kubernetes-map-type"),
        "patch": strategy or None,
        "patch_key": merge_key or None,
        "numbers": list(entry.numbers) or None,
    }
    return compiled | {key: fact for key, fact in optional.items() if fact is not None}


def render(release: dict[str, Any]) -> str:
    """JSON with a line for each kind, type and field, so that a change shows as a line."""
    lines = ["{", *(f'"{key}": {_compact(release[key])},' for key in ("release", "version", "built", "go"))]
    lines += ['"kinds": [', ",\n".join(_compact(kind) for kind in release["kinds"]), "],"]
    registered = (f"{_compact(name)}: {_compact(kinds)}" for name, kinds in release["registered"].items())
    lines += ['"registered": {', ",\n".join(registered), "},", '"types": {']
    types = []
    for name, entry in release["types"].items():
        if isinstance(entry, str):
            types.append(f"{_compact(name)}: {_compact(entry)}")
            continue
        head = _compact({key: value for key, value in entry.items() if key != "fields"})[1:-1]
        fields = ",\n ".join(_compact(item) for item in entry["fields"])
        types.append(f'{_compact(name)}: {{{head}{", " if head else ""}"fields": [\n {fields}]}}')
    lines += [",\n".join(types), "}", "}"]
    return "\n".join(lines) + "\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def main(names: list[str]) -> None:
    DATA.mkdir(exist_ok=True)
    for minor in names or PATCHES:
        text = render(compile_release(minor, download(minor)))
        (DATA / f"{minor}.json").write_text(text, encoding="utf-8")
        print(f"{minor}: {len(text)} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
