"""Reads the columns of the Tables in a release: names, types, formats, priorities and descriptions.

The source is the printers in k8s.io/kubernetes `pkg/printers/internalversion`.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from tools.gosyntax import Expression, GoPackage, parse_package, parse_packages
from tools.modules import Modules

Column: TypeAlias = list[Any]
"""A column of a Table as a list: name, type, format, priority."""
Descriptions: TypeAlias = dict[str, dict[str, str]]
"""Descriptions of Table columns, by `group/Kind` and column."""

_INTERNAL = "k8s.io/kubernetes/pkg/apis/"
_MEMBERS = {
    ("Event", "InvolvedObject"): "ObjectReference",
    ("Event", "Source"): "EventSource",
}
"""Maps an outer Go type and its field to the Go type whose SwaggerDoc describes the column."""
_SAME = {"events.k8s.io/Event": "Event"}
"""Maps a kind to the kind of another API group that has the same internal Go type."""


class PrintersError(Exception):
    """Raised if the Go source of a table printer has an unknown form."""


def columns_of_release(modules: Modules) -> dict[str, list[Column]]:
    """Returns the Table columns of each kind, by `group/Kind`, or by `Kind` for the core group.

    Raises PrintersError if a table printer has an unknown form.
    """
    return {
        kind: [_column(literal) for literal in columns] for kind, columns in _definitions(modules)[1].items()
    }


def descriptions_of_release(modules: Modules) -> Descriptions:
    """Returns the descriptions of Table columns, except the usual descriptions of Name and Age.

    Raises PrintersError if a table printer has an unknown form.
    """
    package, kinds = _definitions(modules)
    usual = {"Name": "name", "Age": "creationTimestamp"}
    descriptions: Descriptions = {}
    for kind, columns in kinds.items():
        for literal in columns:
            members = {key[1]: value for key, value in literal[2]}
            name, description = members["Name"][1], members.get("Description")
            if not _is_usual(description, usual.get(name)):
                descriptions.setdefault(kind, {})[name] = _description(description, package, literal, modules)
    return descriptions


def _is_usual(value: Expression | None, member: str | None) -> bool:
    match value:
        case [
            "index",
            ["call", ["select", ["literal", ["select", _, "ObjectMeta"], []], _]],
            ["string", found],
        ]:
            return bool(found == member)
    return False


def _description(value: Expression | None, package: GoPackage, literal: Expression, modules: Modules) -> str:
    match value:
        case None:
            return ""
        case ["string", str(text)]:
            return text
        case [
            "index",
            [
                "call",
                ["select", ["literal", ["select", ["name", str(alias)], str(go_type)], []], "SwaggerDoc"],
            ],
            ["string", str(member)],
        ]:
            return _swagger_text(package, alias, go_type, member, modules)
        case [
            "index",
            [
                "call",
                [
                    "select",
                    ["select", ["literal", ["select", ["name", str(alias)], str(holder)], []], str(inner)],
                    "SwaggerDoc",
                ],
            ],
            ["string", str(member)],
        ]:
            return _swagger_text(package, alias, _MEMBERS[holder, inner], member, modules)
    raise PrintersError(f"{literal}: {value}")


def _swagger_text(package: GoPackage, alias: str, go_type: str, member: str, modules: Modules) -> str:
    """Returns `go_type{}.SwaggerDoc()[member]` of an imported Go package; "" if it has no such entry.

    `alias`: the local name of the imported package.
    """
    (path,) = {each[alias] for each in package.imports.values() if alias in each}
    return _swagger_texts(_folder(path, modules)).get(go_type, {}).get(member, "")


def _folder(path: str, modules: Modules) -> Path:
    for name, folder in modules.folders.items():
        prefix = f"k8s.io/{name}/"
        if path.startswith(prefix):
            return folder / path.removeprefix(prefix)
    raise PrintersError(f"a module that is not downloaded: {path}")


@cache
def _swagger_texts(folder: Path) -> dict[str, dict[str, str]]:
    """Returns the descriptions in a package's `types_swagger_doc_generated.go`, by Go type and field."""
    source = (folder / "types_swagger_doc_generated.go").read_text(encoding="utf-8")
    texts: dict[str, dict[str, str]] = {}
    for go_type, body in re.findall(
        r"^var map_(\w+) = map\[string\]string\{\n(.*?)^\}", source, re.MULTILINE | re.DOTALL
    ):
        pairs = re.findall(r'^\t("(?:[^"\\]|\\.)*"): *("(?:[^"\\]|\\.)*"),$', body, re.MULTILINE)
        texts[go_type] = {json.loads(name): json.loads(text) for name, text in pairs}
    return texts


def _definitions(modules: Modules) -> tuple[GoPackage, dict[str, list[Expression]]]:
    """Returns the Go package of the table printers, and the Go literals of each kind's columns."""
    package = parse_package(modules.kubernetes / "pkg/printers/internalversion")
    printed = _printed_types(package)
    (handlers,) = (each for each in package.functions if each["name"] == "AddHandlers")
    definitions: dict[str, list[Expression]] = {}
    by_type: dict[tuple[str, str], list[Expression]] = {}
    for statement in handlers["body"]:
        match statement:
            case ["assign", [["name", str(name)]], [["literal", ["list", _], columns]]]:
                definitions[name] = [literal for _, literal in columns]
            case ["assign", [["name", str(name)]], [["call", ["name", "append"], _, *more]]]:
                literals = [item for each in more for _, item in each[2]] if more[0][1][0] == "list" else more
                definitions[name] = definitions[name] + literals
            case ["assign", _, [call]] | ["do", call]:
                variable, function = _handled(call)
                by_type[printed[function]] = definitions[variable]
    groups = _groups(modules, sorted({path for path, _ in by_type if path.startswith(_INTERNAL)}))
    by_kind = {
        f"{groups[path]}/{kind}" if groups[path] else kind: columns
        for (path, kind), columns in by_type.items()
        if path in groups and not kind.endswith("List")
    }
    by_kind |= {name: by_kind[other] for name, other in _SAME.items()}
    return package, dict(sorted(by_kind.items()))


def _handled(call: Expression) -> tuple[str, str]:
    match call:
        case ["call", ["select", _, "TableHandler"], ["name", str(variable)], ["name", str(function)]]:
            return variable, function
    raise PrintersError(f"no table handler: {call}")


def _printed_types(package: GoPackage) -> dict[str, tuple[str, str]]:
    """Returns the type that each printer function prints, as (package, name), by the function's name."""
    return {name: go_type for each in package.functions for name, go_type in _printed_type(package, each)}


def _printed_type(package: GoPackage, function: dict[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    match function.get("parameters") or [{"type": None}]:
        case [{"type": ["star", ["select", ["name", str(alias)], str(kind)]]}, *_]:
            yield function["name"], (package.imports[function["file"]][alias], kind)


def _column(literal: Expression) -> Column:
    stated: dict[str, Any] = {"Name": "", "Type": "", "Format": "", "Priority": 0}
    for key, value in literal[2]:
        match key[1], value:
            case "Description", _:
                continue
            case name, ["string", str(text)]:
                stated[name] = text
            case name, ["int", str(number)]:
                stated[name] = int(number)
            case _:
                raise PrintersError(f"{key}: {value}")
    return list(stated.values())


def _groups(modules: Modules, paths: list[str]) -> dict[str, str]:
    """Returns the API group of each Go package with internal types, by the package's import path."""
    folders = [modules.kubernetes / path.removeprefix("k8s.io/kubernetes/") for path in paths]
    packages = parse_packages(folders)
    return {path: package.text("GroupName") or "" for path, package in zip(paths, packages, strict=True)}
