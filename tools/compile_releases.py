"""Compiles the API of each Kubernetes release into `fakeapi/releases/data`, from the published Go modules.

The tables contain names, types, field order, defaults, list types and verbs. They leave out the
descriptions of the API. This tool needs Go, which downloads the modules into its module cache; the fakeapi
package needs neither Go nor the modules.

    python tools/compile_releases.py [1.33 ...]
"""

import json
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tools.bootstrap import bootstrap_of_release
from tools.declared import declared_of_release
from tools.defaults import defaults_of_release
from tools.enabled import enabled_by_default
from tools.gates import changes, gates_of_release, requirements_of_release
from tools.gotypes import GoSource
from tools.modules import LAST_PATCHES, Modules, download
from tools.printers import columns_of_release, descriptions_of_release
from tools.registered import registered_kinds
from tools.servedkinds import GroupVersion, KindEntry, kinds_of_release, openapi_documents
from tools.typetables import schema_name, types_reached

DATA = Path(__file__).parent.parent / "fakeapi" / "releases" / "data"

GATES = "gates.json"
COLUMN_DESCRIPTIONS = "column_descriptions.json"
DECLARED = "declared"

WITHOUT_DISCOVERY = {"1.27": "1.28"}
"""Maps a release without discovery documents to the release whose documents the tool reads instead."""

ROOTS = (
    "meta/v1.APIResourceList",
    "meta/v1.DeleteOptions",
    "meta/v1.Status",
    "meta/v1.WatchEvent",
)
"""Go types of request and response bodies that no kind refers to."""


def compile_release(release: str, modules: Modules) -> dict[str, dict[str, Any]]:
    """Returns the compiled tables of a release by file name.

    The tables are:

    - `index`, `columns`, `defaults` and `bootstrap`
    - one table for each Go package
    - in the folder `declared`, one table for each Go package with declared validation rules

    Raises the errors of the readers, such as UnknownGoError, if a source has an unexpected form.
    """
    source = GoSource(modules)
    packages = modules.api_packages()
    base = WITHOUT_DISCOVERY.get(release)
    kinds = kinds_of_release(modules, download(base) if base else None)
    source.load([packages[_key(gv)] for gv in kinds])
    schemas: dict[str, Any] = {}
    for document in openapi_documents(modules).values():
        schemas |= document["components"]["schemas"]
    roots = set(ROOTS)
    versions = []
    for gv, entries in kinds.items():
        package = packages[_key(gv)]
        compiled = [_kind(entry, package, source, schemas) for entry in entries]
        roots |= {each[key] for each in compiled for key in ("type", "list_type") if key in each}
        roots |= set(_bodies(entries, package, packages, schemas))
        versions.append((gv, package, compiled))
    types = types_reached(sorted(roots), source, schemas)
    return {
        "index": _index(release, modules, versions),
        "columns": columns_of_release(modules),
        "defaults": defaults_of_release(modules, source, [package for _, package, _ in versions], types),
        "bootstrap": bootstrap_of_release(modules),
        **_by_package(types),
        **{
            f"{DECLARED}/{file_name(package)}": table
            for package, table in declared_of_release(
                modules, source, [package for _, package, _ in versions]
            ).items()
        },
    }


def _key(gv: GroupVersion) -> str:
    group, version = gv
    return f"{group}/{version}" if group else version


def _kind(entry: KindEntry, package: str, source: GoSource, schemas: dict[str, Any]) -> dict[str, Any]:
    """Returns the entry of a kind in the index table, without empty fields."""
    stated = {key: value for key, value in entry.items() if value or key in ("namespaced", "verbs")}
    stated["type"] = f"{package}.{entry['kind']}"
    if schema_name(f"{stated['type']}List") in schemas:
        stated["list_type"] = f"{stated['type']}List"
    return stated | source.lifecycle(package).get(entry["kind"], {})


def _bodies(
    entries: Iterable[KindEntry], package: str, packages: dict[str, str], schemas: dict[str, Any]
) -> list[str]:
    """Returns the Go types of the request bodies of subresources.

    Leaves out options of connections, such as PodExecOptions, because these are not request bodies.
    """
    types = []
    for entry in entries:
        for each in entry["subresources"].values():
            own = packages[_key((each["group"], each["version"]))] if "version" in each else package
            name = f"{own}.{each['kind']}"
            if schema_name(name) in schemas:
                types.append(name)
    return types


def _index(
    release: str, modules: Modules, versions: list[tuple[GroupVersion, str, list[dict[str, Any]]]]
) -> dict[str, Any]:
    by_default, resources = enabled_by_default(modules)
    listed = []
    for gv, package, kinds in versions:
        single = sorted(resource for group, version, resource in resources if (group, version) == gv)
        listed.append(
            {
                "group": gv[0],
                "version": gv[1],
                "package": package,
                "default": gv in by_default,
                **({"default_resources": single} if single else {}),
                "kinds": kinds,
            }
        )
    return {
        "release": release,
        "version": modules.version,
        "built": modules.time,
        "go": modules.go_version,
        "group_versions": listed,
        "registered": registered_kinds(modules.kubernetes, modules.api),
    }


def _by_package(types: dict[str, Any]) -> dict[str, dict[str, Any]]:
    tables: dict[str, dict[str, Any]] = {}
    for name, entry in types.items():
        package, _, short = name.rpartition(".")
        tables.setdefault(file_name(package), {"types": {}})["types"][short] = entry
    return tables


def file_name(package: str) -> str:
    """Returns the file name of a Go package's table without extension: `core__v1` for `core/v1`."""
    return package.replace("/", "__")


def render_index(index: dict[str, Any]) -> str:
    """Renders the index table as JSON with one line for each kind, which makes diffs short."""
    lines = ["{", *(f'"{key}": {_compact(index[key])},' for key in ("release", "version", "built", "go"))]
    versions = []
    for each in index["group_versions"]:
        head = _compact({key: value for key, value in each.items() if key != "kinds"})[1:-1]
        kinds = ",\n ".join(_compact(kind) for kind in each["kinds"])
        versions.append(f'{{{head}, "kinds": [\n {kinds}]}}')
    lines += ['"group_versions": [', ",\n".join(versions), "],"]
    registered = (f"{_compact(name)}: {_compact(kinds)}" for name, kinds in index["registered"].items())
    lines += ['"registered": {', ",\n".join(registered), "}", "}"]
    return "\n".join(lines) + "\n"


def render_lines(table: dict[str, Any]) -> str:
    """Renders a table as JSON with one line for each of its keys."""
    return (
        "{\n" + ",\n".join(f"{_compact(name)}: {_compact(entry)}" for name, entry in table.items()) + "\n}\n"
    )


def render_parts(table: dict[str, Any]) -> str:
    """Renders a nested table as JSON with one line for each key of its inner tables."""
    parts = (f"{_compact(part)}: {render_lines(entries).rstrip()}" for part, entries in table.items())
    return "{\n" + ",\n".join(parts) + "\n}\n"


def render_package(table: dict[str, Any]) -> str:
    """Renders the table of a Go package as JSON with one line for each type and field."""
    types = []
    for name, entry in table["types"].items():
        if isinstance(entry, str) or "fields" not in entry:
            types.append(f"{_compact(name)}: {_compact(entry)}")
            continue
        head = _compact({key: value for key, value in entry.items() if key != "fields"})[1:-1]
        fields = ",\n ".join(_compact(item) for item in entry["fields"])
        types.append(f'{_compact(name)}: {{{head}{", " if head else ""}"fields": [\n {fields}]}}')
    return "\n".join(["{", '"types": {', ",\n".join(types), "}", "}"]) + "\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


RENDERERS = {
    "index": render_index,
    "columns": render_lines,
    "defaults": render_parts,
    "bootstrap": render_parts,
}
"""Maps a file name to the function that renders its table. `render_package` renders the other tables."""


def write_release(release: str, folder: Path) -> int:
    """Compiles a release and replaces the tables in `folder`; returns their total size in bytes."""
    tables = compile_release(release, download(release))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    size = 0
    for name, table in tables.items():
        is_declared = name.startswith(f"{DECLARED}/")
        text = (render_parts if is_declared else RENDERERS.get(name, render_package))(table)
        path = folder / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        size += len(text.encode())
    return size


def compile_gates() -> dict[str, Any]:
    """Returns the feature gates of all Kubernetes releases.

    `specs`: the history of each gate by its name. `requires`: since 1.36, the gates that a gate depends on.
    An entry of a history starts with the minor version of the first release to which it applies. A stage of
    null means that the gate was removed.
    """
    modules = {int(release.partition(".")[2]): download(release) for release in LAST_PATCHES}
    required = {minor: requirements_of_release(each) for minor, each in modules.items()}
    return {
        "specs": changes({minor: gates_of_release(each) for minor, each in modules.items()}, [None]),
        "requires": changes(
            {minor: {name: [needed] for name, needed in each.items()} for minor, each in required.items()},
            [[]],
        ),
    }


def compile_column_descriptions() -> dict[str, Any]:
    """Returns the histories of the descriptions of Table columns, by `group/Kind` and column.

    An entry of a history starts with the minor version of the first release to which it applies. A
    description of null means that the column does not exist.
    """
    releases: dict[int, dict[str, list[Any]]] = {}
    for release in LAST_PATCHES:
        described = descriptions_of_release(download(release))
        releases[int(release.partition(".")[2])] = {
            f"{kind} {column}": [text] for kind, texts in described.items() for column, text in texts.items()
        }
    kinds: dict[str, Any] = {}
    for name, history in changes(releases, [None]).items():
        kind, _, column = name.partition(" ")
        kinds.setdefault(kind, {})[column] = history
    return kinds


def main(names: list[str]) -> None:
    for release in names or LAST_PATCHES:
        print(f"{release}: {write_release(release, DATA / release)} bytes")
    (DATA / GATES).write_text(render_parts(compile_gates()), encoding="utf-8")
    (DATA / COLUMN_DESCRIPTIONS).write_text(render_parts(compile_column_descriptions()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
